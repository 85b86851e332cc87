"use client";

import { ArrowLeftRight } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { FoldedRows } from "@/app/_components/executions/diff/folded-rows";
import { OlderEventsButton } from "@/app/_components/runs/detail/older-events-button";
import { isLive, type RunState } from "@/app/_components/runs/detail/run-state";
import { useRun } from "@/app/_components/runs/detail/use-run";
import { ACTIVE_TIME_HINT, ActiveTime } from "@/app/_components/runs/summary/active-time";
import { toCompareRunsPath } from "@/app/_components/runs/summary/compare-path";
import { RunBadge } from "@/app/_components/runs/summary/run-badge";
import { formatCost, formatTokens } from "@/app/_components/runs/summary/run-figure-words";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { Button, ButtonLink } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { formatPlural } from "@/lib/format";
import { buildTurns } from "@/lib/run/build-turns";
import { type ComparedPart, compareRuns, type RunComparison, type RunPart } from "@/lib/run/compare-runs";
import { addLaterEvents } from "@/lib/run/run-figures";
import { CallCard } from "../detail/call-card";
import { AnswerView } from "../detail/step-view";
import { LoggedMessage } from "../detail/turn-view";

/** Rows put on the page at once. */
const SHOWN_ROWS = 200;

const KINDS: Record<ComparedPart["kind"], { label: string; tone: BadgeTone; edge: string }> = {
  same: { label: "Same", tone: "neutral", edge: "border-l-transparent" },
  changed: { label: "Changed", tone: "warn", edge: "border-l-warn" },
  removed: { label: "Removed", tone: "bad", edge: "border-l-bad" },
  added: { label: "Added", tone: "ok", edge: "border-l-ok" },
};

interface RunsSideBySideProps {
  leftId: string;
  /** Null while the second run is to be chosen. */
  rightId: string | null;
}

/** Two runs, both live, with the parts that belong together beside each other. */
export function RunsSideBySide({ leftId, rightId }: RunsSideBySideProps) {
  const left = useWholeRun(leftId);
  const right = useWholeRun(rightId);
  const comparison = useComparison(left, right);
  const hasDifference = comparison !== null && comparison.first !== null;
  const scroller = useRef<HTMLDivElement>(null);
  // Outside system: the scroll position.
  useEffect(() => {
    if (hasDifference) showParting(scroller.current);
  }, [hasDifference]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader
        title="Compare runs"
        badges={
          comparison !== null && (
            <span role="status" className="text-mute text-xs">
              {summarize(comparison)}
            </span>
          )
        }
        actions={
          rightId !== null && (
            <>
              {hasDifference && <Button onClick={() => showParting(scroller.current)}>First difference</Button>}
              <ButtonLink icon={ArrowLeftRight} href={toCompareRunsPath(rightId, leftId)} replace>
                Swap
              </ButtonLink>
            </>
          )
        }
      />
      <div ref={scroller} className="min-h-0 flex-1 overflow-auto">
        <div className="grid divide-line border-line border-b bg-panel max-lg:divide-y lg:grid-cols-2 lg:divide-x">
          <RunHead run={left} label="Left run" />
          {rightId !== null && <RunHead run={right} label="Right run" />}
        </div>
        {rightId === null && <EmptyState title="Choose a run from the list to compare with" />}
        {comparison !== null && left.state !== null && right.state !== null && (
          <div className="p-4">
            <ComparedRows left={left.state} right={right.state} comparison={comparison} />
          </div>
        )}
      </div>
    </div>
  );
}

/** Brings the first difference to the top, without scrolling the page around it. */
function showParting(scroller: HTMLElement | null): void {
  const line = scroller?.querySelector("[data-parting]");
  if (!scroller || !line) return;
  scroller.scrollTop += line.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
}

function summarize({ rows, first, firstCall }: RunComparison): string {
  if (first === null) return "No differences";
  const counts = (["changed", "added", "removed"] as const).map((kind) => {
    const count = rows.filter((row) => row.kind === kind).length;
    return count === 0 ? null : `${count} ${kind}`;
  });
  const row = rows[firstCall ?? first];
  const step = (row?.left ?? row?.right)?.step;
  return `${counts.filter((text) => text !== null).join(", ")}, ${firstCall === null ? "from" : "first call in"} step ${step}`;
}

/** Events of a longer log are loaded only when asked for. */
const MOST_EVENTS = 20_000;

/** A run with its log from the beginning. */
function useWholeRun(id: string | null) {
  const run = useRun(id);
  const { count, loading, error, load } = run.older;
  const isWhole = count === 0 || (run.state?.events.length ?? 0) >= MOST_EVENTS;
  const asked = useRef<string>(null);
  const page = `${id} ${count}`;
  // Requests the parts of a long log from the server, each once.
  useEffect(() => {
    if (isWhole || loading || error !== null || asked.current === page) return;
    asked.current = page;
    load();
  });
  return { ...run, isWhole };
}

type WholeRun = ReturnType<typeof useWholeRun>;

