import { Check, Minus, X } from "lucide-react";
import { Card } from "@/app/_ui/card";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { ModelCheckAttempt, ModelCheckDetail } from "@/lib/contract/model";
import { formatDuration } from "@/lib/format";

const LOOK: Record<CellStatus, string> = {
  passed: "bg-ok-bg text-ok",
  failed: "bg-bad-bg text-bad",
  pending: "bg-line text-mute",
  skipped: "text-faint",
};

const WORDS: Record<CellStatus, string> = {
  passed: "passed",
  failed: "failed",
  pending: "pending",
  skipped: "skipped",
};

/** Scenarios down, rounds across; each attempt leads to its transcript. */
export function CheckMatrix({ check }: { check: ModelCheckDetail }) {
  const rows = scenarioRows(check);
  return (
    <Card title="Attempts">
      <ScrollRegion label="Attempts by scenario and round">
        <table className="w-full text-left">
          <thead className="text-mute text-xs">
            <tr className="border-line border-b">
              <th scope="col" className="py-1.5 pr-3 pl-3.5 font-normal">
                Scenario
              </th>
              {rows[0]?.cells.map(({ round }) => (
                <th key={round} scope="col" className="w-9 px-1 py-1.5 text-center font-normal">
                  <span className="sr-only">Round </span>
                  {round}
                </th>
              ))}
              <th scope="col" className="py-1.5 pr-3.5 pl-2 text-right font-normal">
                Passed
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id} className="border-line border-b last:border-b-0">
                <th scope="row" className="min-w-44 py-1.5 pr-3 pl-3.5 text-left font-normal">
                  <span className="block font-medium">{row.title}</span>
                  <span className="block text-mute text-xs">{row.description}</span>
                </th>
                {row.cells.map((cell) => (
                  <td key={cell.round} className="px-1 py-1.5 text-center">
                    <AttemptCell cell={cell} scenario={row.title} />
                  </td>
                ))}
                <td className="whitespace-nowrap py-1.5 pr-3.5 pl-2 text-right font-mono text-xs tabular-nums">
                  {row.passed} / {row.cells.length}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  );
}

function AttemptCell({ cell, scenario }: { cell: Cell; scenario: string }) {
  const { attempt, status, round } = cell;
  const look = cx("mx-auto grid size-7 place-items-center rounded-md", LOOK[status]);
  if (attempt === null || attempt.runId === null) {
    return (
      <span data-status={status} title={attempt?.reason ?? WORDS[status]} className={look}>
        <Sign status={status} />
        <span className="sr-only">{WORDS[status]}</span>
      </span>
    );
  }
  const title = [WORDS[status], formatDuration(attempt.durationMs), attempt.reason].filter(Boolean).join(" · ");
  return (
    <Link
      href={`/runs/${encodeURIComponent(attempt.runId)}`}
      data-status={status}
      title={title.slice(0, MAX_TITLE_CHARS)}
      aria-label={`${scenario}, round ${round}: ${WORDS[status]}, transcript`}
      className={cx(look, "hover:ring-1 hover:ring-current")}
    >
      <Sign status={status} />
    </Link>
  );
}

const MAX_TITLE_CHARS = 500;

function Sign({ status }: { status: CellStatus }) {
  if (status === "passed") return <Check aria-hidden size={15} strokeWidth={1.8} />;
  if (status === "failed") return <X aria-hidden size={15} strokeWidth={1.8} />;
  return <Minus aria-hidden size={15} strokeWidth={1.6} />;
}

/** How one attempt stands: `pending` it is still to come, `skipped` the check ended before it. */
type CellStatus = "passed" | "failed" | "pending" | "skipped";

interface Cell {
  round: number;
  status: CellStatus;
  attempt: ModelCheckAttempt | null;
}

interface ScenarioRow {
  id: string;
  title: string;
  description: string;
  passed: number;
  cells: Cell[];
}

/** A check as a table: a row a scenario, a column a round. */
function scenarioRows({ scenarios, attempts, rounds, status }: ModelCheckDetail): ScenarioRow[] {
  const known = new Map(attempts.map((attempt) => [`${attempt.round} ${attempt.scenario}`, attempt]));
  return scenarios.map((scenario) => {
    const cells = Array.from({ length: rounds }, (_, at): Cell => {
      const round = at + 1;
      const attempt = known.get(`${round} ${scenario.id}`) ?? null;
      if (attempt === null) return { round, attempt, status: status === "running" ? "pending" : "skipped" };
      return { round, attempt, status: attempt.passed ? "passed" : "failed" };
    });
    return { ...scenario, cells, passed: cells.filter((cell) => cell.status === "passed").length };
  });
}
