import { CircleAlert, Pencil, RotateCw } from "lucide-react";
import { memo } from "react";
import { describeTokens, formatTokens } from "@/app/_components/runs/summary/run-figure-words";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { Alert } from "@/app/_ui/alert";
import { Button, IconButton } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";
import { toDataStatus } from "@/app/_ui/status-badge";
import type { AppContext } from "@/lib/contract/app";
import { type ChatMessage, readMessageText } from "@/lib/contract/chat";
import type { ExecutionStatus } from "@/lib/contract/envelope";
import { formatBytes, formatCount, formatDuration, formatPlural } from "@/lib/format";
import type { RunTurn, TurnEnd, TurnItem } from "@/lib/run/build-turns";
import { firstStep } from "@/lib/run/compare-runs";
import type { LiveAnswer } from "./run-state";
import { RunText } from "./run-text";
import { StepView } from "./step-view";

const AppContextList = onDemand(() => import("@/app/_components/apps/app-context-list"), "AppContextList", {
  onServer: true,
});

interface TurnViewProps {
  runId: string;
  turn: RunTurn;
  /** The number of the turn, from 1. */
  position: number;
  live: LiveAnswer | null;
  stopping: boolean;
  executions: ReadonlyMap<string, ExecutionStatus>;
  /** Null while it runs, and in the log of a turn whose process died. */
  end: TurnEnd | null;
  /** The cost, shown among the turn's figures. */
  costText: string | null;
  /** @param message the message that the step answers, to be edited */
  onRerun: ((step: number, message?: string) => void) | undefined;
  /** Present under the last turn when the run can be resumed. */
  onResume: (() => void) | undefined;
  resuming: boolean;
}

function sameTurn(before: TurnViewProps, after: TurnViewProps): boolean {
  const { turn, ...rest } = before;
  const { turn: next, ...others } = after;
  // A log only grows: as many events of the same beginning are the same events.
  if (turn.key !== next.key || turn.eventCount !== next.eventCount) return false;
  return (Object.keys(rest) as (keyof typeof rest)[]).every((key) => rest[key] === others[key]);
}

/** One message of a user and everything that came of it. Finished turns are not drawn again while text comes. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, position, end } = props;
  return (
    <section
      aria-label={`Turn ${position}`}
      data-status={toDataStatus(end?.status ?? "running")}
      className="flex min-w-0 flex-col gap-3"
    >
      <LoggedMessage runId={props.runId} turn={turn} onEdit={toEdit(props)} />
      {turn.items.map((item) => (
        <ItemView key={item.key} item={item} {...props} />
      ))}
      {end !== null && <TurnEndView {...props} end={end} />}
    </section>
  );
}, sameTurn);

/** Reruns the turn with another message; a message with media is not edited. */
function toEdit({ turn, onRerun }: TurnViewProps): (() => void) | undefined {
  const step = firstStep(turn);
  const { message, messageCut } = turn;
  if (onRerun === undefined || step === undefined || message === null || messageCut !== null) return undefined;
  if (message.contents.some(({ type }) => type !== "text")) return undefined;
  return () => onRerun(step, readMessageText(message));
}

interface LoggedMessageProps {
  runId: string;
  turn: RunTurn;
  onEdit?: (() => void) | undefined;
}

/** The message that begins a turn, with what Apps added to it. */
export function LoggedMessage({ runId, turn: { message, messageCut, appContext }, onEdit }: LoggedMessageProps) {
  return (
    <>
      <MessageContext contexts={appContext} />
      {message !== null && messageCut === null && (
        <div className="group flex min-w-0 items-start justify-end gap-1">
          {onEdit && (
            <IconButton
              icon={Pencil}
              needs="run"
              label="Edit message and rerun"
              onClick={onEdit}
              className="mt-1.5 opacity-0 focus-visible:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
            />
          )}
          <UserMessage message={message} />
        </div>
      )}
      {message !== null && messageCut !== null && (
        <RunText runId={runId} text={readMessageText(message)} cut={messageCut} label="your message">
          {(text) => <UserMessage message={{ ...message, contents: replaceText(message, text) }} />}
        </RunText>
      )}
    </>
  );
}

const replaceText = ({ contents }: ChatMessage, text: string): ChatMessage["contents"] => [
  { type: "text", text },
  ...contents.filter(({ type }) => type !== "text"),
];

