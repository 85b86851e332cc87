"use client";

import { GitCompareArrows } from "lucide-react";
import { toComparePath } from "@/app/_components/executions/summary/comparison";
import { Button, ButtonLink } from "@/app/_ui/button";

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
        <ButtonLink icon={GitCompareArrows} href={path} variant="primary">
          Compare
        </ButtonLink>
      )}
    </>
  );
}
