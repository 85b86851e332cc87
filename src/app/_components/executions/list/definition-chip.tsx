import { X } from "lucide-react";
import { Button } from "@/app/_ui/button";

/** Says that only the calls of one version of a tool are shown. */
export function DefinitionChip({ hash, onRemove }: { hash: string; onRemove: () => void }) {
  return (
    <Button size="md" title={hash} className="border-edge! font-normal text-accent" onClick={onRemove}>
      <span className="max-w-52 truncate">
        Definition <span className="font-mono text-xs">{hash.slice(0, 8)}</span>
      </span>
      <X aria-hidden size={13} strokeWidth={1.6} />
      <span className="sr-only">, show every version</span>
    </Button>
  );
}
