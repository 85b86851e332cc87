import { QualityList } from "@/app/_components/tools/tool-badges";
import { Badge } from "@/app/_ui/badge";
import { formatPlural } from "@/lib/format";
import type { DefinitionCheck } from "./use-definition-check";

export interface CheckPanelProps {
  check: DefinitionCheck;
  problems: readonly string[];
  /** Nothing has been written yet. */
  untouched: boolean;
}

/** The verdict on the definition as it stands. */
export function CheckPanel({ check, problems, untouched }: CheckPanelProps) {
  return (
    <section aria-label="Check" className="flex flex-col gap-3 rounded-lg border border-line bg-panel p-3.5">
      <div role="status" className="flex items-center gap-2">
        <h2 className="font-medium">Check</h2>
        {!check.current && <Badge>checking…</Badge>}
        {check.current && check.failure === null && problems.length === 0 && <Badge tone="ok">can be saved</Badge>}
        {problems.length > 0 && (
          <Badge tone={untouched ? "neutral" : "bad"}>
            {untouched ? `${problems.length} to fill in` : formatPlural(problems.length, "problem")}
          </Badge>
        )}
      </div>
      {check.failure !== null && <p className="text-bad">The definition could not be checked: {check.failure}</p>}
      {problems.length > 0 && (
        <ul aria-label="Problems" className="flex list-disc flex-col gap-1 pl-4 [overflow-wrap:anywhere]">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {check.quality.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium text-mute text-xs">Worth knowing; it can be saved all the same</h3>
          <QualityList notes={check.quality} />
        </div>
      )}
    </section>
  );
}
