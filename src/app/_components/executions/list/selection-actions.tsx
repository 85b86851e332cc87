import { GitCompareArrows } from "lucide-react";
import { toComparePath } from "@/app/_components/executions/summary/comparison";
import { Button, ButtonLink } from "@/app/_ui/button";

export function SelectionActions({ selectedIds, onClear }: { selectedIds: readonly string[]; onClear: () => void }) {
  const path = toComparePath(selectedIds);
  return (
    <>
      <Button variant="ghost" onClick={onClear}>
        Clear selection
      </Button>
      {path === null && selectedIds.length === 1 && (
        <span className="text-mute text-xs">Select one more to compare</span>
      )}
      {path !== null && (
        <ButtonLink icon={GitCompareArrows} href={path} variant="primary">
          Compare
        </ButtonLink>
      )}
    </>
  );
}