/** Null until both runs are read. */
function useComparison(left: WholeRun, right: WholeRun): RunComparison | null {
  const [one, other] = [left, right].map(({ state, isWhole }) => (isWhole && state !== null ? state.events : null));
  return useMemo(() => (one && other ? compareRuns(buildTurns(one), buildTurns(other)) : null), [one, other]);
}

function RunHead({ run: { state, error, refetch, older }, label }: { run: WholeRun; label: string }) {
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-0.5 px-4 py-2">
      {state !== null && <KnownHead state={state} />}
      {state !== null && <OlderEventsButton older={older} />}
      {state === null && error === null && <ViewSkeleton of="runTab" />}
      {state === null && error !== null && (
        <ErrorState title="Couldn't load the run" message={error.message} onRetry={() => void refetch()} />
      )}
    </section>
  );
}

function KnownHead({ state: { detail, events } }: { state: RunState }) {
  const figures = useMemo(() => addLaterEvents(detail, events), [detail, events]);
  const tokens = formatTokens(detail.usage);
  return (
    <>
      <div className="flex min-w-0 items-center gap-2">
        <Link href={`/runs/${encodeURIComponent(detail.id)}`} className="min-w-0 truncate font-medium hover:underline">
          <bdi>{detail.title === "" ? detail.id : detail.title}</bdi>
        </Link>
        <RunBadge run={detail} />
      </div>
      <p className="flex min-w-0 flex-wrap gap-x-2 text-mute text-xs tabular-nums">
        <span className="font-mono">
          {detail.provider} / {detail.model}
        </span>
        <span title={ACTIVE_TIME_HINT}>
          <ActiveTime figures={figures} /> active
        </span>
        <span>{formatPlural(figures.modelCalls, "model call")}</span>
        <span>{formatPlural(figures.toolCalls, "tool call")}</span>
        {tokens !== null && <span>{tokens}</span>}
        {detail.cost !== null && <span>{formatCost(detail.cost)}</span>}
      </p>
      {detail.error !== null && <p className="text-bad text-xs [overflow-wrap:anywhere]">{detail.error}</p>}
    </>
  );
}

interface ComparedRowsProps {
  left: RunState;
  right: RunState;
  comparison: RunComparison;
}

/** The aligned parts of two runs beside each other; one below the other on a narrow screen. */
function ComparedRows({ left, right, comparison: { rows, first, firstCall } }: ComparedRowsProps) {
  const parting = firstCall ?? first;
  return (
    <FoldedRows
      rows={rows}
      noun="step"
      limit={SHOWN_ROWS}
      render={({ at, row }) => (
        <div key={at} className="border-line border-b last:border-b-0">
          {parting === at && (
            <p
              data-parting=""
              className="flex items-center gap-3 px-3 pt-2 text-warn text-xs before:h-px before:flex-1 before:bg-warn after:h-px after:flex-1 after:bg-warn"
            >
              {firstCall === null ? "The runs differ from here" : "First diverging call"}
            </p>
          )}
          <Row row={row} left={left} right={right} />
        </div>
      )}
    />
  );
}

function Row({ row, left, right }: { row: ComparedPart; left: RunState; right: RunState }) {
  const { label, tone, edge } = KINDS[row.kind];
  const part = row.left ?? row.right;
  const note = row.changed === undefined ? label : `${label}: ${row.changed}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      role="group"
      aria-label={`${note}, ${part === null ? "" : describePart(part)}`}
      data-compared={row.kind}
      className={cx("grid min-w-0 grid-cols-[minmax(0,1fr)] border-l-2 lg:grid-cols-2", edge)}
    >
      {row.kind !== "same" && (
        <p className="px-3 pt-2 lg:col-span-2">
          <Badge tone={tone}>{note}</Badge>
        </p>
      )}
      <Side part={row.left} state={left} label="Left" className="lg:border-line lg:border-r" />
      {/* The one-column layout of narrow screens shows equal steps once. */}
      <Side part={row.right} state={right} label="Right" className={row.kind === "same" ? "max-lg:hidden" : ""} />
    </div>
  );
}

interface SideProps {
  part: RunPart | null;
  state: RunState;
  label: string;
  className: string;
}

function Side({ part, state, label, className }: SideProps) {
  if (part === null) return <div aria-hidden className={cx("bg-rail max-lg:hidden", className)} />;
  return (
    <div className={cx("flex min-w-0 flex-col gap-1 px-3 py-2", className)}>
      <p className="font-mono text-2xs text-mute">
        {label} #{part.step}
      </p>
      <PartView part={part} state={state} />
    </div>
  );
}

function PartView({ part, state: { detail, executions } }: { part: RunPart; state: RunState }) {
  switch (part.kind) {
    case "message":
      return <LoggedMessage runId={detail.id} turn={part.turn} />;
    case "call":
      return <CallCard runId={detail.id} call={part.call} executions={executions} open={isLive(detail.status)} />;
    case "text": {
      const { answer, failure } = part.of;
      if (answer !== null) return <AnswerView runId={detail.id} answer={answer} />;
      return <p className="text-bad text-sm [overflow-wrap:anywhere]">{failure?.error}</p>;
    }
  }
}

const describePart = (part: RunPart): string =>
  part.kind === "call" ? `call of ${part.call.name}` : part.kind === "text" ? "response" : "message";
