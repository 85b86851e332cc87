"use client";

import { GitCompareArrows } from "lucide-react";
import { toComparePath } from "@/app/_components/executions/summary/comparison";
import { Button, buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";

interface SelectionActionsProps {
  selectedIds: readonly string[];
  onClear: () => void;
}

/** The actions on the selected calls. */
export function SelectionActions({ selectedIds, onClear }: SelectionActionsProps) {
  const path = toComparePath(selectedIds);
  return (
    <>
      <Button variant="ghost" onClick={onClear}>
        Clear selection
      </Button>
      {path === null ? (
        <span className="text-mute text-xs">Select one more to compare</span>
      ) : (
        <Link href={path} className={buttonClass({ variant: "primary" })}>
          <GitCompareArrows aria-hidden size={13} strokeWidth={1.6} />
          Compare
        </Link>
      )}
    </>
  );
}
