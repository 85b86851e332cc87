"use client";

import { Badge } from "@/app/_ui/badge";
import { formatPlural } from "@/lib/format";
import type { SettingsCheck, SettingsProblem } from "./use-settings-check";

export interface CheckPanelProps {
  check: SettingsCheck;
  /** Nothing has been written yet. */
  untouched: boolean;
  onGoTo: (field: string) => void;
}

/** The verdict on the settings as they stand; each problem leads to its field. */
export function CheckPanel({ check, untouched, onGoTo }: CheckPanelProps) {
  const { problems, notes } = check;
  return (
    <section aria-label="Check" className="flex flex-col gap-3 rounded-lg border border-line bg-panel p-3.5">
      <div role="status" className="flex items-center gap-2">
        <h2 className="font-medium">Check</h2>
        {!check.current && <Badge>checking…</Badge>}
        {check.current && check.failure === null && problems.length === 0 && <Badge tone="ok">can be saved</Badge>}
        {check.current && problems.length > 0 && (
          <Badge tone={untouched ? "neutral" : "bad"}>
            {untouched ? `${problems.length} to fill in` : formatPlural(problems.length, "problem")}
          </Badge>
        )}
      </div>
      {check.failure !== null && <p className="text-bad">The settings could not be checked: {check.failure}</p>}
      {problems.length > 0 && (
        <ul aria-label="Problems" className="flex flex-col gap-1 [overflow-wrap:anywhere]">
          {problems.map((problem) => (
            <li key={`${problem.field} ${problem.message}`}>
              <ProblemLine problem={problem} onGoTo={onGoTo} />
            </li>
          ))}
        </ul>
      )}
      {notes.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium text-mute text-xs">Worth knowing</h3>
          <ul className="flex list-disc flex-col gap-1 pl-4 text-mute">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </div>
      )}
      <p className="border-line border-t pt-3 text-mute text-xs">
        <code className="font-mono">$&#123;VAR&#125;</code> and{" "}
        <code className="font-mono">$&#123;VAR:-default&#125;</code> in command, arguments, environment, address and
        headers are filled in from the environment of the Toolroom server each time it connects.
      </p>
    </section>
  );
}

function ProblemLine({ problem, onGoTo }: { problem: SettingsProblem; onGoTo: (field: string) => void }) {
  if (problem.field === "") return <p>{problem.message}</p>;
  return (
    <button type="button" onClick={() => onGoTo(problem.field)} className="rounded-xs text-left hover:underline">
      <span className="font-mono text-xs">{problem.field}</span> {problem.message}
    </button>
  );
}
