import { X } from "lucide-react";
import { Button } from "@/app/_ui/button";

/** Says that only the calls of one toolset are shown. */
export function ToolsetChip({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <Button size="md" title={name} className="border-edge! font-normal text-accent" onClick={onRemove}>
      <span className="max-w-52 truncate">
        Toolset <span className="font-mono text-xs">{name}</span>
      </span>
      <X aria-hidden size={13} strokeWidth={1.6} />
      <span className="sr-only">, show every toolset</span>
    </Button>
  );
}
