import { useQueryClient } from "@tanstack/react-query";
import { Brain, Ellipsis, Wrench } from "lucide-react";
import { memo, useState } from "react";
import { ModelText } from "@/app/_components/content/markdown/model-text";
import { describeTokens, formatTokens } from "@/app/_components/runs/summary/run-figure-words";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { useCopyText } from "@/app/_kit/use-copy-text";
import { trpc } from "@/app/_trpc/client";
import { IconButton } from "@/app/_ui/button";
import { JsonText } from "@/app/_ui/json-text";
import { Menu } from "@/app/_ui/menu";
import { ShowMore } from "@/app/_ui/show-more";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { FinishReason } from "@/lib/contract/chat";
import type { ExecutionStatus } from "@/lib/contract/envelope";
import { formatDuration } from "@/lib/format";
import type { RunStep, StepAnswer } from "@/lib/run/build-turns";
import { CallCard, Elapsed } from "./call-card";
import type { LiveAnswer } from "./run-state";
import { RunText } from "./run-text";
import { toStepId } from "./step-id";

/** The calls shown of one response; more cards at once make a browser stutter. */
const SHOWN_CALLS = 100;

interface StepViewProps {
  runId: string;
  step: RunStep;
  /** The step's turn is running. */
  open: boolean;
  live: LiveAnswer | null;
  stopping: boolean;
  executions: ReadonlyMap<string, ExecutionStatus>;
  /** Absent while the run is running. */
  onRerun: ((step: number) => void) | undefined;
}

/** Shows one request to the model: its text, its calls, its figures. */
export function StepView({ runId, step, open, live, stopping, executions, onRerun }: StepViewProps) {
  const { answer, failure, calls } = step;
  const [limit, setLimit] = useState(SHOWN_CALLS);
  return (
    <div ref={revealLinked} id={toStepId(step.step)} className="group/step flex min-w-0 flex-col gap-2">
      {answer !== null && <AnswerView runId={runId} answer={answer} />}
      {answer === null && failure === null && open && (
        <LiveAnswerView live={live?.step === step.step ? live : null} since={step.startedAt} stopping={stopping} />
      )}
      {calls.slice(0, limit).map((call) => (
        <CallCard key={call.callId} runId={runId} call={call} executions={executions} open={open} />
      ))}
      <ShowMore rest={calls.length - limit} onMore={() => setLimit(limit + SHOWN_CALLS)} />
      <StepFigures runId={runId} step={step} onRerun={onRerun} />
    </div>
  );
}

/** Shows the step that the address names, as the timeline's links do. */
function revealLinked(element: HTMLElement | null): void {
  if (element !== null && window.location.hash === `#${element.id}`) element.scrollIntoView({ block: "start" });
}

const REASONS: Partial<Record<FinishReason, string>> = {
  length: "The response was cut at the model's output limit.",
  refusal: "The model declined to answer.",
  context_length: "The conversation exceeds the model's context window.",
};

/** The model's response: reasoning, text, and the reason for an early end. */
export const AnswerView = memo(function AnswerView({ runId, answer }: { runId: string; answer: StepAnswer }) {
  const reason = REASONS[answer.finishReason];
  return (
    <>
      <RunText runId={runId} text={answer.reasoning} cut={answer.reasoningCut} label="the reasoning">
        {(text) => <Reasoning text={text} />}
      </RunText>
      <RunText runId={runId} text={answer.text} cut={answer.textCut} label="the response">
        {(text) => text !== "" && <ModelText text={text} />}
      </RunText>
      {reason !== undefined && (
        <p className="text-warn text-xs">
          {reason}
          {answer.finishDetail !== null && ` (${answer.finishDetail})`}
        </p>
      )}
    </>
  );
});