/** Shows the texts that Apps added to a message, above it. */
export function MessageContext({ contexts }: { contexts: readonly AppContext[] }) {
  if (contexts.length === 0) return null;
  return (
    <div className="w-[min(85%,65ch)] self-end">
      <AppContextList contexts={contexts} />
    </div>
  );
}

/** Longer messages start folded. */
const FOLD_CHARS = 4_000;

export function UserMessage({ message }: { message: ChatMessage }) {
  const text = readMessageText(message);
  const media = message.contents.filter((content) => content.type === "media");
  return (
    <div className="max-w-[min(85%,65ch)] self-end rounded-xl bg-line px-3 py-2 text-base leading-6">
      <span className="sr-only">You: </span>
      {text.length > FOLD_CHARS ? (
        <details>
          <summary className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text.slice(0, 400)}…</summary>
          <ClippedText text={text} label="Your message" />
        </details>
      ) : (
        <div dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
          {text}
        </div>
      )}
      {media.map(({ mimeType, bytes }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is never changed
        <p key={at} className="text-mute text-xs">
          {mimeType}, {formatBytes(bytes)}
        </p>
      ))}
    </div>
  );
}

function ItemView({ item, ...props }: TurnViewProps & { item: TurnItem }) {
  switch (item.kind) {
    case "step":
      return (
        <StepView
          runId={props.runId}
          step={item.step}
          open={props.end === null}
          live={props.live}
          stopping={props.stopping}
          executions={props.executions}
          onRerun={props.onRerun}
        />
      );
    case "notice":
      return (
        <p className="flex items-start gap-1.5 text-mute text-xs" data-notice={item.notice}>
          <CircleAlert size={13} className="mt-0.5 shrink-0" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {item.text}
            {item.count > 1 && ` (${formatCount(item.count)} times)`}
          </span>
        </p>
      );
    case "resumed":
      return (
        <p className="flex items-start gap-1.5 text-mute text-xs">
          <RotateCw size={13} className="mt-0.5 shrink-0" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {item.end === null ? "The server process ended" : `It ${END_WORDS[item.end.status]}`}
            {item.end?.error != null && `: ${item.end.error}`} — resumed from its log
          </span>
        </p>
      );
  }
}

const END_WORDS: Record<TurnEnd["status"], string> = {
  succeeded: "ended",
  failed: "failed",
  cancelled: "was cancelled",
  interrupted: "was interrupted",
};

const END_TITLES: Record<TurnEnd["status"], string> = {
  succeeded: "Done",
  failed: "The run failed",
  cancelled: "Cancelled",
  interrupted: "Interrupted: the server process ended",
};

function TurnEndView({ turn, end, costText, onResume, resuming }: TurnViewProps & { end: TurnEnd }) {
  const resume = onResume && (
    <Button icon={RotateCw} needs="run" onClick={onResume} disabled={resuming}>
      {resuming ? "Resuming…" : end.status === "failed" ? "Try again from here" : "Resume"}
    </Button>
  );
  return (
    <>
      {(end.status === "failed" || end.status === "interrupted") && (
        <Alert tone="bad" title={END_TITLES[end.status]}>
          {end.error !== null && (
            <p dir="auto" className="[overflow-wrap:anywhere]">
              {end.error}
            </p>
          )}
          {resume && <div className="mt-1.5">{resume}</div>}
        </Alert>
      )}
      {end.status === "cancelled" && (
        <div className="flex items-center gap-2 text-mute text-xs">Cancelled {resume}</div>
      )}
      <TurnFigures turn={turn} costText={costText} />
    </>
  );
}

function TurnFigures({ turn, costText }: { turn: RunTurn; costText: string | null }) {
  const figures = turn.takenOver === "all" ? ["copied from the original run"] : listFigures(turn, costText);
  return (
    <p
      className="border-line border-t pt-1.5 font-mono text-2xs text-mute tabular-nums"
      title={describeTokens(turn.usage)}
    >
      {figures.join(" · ")}
    </p>
  );
}

function listFigures({ figures, usage, message, takenOver }: RunTurn, costText: string | null): string[] {
  const { activeMs, waitMs, modelCalls, toolCalls } = figures;
  return [
    message === null ? "loaded part" : null,
    `${formatDuration(activeMs)} active`,
    waitMs >= 1 ? `${formatDuration(waitMs)} waiting for approval` : null,
    formatPlural(modelCalls, "model call"),
    toolCalls > 0 ? formatPlural(toolCalls, "tool call") : null,
    formatTokens(usage),
    costText,
    takenOver === "some" ? "without steps copied from the original run" : null,
  ].filter((figure) => figure !== null);
}
