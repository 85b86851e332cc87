import { Brain } from "lucide-react";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";

/** What a model lets be seen of its thinking: folded away, unless it is all there is so far. */
export function Reasoning({ text, growing = false }: { text: string; growing?: boolean }) {
  if (text.trim() === "") return null;
  return (
    <details className="min-w-0 text-mute text-xs" {...(growing ? { open: true } : {})}>
      <summary className="flex w-fit items-center gap-1.5 rounded-xs hover:text-text">
        <Brain aria-hidden size={13} strokeWidth={1.6} />
        Reasoning
      </summary>
      <div className="mt-1 max-h-60 overflow-auto border-line2 border-l-2 pl-3">
        <ClippedText text={text} label="Reasoning" />
      </div>
    </details>
  );
}
