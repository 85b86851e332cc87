"use client";

import { ChevronRight, ExternalLink, Wrench } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { memo, useId, useState } from "react";
import { CallQuestions } from "@/app/_components/interactions/call-questions";
import { useExecutionLogs } from "@/app/_components/live/live-provider";
import { ProgressBar } from "@/app/_components/result/progress-bar";
import { useNow } from "@/app/_components/result/use-now";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { Skeleton } from "@/app/_ui/skeleton";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { ExecutionStatus } from "@/lib/contract/envelope";
import { formatDuration } from "@/lib/format";
import type { RunCall } from "@/lib/run/transcript-of";
import { CallData } from "./call-data";
import { CallResult } from "./call-result";
import { argumentsPreview, callStatus, statusWord } from "./call-status";

const ApprovalCard = dynamic(
  () => import("@/app/_components/approvals/approval-card").then((module) => module.ApprovalCard),
  { ssr: false, loading: () => <Skeleton className="h-24" /> },
);

export interface CallCardProps {
  call: RunCall;
  executions: ReadonlyMap<string, ExecutionStatus>;
  /** Its turn goes on. */
  open: boolean;
}

/** One tool call of a model: a line that unfolds; by itself where a person is asked or something went wrong. */
export const CallCard = memo(function CallCard({ call, executions, open }: CallCardProps) {
  const shown = callStatus(call, executions, open);
  const [unfolded, setUnfolded] = useState<boolean | null>(null);
  const [asked, setAsked] = useState(false);
  const waiting = shown.status === "waiting";
  // Whoever was asked here is told here what became of it.
  if (waiting && !asked) setAsked(true);
  const failed = shown.status === "failed" || shown.status === "timed_out";
  const isOpen = unfolded ?? (asked || failed);
  const panelId = useId();
  const edited = call.result?.editedArguments;
  const ran = edited ?? call.argumentsText;
  return (
    <article
      aria-label={`Call of ${call.name}`}
      data-status={statusWord(shown.status)}
      data-call={call.callId}
      className={cx("min-w-0 rounded-lg border bg-panel", waiting ? "border-warn" : "border-line")}
    >
      <div className="flex items-center gap-2 pr-1.5">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={panelId}
          onClick={() => setUnfolded(!isOpen)}
          className="-outline-offset-2 flex min-w-0 flex-1 items-center gap-2 rounded-lg py-1.5 pl-2 text-left"
        >
          <ChevronRight
            aria-hidden
            size={13}
            strokeWidth={1.6}
            className={cx("shrink-0 text-faint transition-transform duration-100", isOpen && "rotate-90")}
          />
          <Wrench aria-hidden size={13} strokeWidth={1.6} className="shrink-0 text-mute" />
          <span className="max-w-3/5 shrink-0 truncate font-medium font-mono text-xs">{call.name}</span>
          <span className="min-w-0 truncate font-mono text-mute text-xs">{argumentsPreview(ran)}</span>
        </button>
        {edited !== undefined && <Badge title="A person changed the arguments before it ran">edited</Badge>}
        {call.recorded && <Badge title="Taken from the log of the run that this one repeats">recorded</Badge>}
        <CallTime call={call} running={shown.status === "running"} />
        <StatusBadge status={shown.status} {...(shown.label === undefined ? {} : { label: shown.label })} />
        {call.executionId !== null && (
          <Link
            href={`/executions/${encodeURIComponent(call.executionId)}`}
            aria-label={`Execution of ${call.name}`}
            title="Open the execution"
            className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-mute hover:bg-line hover:text-text"
          >
            <ExternalLink aria-hidden size={13} strokeWidth={1.6} />
          </Link>
        )}
      </div>
      {shown.status === "running" && call.executionId !== null && <RunningCall executionId={call.executionId} />}
      <div id={panelId} hidden={!isOpen} className="border-line border-t p-2.5">
        {isOpen && (
          <div className="flex min-w-0 flex-col gap-2.5">
            {asked && call.executionId !== null && <ApprovalCard executionId={call.executionId} compact />}
            {!waiting && <CallArguments text={ran} />}
            {call.result !== null && <CallResult result={call.result} />}
          </div>
        )}
      </div>
    </article>
  );
});

function CallArguments({ text }: { text: string }) {
  return (
    <section aria-label="Arguments" className="flex min-w-0 flex-col gap-1">
      <p className="text-mute text-xs">Arguments</p>
      {text.trim() === "" ? <p className="text-mute text-xs">none</p> : <CallData text={text} label="Arguments" />}
    </section>
  );
}

const STEP_MS = 100;

function CallTime({ call, running }: { call: RunCall; running: boolean }) {
  if (running && call.startedAt !== null) return <Elapsed since={call.startedAt} />;
  if (call.durationMs === null || call.executionId === null) return null;
  return <span className="shrink-0 font-mono text-2xs text-mute tabular-nums">{formatDuration(call.durationMs)}</span>;
}

/** Time that passes; nothing in the server's HTML. */
export function Elapsed({ since }: { since: number }) {
  const now = useNow(STEP_MS);
  if (now === null) return null;
  return (
    <span className="shrink-0 font-mono text-2xs text-mute tabular-nums">
      {formatDuration(Math.max(0, now - since))}
    </span>
  );
}

/** What a call says while it runs, and what its server asks. */
function RunningCall({ executionId }: { executionId: string }) {
  const { progress } = useExecutionLogs(executionId);
  return (
    <div className="px-2.5 pb-2 empty:hidden">
      {progress !== null && <ProgressBar progress={progress} />}
      <CallQuestions execution={{ id: executionId, serverName: null }} />
    </div>
  );
}
