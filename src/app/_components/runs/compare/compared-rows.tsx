"use client";

import { FoldedRows } from "@/app/_components/executions/diff/folded-rows";
import { CallCard } from "@/app/_components/runs/detail/call-card";
import { isLive, type RunState } from "@/app/_components/runs/detail/run-state";
import { AnswerView } from "@/app/_components/runs/detail/step-view";
import { LoggedMessage } from "@/app/_components/runs/detail/turn-view";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import type { ComparedPart, RunComparison, RunPart } from "@/lib/run/compare-runs";

/** Rows put on the page at once. */
const SHOWN_ROWS = 200;

const KINDS: Record<ComparedPart["kind"], { label: string; tone: BadgeTone; edge: string }> = {
  same: { label: "Same", tone: "neutral", edge: "border-l-transparent" },
  changed: { label: "Changed", tone: "warn", edge: "border-l-warn" },
  removed: { label: "Removed", tone: "bad", edge: "border-l-bad" },
  added: { label: "Added", tone: "ok", edge: "border-l-ok" },
};

export interface ComparedRowsProps {
  left: RunState;
  right: RunState;
  comparison: RunComparison;
}

/** The aligned parts of two runs beside each other; one below the other on a narrow screen. */
export function ComparedRows({ left, right, comparison: { rows, first, firstCall } }: ComparedRowsProps) {
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
