import { ChevronRight, ExternalLink, Wrench } from "lucide-react";
import { memo, useId, useState } from "react";
import { ProgressBar } from "@/app/_components/executions/result/progress-bar";
import { CallQuestions } from "@/app/_components/interactions/call-questions";
import { useWaitsForInput } from "@/app/_components/interactions/summary/use-waits-for-input";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { useNow } from "@/app/_kit/use-now";
import { useExecutionLogs } from "@/app/_live/live-provider";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { Skeleton } from "@/app/_ui/skeleton";
import { type State, StatusBadge, toDataStatus } from "@/app/_ui/status-badge";
import { classifyErrorKind } from "@/lib/contract/call-class";
import type { FunctionResultContent } from "@/lib/contract/chat";
import type { ExecutionStatus } from "@/lib/contract/envelope";
import { formatBytes, formatDuration } from "@/lib/format";
import { formatNode } from "@/lib/json-diff/format-node";
import { parseJsonNode } from "@/lib/json-diff/json-node";
import type { CutPart, RunCall } from "@/lib/run/build-turns";
import { RunText } from "./run-text";

const RunApp = onDemand(() => import("@/app/_components/apps/run-app"), "RunApp", {
  fallback: <Skeleton className="h-8" />,
});
const ApprovalCard = onDemand(() => import("@/app/_components/approvals/detail/approval-card"), "ApprovalCard", {
  fallback: <Skeleton className="h-24" />,
});

interface CallCardProps {
  runId: string;
  call: RunCall;
  executions: ReadonlyMap<string, ExecutionStatus>;
  /** The call's turn is running. */
  open: boolean;
}

