"use client";

import { Ellipsis } from "lucide-react";
import { useRouter } from "next/navigation";
import { memo } from "react";
import { IconButton } from "@/app/_ui/button";
import { Menu } from "@/app/_ui/menu";
import type { FinishReason } from "@/lib/contract/chat";
import type { ExecutionStatus } from "@/lib/contract/envelope";
import { formatDuration } from "@/lib/format";
import type { RunStep, StepAnswer } from "@/lib/run/transcript-of";
import { CallCard } from "./call-card";
import { LiveAnswerView } from "./live-answer-view";
import { ModelText } from "./model-text";
import { Reasoning } from "./reasoning";
import { describeTokens, formatTokens } from "./run-figures";
import type { LiveAnswer } from "./run-state";

export interface StepViewProps {
  runId: string;
  step: RunStep;
  /** Its turn goes on. */
  open: boolean;
  live: LiveAnswer | null;
  stopping: boolean;
  executions: ReadonlyMap<string, ExecutionStatus>;
  /** Absent while the run goes on. */
  onRerun: ((step: number) => void) | undefined;
}

/** What one request to the model brought: its words, its calls, its figures. */
export function StepView({ runId, step, open, live, stopping, executions, onRerun }: StepViewProps) {
  const { answer, failure, calls } = step;
  return (
    <div data-step={step.step} className="group/step flex min-w-0 flex-col gap-2">
      {answer !== null && <AnswerView answer={answer} />}
      {answer === null && failure === null && open && (
        <LiveAnswerView live={live?.step === step.step ? live : null} since={step.startedAt} stopping={stopping} />
      )}
      {calls.map((call) => (
        <CallCard key={call.callId} call={call} executions={executions} open={open} />
      ))}
      <StepFigures runId={runId} step={step} onRerun={onRerun} />
    </div>
  );
}

const REASONS: Partial<Record<FinishReason, string>> = {
  length: "The answer was cut at the model's output limit.",
  refusal: "The model declined to answer.",
  context_length: "The conversation no longer fits into the model's context.",
};

const AnswerView = memo(function AnswerView({ answer }: { answer: StepAnswer }) {
  const reason = REASONS[answer.finishReason];
  return (
    <>
      <Reasoning text={answer.reasoning} />
      {answer.text !== "" && <ModelText text={answer.text} />}
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
  const router = useRouter();
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
    { label: "Messages it was sent", onSelect: () => router.push(`/runs/${runId}?view=raw&step=${step.step}`) },
    ...(onRerun ? [{ label: "Rerun from here…", onSelect: () => onRerun(step.step) }] : []),
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
            label={`Step ${step.step}`}
            className="size-6! opacity-60 hover:opacity-100 focus-visible:opacity-100"
          >
            <Ellipsis aria-hidden size={13} strokeWidth={1.6} />
          </IconButton>
        }
        items={items}
      />
    </div>
  );
}
