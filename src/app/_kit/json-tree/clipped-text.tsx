import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { formatCount } from "@/lib/format";

/** Rendering more than this at once stalls a browser; the rest is rendered on request. */
const STEP_CHARS = 100_000;

interface ClippedTextProps {
  text: string;
  /** Accessible name of the area. */
  label: string;
}

/** Text with its line breaks, long text in steps. */
export function ClippedText({ text, label }: ClippedTextProps) {
  const [shown, setShown] = useState(STEP_CHARS);
  const hidden = text.length - shown;
  return (
    <div className="flex flex-col items-start gap-2">
      <ScrollRegion label={label} className="w-full">
        <pre dir="auto" className="whitespace-pre-wrap font-mono text-xs leading-5 [overflow-wrap:anywhere]">
          {hidden > 0 ? text.slice(0, shown) : text}
        </pre>
      </ScrollRegion>
      {hidden > 0 && (
        <Button onClick={() => setShown(shown + 5 * STEP_CHARS)}>
          Show more ({formatCount(hidden)} characters left)
        </Button>
      )}
    </div>
  );
}
