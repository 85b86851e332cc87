import type { ReactNode } from "react";
import { Badge } from "@/app/_ui/badge";
import { describeProblem, type Problem } from "@/lib/contract/problem";
import { formatPlural } from "@/lib/format";

interface CheckPanelProps {
  /** The noun of the check, as in "Couldn't check the definition". */
  subject: string;
  /** False while the newest draft has not been checked. */
  current: boolean;
  /** The message of a check that itself failed; null otherwise. */
  failure: string | null;
  problems: readonly Problem[];
  /** How many there are: fields show some of them, and none is listed before it is looked for. */
  total: number;
  /** Nothing has been written, or no attempt to save has been made: no problem is counted yet. */
  untouched: boolean;
  /** Leads to the field of a problem. */
  onGoTo?: (path: string) => void;
  /** Content below the problems. */
  children?: ReactNode;
}

/** The server's verdict on the current draft. */
export function CheckPanel(props: CheckPanelProps) {
  const { subject, current, failure, problems, total, untouched, onGoTo, children } = props;
  return (
    <section aria-label="Check" className="flex flex-col gap-3 rounded-lg border border-line bg-panel p-3.5">
      <div role="status" className="flex items-center gap-2">
        <h2 className="font-medium">Check</h2>
        {!current && <Badge>Checking…</Badge>}
        {current && failure === null && total === 0 && <Badge tone="ok">Ready to save</Badge>}
        {total > 0 &&
          (untouched ? <Badge>Not ready to save</Badge> : <Badge tone="bad">{formatPlural(total, "problem")}</Badge>)}
      </div>
      {failure !== null && (
        <p className="text-bad">
          Couldn't check the {subject}: {failure}
        </p>
      )}
      {problems.length > 0 && (
        <ul aria-label="Problems" className="flex flex-col gap-1 [overflow-wrap:anywhere]">
          {problems.map((problem) => (
            <li key={describeProblem(problem)}>
              <ProblemLine problem={problem} onGoTo={onGoTo} />
            </li>
          ))}
        </ul>
      )}
      {children}
    </section>
  );
}

function ProblemLine({ problem, onGoTo }: { problem: Problem; onGoTo: CheckPanelProps["onGoTo"] }) {
  const { path, message } = problem;
  if (path === "" || onGoTo === undefined) return <p>{describeProblem(problem)}</p>;
  return (
    <button type="button" onClick={() => onGoTo(path)} className="rounded-xs text-left hover:underline">
      <span className="font-mono text-xs">{path}</span> {message}
    </button>
  );
}
