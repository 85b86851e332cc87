import { Check, Copy } from "lucide-react";
import { useRef, useState } from "react";
import { IconButton } from "./button";

interface CopyButtonProps {
  text: string;
  /** The name of the action: `Copy result`. */
  label: string;
  className?: string;
}

const SHOWN_MS = 1_500;

type Outcome = "idle" | "copied" | "failed";

export function CopyButton({ text, label, className }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<Outcome>("idle");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  async function copy(): Promise<void> {
    let next: Outcome = "copied";
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Refused by the browser, or no secure context.
      next = "failed";
    }
    setOutcome(next);
    // An earlier press must not end the display of this one's outcome.
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOutcome("idle"), SHOWN_MS);
  }

  return (
    <IconButton label={label} onClick={() => void copy()} className={className}>
      {outcome === "copied" ? (
        <Check size={15} className="text-ok" />
      ) : (
        <Copy size={15} className={outcome === "failed" ? "text-bad" : undefined} />
      )}
      <span role="status" className="sr-only">
        {outcome === "copied" && "Copied"}
        {outcome === "failed" && "Couldn't copy"}
      </span>
    </IconButton>
  );
}