function StepFigures({ runId, step, onRerun }: Pick<StepViewProps, "runId" | "step" | "onRerun">) {
  const copyMessages = useCopyMessages(runId, step.step);
  const { answer, failure } = step;
  if (answer === null && failure === null) return null;
  const ms = answer?.durationMs ?? failure?.durationMs ?? null;
  const tokens = answer?.usage ? formatTokens(answer.usage) : null;
  const figures = [
    step.model,
    tokens,
    formatDuration(ms),
    answer?.firstTokenMs == null ? null : `first token ${formatDuration(answer.firstTokenMs)}`,
    failure === null ? null : failure.errorKind.replaceAll("_", " "),
  ].filter((figure) => figure !== null && figure !== "");
  const items = [
    { label: "Copy messages as JSON", onSelect: copyMessages },
    ...(onRerun ? [{ label: "Rerun from here…", needs: "run" as const, onSelect: () => onRerun(step.step) }] : []),
  ];
  return (
    <div className="flex min-h-6 items-center gap-1.5 text-2xs text-faint">
      <span className="font-mono">#{step.step}</span>
      <span
        className="min-w-0 truncate font-mono tabular-nums"
        {...(answer?.usage ? { title: describeTokens(answer.usage) } : {})}
      >
        {figures.join(" · ")}
      </span>
      <Menu
        trigger={
          <IconButton
            icon={Ellipsis}
            label={`Step ${step.step}`}
            className="opacity-60 sm:size-6! hover:opacity-100 focus-visible:opacity-100"
          />
        }
        items={items}
      />
    </div>
  );
}

/** Copies the messages that were sent to the model at a step. */
function useCopyMessages(id: string, step: number): () => void {
  const { runs } = trpc;
  const queryClient = useQueryClient();
  const copy = useCopyText();
  const read = async (): Promise<string> => {
    for (let text = ""; ; ) {
      const input = { id, step, offset: text.length };
      const slice = await queryClient.fetchQuery(runs.messages.queryOptions(input, { gcTime: 0 }));
      text += slice.text;
      if (slice.text === "" || text.length >= slice.chars) return text;
    }
  };
  return () => void copy("the messages as JSON", read());
}

interface LiveAnswerViewProps {
  live: LiveAnswer | null;
  since: number;
  /** A user pressed Stop: nothing more is shown as coming. */
  stopping: boolean;
}

/** The characters shown of arguments that are being written: the end, which changes. */
const SHOWN_CHARS = 4_000;

/** Shows the model's partial response. */
function LiveAnswerView({ live, since, stopping }: LiveAnswerViewProps) {
  const silent = live === null || (live.text === "" && live.calls.length === 0);
  return (
    <div aria-busy={!stopping} className="flex min-w-0 flex-col gap-2">
      {live !== null && live.retried !== null && (
        <p className="text-mute text-xs">Asking the model again: {live.retried}</p>
      )}
      {live !== null && live.reasoning !== "" && <Reasoning text={live.reasoning} growing={live.text === ""} />}
      {live !== null && live.text !== "" && <ModelText text={live.text} growing />}
      {live?.calls.map((call) => (
        <article
          key={call.callId}
          aria-label={`Call of ${call.name}`}
          data-status="idle"
          className="min-w-0 rounded-lg border border-line border-dashed bg-panel"
        >
          <div className="flex items-center gap-2 py-1.5 pr-1.5 pl-2">
            <Wrench size={13} className="shrink-0 text-mute" />
            <span className="min-w-0 truncate font-medium font-mono text-xs">{call.name}</span>
            <StatusBadge status="idle" label="being written" className="ml-auto" />
          </div>
          {call.argumentsText !== "" && (
            <JsonText
              wrap
              label={`Arguments of ${call.name}, being written`}
              text={call.argumentsText.slice(-SHOWN_CHARS)}
              className="max-h-40 border-line border-t px-2.5 py-1.5"
            />
          )}
        </article>
      ))}
      {silent && !stopping && (
        <p className="flex items-center gap-2 text-mute text-xs">
          <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-accent" />
          {live !== null && live.reasoning !== "" ? "Thinking" : "Waiting for the model"}
          <Elapsed since={since} />
        </p>
      )}
    </div>
  );
}

/** Shows the part of a model's reasoning that the vendor exposes: folded, unless it is all there is so far. */
function Reasoning({ text, growing = false }: { text: string; growing?: boolean }) {
  if (text.trim() === "") return null;
  return (
    <details className="min-w-0 text-mute text-xs" {...(growing ? { open: true } : {})}>
      <summary className="flex w-fit items-center gap-1.5 rounded-xs hover:text-text">
        <Brain size={13} />
        Reasoning
      </summary>
      <div className="mt-1 max-h-60 overflow-auto border-line2 border-l-2 pl-3">
        <ClippedText text={text} label="Reasoning" />
      </div>
    </details>
  );
}
