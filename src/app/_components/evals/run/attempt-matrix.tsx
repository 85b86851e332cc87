import { Check, Minus, X } from "lucide-react";
import { Card } from "@/app/_ui/card";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { EvalAttempt, EvalRunDetail } from "@/lib/contract/eval";
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

/** Evals down, rounds across; an attempt that is a run leads to its transcript. */
export function AttemptMatrix({ run }: { run: EvalRunDetail }) {
  const rows = toRows(run);
  return (
    <Card title="Attempts">
      <ScrollRegion label="Attempts by eval and round">
        <table className="w-full text-left">
          <thead className="text-mute text-xs">
            <tr className="border-line border-b">
              <th scope="col" className="py-1.5 pr-3 pl-3.5 font-normal">
                Eval
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
                  <span className="line-clamp-3 block font-medium [overflow-wrap:anywhere]">{row.title}</span>
                  <span className="block text-mute text-xs [overflow-wrap:anywhere]">{row.description}</span>
                </th>
                {row.cells.map((cell) => (
                  <td key={cell.round} className="px-1 py-1.5 text-center">
                    <AttemptCell cell={cell} title={row.title} />
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

function AttemptCell({ cell, title }: { cell: Cell; title: string }) {
  const { attempt, status, round } = cell;
  const look = cx("mx-auto grid size-7 place-items-center rounded-md", LOOK[status]);
  const facts =
    attempt && [WORDS[status], formatDuration(attempt.durationMs), attempt.reason].filter(Boolean).join(" · ");
  if (attempt === null || attempt.runId === null) {
    return (
      <span data-status={status} title={facts?.slice(0, MAX_TITLE_CHARS) ?? WORDS[status]} className={look}>
        <Sign status={status} />
        <span className="sr-only">{WORDS[status]}</span>
      </span>
    );
  }
  return (
    <Link
      href={`/runs/${encodeURIComponent(attempt.runId)}`}
      data-status={status}
      title={facts?.slice(0, MAX_TITLE_CHARS)}
      aria-label={`${title}, round ${round}: ${WORDS[status]}, transcript`}
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

/** The status of one attempt: `pending` has not started, `skipped` was not reached before the run ended. */
type CellStatus = "passed" | "failed" | "pending" | "skipped";

interface Cell {
  round: number;
  status: CellStatus;
  attempt: EvalAttempt | null;
}

interface Row {
  id: string;
  title: string;
  description: string;
  passed: number;
  cells: Cell[];
}

/** A run as a table: a row an eval, a column a round. */
function toRows({ items, attempts, rounds, status }: EvalRunDetail): Row[] {
  const known = new Map(attempts.map((attempt) => [`${attempt.round} ${attempt.item}`, attempt]));
  return items.map((item) => {
    const cells = Array.from({ length: rounds }, (_, at): Cell => {
      const round = at + 1;
      const attempt = known.get(`${round} ${item.id}`) ?? null;
      if (attempt === null) return { round, attempt, status: status === "running" ? "pending" : "skipped" };
      return { round, attempt, status: attempt.passed ? "passed" : "failed" };
    });
    return { ...item, cells, passed: cells.filter((cell) => cell.status === "passed").length };
  });
}
