import { TriangleAlert } from "lucide-react";
import { Button } from "@/app/_ui/button";
import type { LogLine } from "@/lib/contract/execution";
import { formatPlural } from "@/lib/format";

export interface WarningStripProps {
  lines: readonly LogLine[];
  onShowLog: () => void;
}

/** The warnings and errors of the log, above the result; renders nothing without any. */
export function WarningStrip({ lines, onShowLog }: WarningStripProps) {
  const errors = lines.filter((line) => line.level === "error");
  const warnings = lines.filter((line) => line.level === "warn");
  const first = errors[0] ?? warnings[0];
  if (first === undefined) return null;
  const counts = [
    errors.length > 0 ? formatPlural(errors.length, "error") : null,
    warnings.length > 0 ? formatPlural(warnings.length, "warning") : null,
  ].filter((part) => part !== null);
  return (
    <section
      aria-label="Warnings"
      className="flex shrink-0 items-start gap-2 border-line border-b bg-warn-bg px-3.5 py-1.5 text-xs"
    >
      <TriangleAlert aria-hidden size={14} strokeWidth={1.6} className="mt-0.5 shrink-0 text-warn" />
      <p className="line-clamp-3 min-w-0 flex-1 [overflow-wrap:anywhere]" title={first.message.slice(0, 1_000)}>
        <span className="font-medium text-warn">{counts.join(", ")}</span> in the log: {first.message.slice(0, 500)}
      </p>
      <Button variant="ghost" onClick={onShowLog} className="h-5!">
        Show log
      </Button>
    </section>
  );
}
