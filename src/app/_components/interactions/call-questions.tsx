"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { cx } from "@/app/_ui/class-names";
import type { ExecutionDetail, PendingInteraction } from "@/lib/contract";
import { usePendingInteractions } from "./use-pending-interactions";

const QuestionList = dynamic(() => import("./question-list").then((module) => module.QuestionList), { ssr: false });

const POLL_MS = 5_000;

/** What its server asks while a call runs, right where the call is watched. */
export function CallQuestions({ execution }: { execution: Pick<ExecutionDetail, "id" | "serverName"> }) {
  const pending = usePendingInteractions(POLL_MS);
  const mine = pending.filter(
    ({ executionId, server }) =>
      executionId === execution.id ||
      // The server did not say which of its calls it asks for.
      (executionId === null && server === execution.serverName),
  );
  return <Questions mine={mine} paused={mine.some(({ executionId }) => executionId === execution.id)} inCall />;
}

/** What servers ask during the calls of a run, for views of it that show no calls. */
export function RunQuestions({ runId, className }: { runId: string; className?: string }) {
  const mine = usePendingInteractions(POLL_MS).filter((each) => each.runId === runId);
  return <Questions mine={mine} paused={mine.length > 0} className={className} />;
}

interface QuestionsProps {
  mine: readonly PendingInteraction[];
  /** The timeout of a call does not run. */
  paused: boolean;
  inCall?: boolean;
  className?: string | undefined;
}

function Questions({ mine, paused, inCall = false, className }: QuestionsProps) {
  const [asked, setAsked] = useState(false);
  if (mine.length > 0 && !asked) setAsked(true);
  // Once there was a question the list stays, to say what became of it.
  if (!asked) return null;
  return (
    <section aria-label="Server requests" className={cx("flex flex-col gap-1.5", className)}>
      {paused && <p className="text-mute text-xs">Timeout paused while the server waits for your input.</p>}
      <QuestionList interactions={mine} inCall={inCall} />
    </section>
  );
}