/** A tool call of a model, collapsed to a line; open at first when it needs approval or failed. */
export const CallCard = memo(function CallCard({ runId, call, executions, open }: CallCardProps) {
  const shown = toCallStatus(call, executions, open);
  const [unfolded, setUnfolded] = useState<boolean | null>(null);
  const [asked, setAsked] = useState(false);
  const waiting = shown.status === "waiting";
  const waitsForInput = useWaitsForInput(
    { executionId: call.executionId ?? "" },
    shown.status === "running" && call.executionId !== null,
  );
  const badge = waitsForInput ? { status: "input" as const, errorKind: null } : shown;
  // An approval requested here shows its decision here.
  if (waiting && !asked) setAsked(true);
  const failed =
    shown.status === "timed_out" || (shown.status === "failed" && classifyErrorKind(shown.errorKind) !== "rejected");
  const isOpen = unfolded ?? (asked || failed);
  const panelId = useId();
  const edited = call.result?.editedArguments;
  const ran = edited ?? call.argumentsText;
  return (
    <article
      aria-label={`Call of ${call.name}`}
      data-status={toDataStatus(badge.status, badge.errorKind)}
      data-call={call.callId}
      className={cx(
        "min-w-0 rounded-lg border bg-panel",
        toDataStatus(badge.status) === "waiting" ? "border-warn" : "border-line",
      )}
    >
      <div className="flex items-center gap-2 pr-1.5">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={panelId}
          onClick={() => setUnfolded(!isOpen)}
          className="-outline-offset-2 flex min-w-0 flex-1 items-center gap-2 rounded-lg py-1.5 pl-2 text-left max-sm:min-h-10"
        >
          <ChevronRight
            size={13}
            className={cx("shrink-0 text-faint transition-transform duration-100", isOpen && "rotate-90")}
          />
          <Wrench size={13} className="shrink-0 text-mute" />
          <span className="max-w-3/5 shrink-0 truncate font-medium font-mono text-xs">{call.name}</span>
          {!isOpen && <span className="min-w-0 truncate font-mono text-mute text-xs">{argumentsPreview(ran)}</span>}
        </button>
        {edited !== undefined && <Badge title="A user edited the arguments before the call ran">edited</Badge>}
        {call.recorded && <Badge title="Result recorded in the original run">recorded</Badge>}
        <CallTime call={call} running={shown.status === "running"} />
        <StatusBadge status={badge.status} errorKind={badge.errorKind ?? null} label={badge.label} />
        {call.executionId !== null && (
          <Link
            href={`/executions/${encodeURIComponent(call.executionId)}`}
            aria-label={`Execution of ${call.name}`}
            title="Open the execution"
            className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-mute hover:bg-line hover:text-text max-sm:size-10"
          >
            <ExternalLink size={13} />
          </Link>
        )}
      </div>
      {shown.status === "running" && call.executionId !== null && <RunningCall executionId={call.executionId} />}
      {call.result?.app === true && call.executionId !== null && (
        <RunApp executionId={call.executionId} endedAt={call.finishedAt} />
      )}
      <div id={panelId} hidden={!isOpen} className="border-line border-t p-2.5">
        {isOpen && (
          <div className="flex min-w-0 flex-col gap-2.5">
            {asked && call.executionId !== null && <ApprovalCard executionId={call.executionId} compact />}
            {!waiting && !(asked && edited !== undefined) && (
              <RunText runId={runId} text={ran} cut={call.argumentsCut} label="the arguments">
                {(text) => <CallArguments text={text} />}
              </RunText>
            )}
            {call.result !== null && !(asked && call.result.exception?.kind === "rejected") && (
              <CallResult runId={runId} result={call.result} cut={call.resultCut} />
            )}
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

/** The elapsed time; it is left out of the server's HTML. */
export function Elapsed({ since }: { since: number }) {
  const now = useNow(STEP_MS);
  if (now === null) return null;
  return (
    <span className="shrink-0 font-mono text-2xs text-mute tabular-nums">
      {formatDuration(Math.max(0, now - since))}
    </span>
  );
}

/** Shows the log of a running call and its server's requests for input. */
function RunningCall({ executionId }: { executionId: string }) {
  const { progress } = useExecutionLogs(executionId);
  return (
    <div className="px-2.5 pb-2 empty:hidden">
      {progress !== null && <ProgressBar progress={progress} />}
      <CallQuestions execution={{ id: executionId, serverName: null }} />
    </div>
  );
}

const CallMedia = onDemand(() => import("./call-media"), "CallMedia", {
  fallback: <Skeleton className="h-24" />,
});

interface CallResultProps {
  runId: string;
  result: FunctionResultContent;
  /** Null: the result's text is whole. */
  cut: CutPart | null;
}

/** Shows what the model received for a call: text, an exception, and media, which are read from the execution. */
function CallResult({ runId, result, cut }: CallResultProps) {
  const text = result.exception ? result.exception.message : (result.result ?? "");
  return (
    <RunText runId={runId} text={text} cut={cut} label="the result">
      {(loaded) => <ResultSection result={result} text={loaded} />}
    </RunText>
  );
}

function ResultSection({ result, text }: { result: FunctionResultContent; text: string }) {
  const { exception, items = [] } = result;
  const media = items.filter((item) => item.type === "media");
  return (
    <section aria-label="Result" className="flex min-w-0 flex-col gap-1">
      <div className="flex min-h-7 items-center gap-2 text-mute text-xs">
        {exception ? (
          <>
            Error <span className="font-mono text-bad">{exception.kind}</span>
          </>
        ) : (
          "Result"
        )}
        {text !== "" && (
          <CopyButton text={text} label={exception ? "Copy error" : "Copy result"} className="-my-1 ml-auto" />
        )}
      </div>
      {exception && <p className="text-bad text-sm [overflow-wrap:anywhere]">{text}</p>}
      {!exception && text !== "" && <CallData text={text} label="Result" />}
      {!exception && text === "" && media.length === 0 && <p className="text-mute text-xs">No output.</p>}
      {media.length > 0 && result.executionId !== undefined && <CallMedia executionId={result.executionId} />}
      {media.length > 0 && result.executionId === undefined && (
        <p className="text-mute text-xs">
          {media.map(({ mimeType, bytes }) => `${mimeType}, ${formatBytes(bytes)}`).join("; ")}
        </p>
      )}
    </section>
  );
}

/** A value below this size is shown whole: a tree would be larger than its contents. */
const SMALL_CHARS = 500;

/** A call's arguments or its result: small ones as they are, large ones to fold and search through. */
function CallData({ text, label }: { text: string; label: string }) {
  if (text.length > SMALL_CHARS) {
    return (
      <div className="max-h-96 overflow-auto rounded-md border border-line bg-bg p-2">
        <JsonTree text={text} label={label} />
      </div>
    );
  }
  const node = parseJsonNode(text);
  return (
    <JsonText
      wrap
      text={node === null ? text : formatNode(node)}
      label={label}
      className="max-h-96 rounded-md border border-line bg-bg px-2 py-1.5"
    />
  );
}

interface ShownCallStatus {
  status: State;
  /** Distinguishes calls that did not run from failures. */
  errorKind?: string | null;
  /** Replaces the word of the status. */
  label?: string;
}

/** The status of a call. `open`: its turn is running; in a turn that ended, a call without an end was cut off. */
function toCallStatus(call: RunCall, executions: ReadonlyMap<string, ExecutionStatus>, open: boolean): ShownCallStatus {
  if (call.finishedAt !== null && call.status !== "requested") {
    return { status: call.status, errorKind: call.result?.exception?.kind ?? null };
  }
  if (!open) return call.status === "requested" ? { status: "idle", label: "not run" } : { status: "interrupted" };
  if (call.status === "requested") return { status: "idle", label: "starting" };
  const heard = call.executionId === null ? undefined : executions.get(call.executionId);
  // The call has ended, and its result has not reached the log yet.
  if (heard !== undefined && heard !== "waiting" && heard !== "running") return { status: "running" };
  return { status: heard ?? call.status };
}

const PREVIEW_CHARS = 160;

/** The beginning of the arguments on one line. */
function argumentsPreview(text: string): string {
  const line = text
    .slice(0, 4 * PREVIEW_CHARS)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > PREVIEW_CHARS ? `${line.slice(0, PREVIEW_CHARS)}…` : line;
}
