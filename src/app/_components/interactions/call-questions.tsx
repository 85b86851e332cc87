import { useState } from "react";
import { cx } from "@/app/_ui/class-names";
import { onDemand } from "@/app/_ui/on-demand";
import type { ExecutionDetail } from "@/lib/contract/execution";
import type { PendingInteraction } from "@/lib/contract/interaction";
import { usePendingInteractions } from "./use-pending-interactions";

const QuestionList = onDemand(() => import("./question-list"), "QuestionList");

const POLL_MS = 5_000;

/** Shows the server's requests for input of a running call, beside the call. */
export function CallQuestions({ execution }: { execution: Pick<ExecutionDetail, "id" | "serverName"> }) {
  const pending = usePendingInteractions(POLL_MS);
  const mine = pending.filter(
    ({ executionId, server }) =>
      executionId === execution.id ||
      // The server did not name the call for which it asks.
      (executionId === null && server === execution.serverName),
  );
  return <Questions mine={mine} callId={execution.id} />;
}

/** Shows servers' requests for input during a run, for views of it that show no calls. */
export function RunQuestions({ runId, className }: { runId: string; className?: string }) {
  const mine = usePendingInteractions(POLL_MS).filter((each) => each.runId === runId);
  return <Questions mine={mine} className={className} />;
}

interface QuestionsProps {
  mine: readonly PendingInteraction[];
  callId?: string;
  className?: string | undefined;
}

function Questions({ mine, callId, className }: QuestionsProps) {
  const [asked, setAsked] = useState(false);
  if (mine.length > 0 && !asked) setAsked(true);
  // After the first question the list stays, to show its outcome.
  if (!asked) return null;
  return (
    <section aria-label="Server requests" className={cx("flex flex-col gap-1.5", className)}>
      {mine.some(({ executionId }) => executionId !== null) && (
        <p className="text-mute text-xs">Timeout paused while the server waits for your input.</p>
      )}
      <QuestionList interactions={mine} callId={callId} />
    </section>
  );
}
