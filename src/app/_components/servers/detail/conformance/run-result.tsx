import { parseAsStringLiteral, useQueryState } from "nuqs";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { Alert } from "@/app/_ui/alert";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { EmptyState } from "@/app/_ui/empty-state";
import { FactList } from "@/app/_ui/fact-list";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Segmented } from "@/app/_ui/segmented";
import { sortChecks } from "@/lib/conformance/compare-checks";
import type { ConformanceCheck, ConformanceRunDetail } from "@/lib/contract/conformance";
import { CONFORMANCE_OUTCOMES, type ConformanceOutcome } from "@/lib/contract/conformance-outcome";
import { formatDuration } from "@/lib/format";
import { describeComparison, GROUP_WORDS, OUTCOME_WORDS } from "./conformance-words";

const SHOWN = ["all", "changed", ...CONFORMANCE_OUTCOMES] as const;
type Shown = (typeof SHOWN)[number];
const SHOWN_WORDS: Record<Shown, string> = { all: "All", changed: "Changed", ...OUTCOME_WORDS };
const TONES: Record<ConformanceOutcome, BadgeTone> = {
  failed: "bad",
  warning: "warn",
  passed: "ok",
  skipped: "neutral",
};
/** Rows that are rendered at first, and with each step. */
const STEP = 100;

type Change = "new" | "fixed";
interface Row extends ConformanceCheck {
  change: Change | null;
}

/** A run: what differs from the run before, and its checks by outcome. */
export function RunResult({ run }: { run: ConformanceRunDetail }) {
  const [shown, setShown] = useQueryState("outcome", parseAsStringLiteral(SHOWN).withDefault("all"));
  const rows = toRows(run);
  const count = (each: Shown): number => rows.filter((row) => isShown(row, each)).length;
  const options = SHOWN.filter((each) => each === "all" || each === shown || count(each) > 0).map((value) => ({
    value,
    label: `${SHOWN_WORDS[value]} ${count(value)}`,
  }));
  return (
    <section aria-label="Results" className="flex flex-col gap-3">
      <RunFacts run={run} />
      {run.error !== null && <Alert tone={run.status === "failed" ? "bad" : "warn"} title={run.error} />}
      {run.status === "running" ? (
        <p role="status" className="text-mute" data-status="running">
          {run.step ?? "Starting"}…
        </p>
      ) : (
        <>
          <div className="overflow-x-auto">
            <Segmented label="Outcome" value={shown} options={options} onChange={(next) => void setShown(next)} />
          </div>
          <div className="overflow-x-auto rounded-lg border border-line bg-panel">
            {rows.length === 0 ? (
              <EmptyState title="No results" />
            ) : (
              <DataTable
                look="panel"
                label="Checks"
                columns={COLUMNS}
                rows={rows.filter((row) => isShown(row, shown))}
                toKey={({ id }) => id}
                step={STEP}
              />
            )}
          </div>
        </>
      )}
    </section>
  );
}

function toRows({ checks, comparison }: ConformanceRunDetail): Row[] {
  const isFirst = comparison === null || comparison.before === null;
  const fresh = new Set(isFirst ? [] : comparison.newFailures);
  const fixed = new Set(isFirst ? [] : comparison.fixed);
  return sortChecks(checks).map((check) => ({
    ...check,
    change: fresh.has(check.id) ? "new" : fixed.has(check.id) ? "fixed" : null,
  }));
}

function isShown({ outcome, change }: Row, shown: Shown): boolean {
  if (shown === "all") return true;
  return shown === "changed" ? change !== null : outcome === shown;
}

function RunFacts({ run }: { run: ConformanceRunDetail }) {
  const { versions, startedAt, finishedAt, actor } = run;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-mute text-xs">
        Started by {actor.name} <RelativeTime at={startedAt} />
        {finishedAt !== null && ` · took ${formatDuration(finishedAt - startedAt)}`}
      </p>
      <p className="empty:hidden">{describeComparison(run)}</p>
      {versions !== null && (
        <FactList
          facts={[
            ["Server", versions.server],
            ["Protocol", versions.protocol.join(", ") || null],
            ["Official suite", versions.suite],
            ["Toolroom", versions.toolroom],
          ]}
          className="text-xs"
        />
      )}
    </div>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    head: "Outcome",
    className: "pl-3.5",
    cellClass: "whitespace-nowrap align-top",
    render: ({ outcome, change }) => (
      <span className="inline-flex items-center gap-1">
        <Badge tone={TONES[outcome]} data-status={outcome}>
          {outcome}
        </Badge>
        {change !== null && <Badge tone="accent">{change}</Badge>}
      </span>
    ),
  },
  {
    head: "Check",
    cellClass: "w-full py-1.5 align-top [overflow-wrap:anywhere]",
    render: ({ id, title, message }) => (
      <>
        <p>{title}</p>
        {message !== null && <p className="whitespace-pre-wrap text-mute text-xs">{message}</p>}
        <p className="font-mono text-2xs text-faint">{id}</p>
      </>
    ),
  },
  {
    head: "Group",
    className: "pr-3.5 max-md:hidden",
    cellClass: "whitespace-nowrap align-top text-mute text-xs",
    render: ({ group }) => GROUP_WORDS[group],
  },
];
