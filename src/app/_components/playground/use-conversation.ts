import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { isLive } from "@/app/_components/runs/detail/run-state";
import { useRun } from "@/app/_components/runs/detail/use-run";
import { useRunActions } from "@/app/_components/runs/detail/use-run-actions";
import { trpc } from "@/app/_trpc/client";
import type { OutgoingMessage, RunSettings } from "@/lib/contract/run";

interface Sent {
  message: OutgoingMessage;
  /** The run that was shown then; null: a new one begins. */
  from: string | null;
  /** The run it belongs to; null until it has one. */
  to: string | null;
  /** Index of the last message that the run's log had before. */
  known: number;
}

interface ConversationOptions {
  runId: string | null;
  onStarted: (id: string) => void;
  onSent: () => void;
  /** Receives a message that could not be sent. */
  onRefused: (message: OutgoingMessage) => void;
}

/** A talk with a model: the run as it goes, and what a user can do to it. What is sent is shown at once. */
export function useConversation({ runId, onStarted, onSent, onRefused }: ConversationOptions) {
  const queryClient = useQueryClient();
  const { state, error, refetch, older } = useRun(runId);
  const [sent, setSent] = useState<Sent | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  /** Stop was pressed before there was a run to stop. */
  const [early, setEarly] = useState(false);
  const stopEarly = useRef(false);

  const known = state?.events.findLast(({ type }) => type === "user_message")?.index ?? -1;
  const arrived = sent !== null && sent.to === runId && known > sent.known;
  if (arrived) setSent(null);
  const awaited = sent !== null && !arrived && (sent.from === runId || sent.to === runId);
  const pending = awaited ? sent.message : null;
  const going = pending !== null || (state !== null && isLive(state.detail.status));
  const actions = useRunActions(runId, going);
  if (early && !going) setEarly(false);

  const rejectMessage = (message: OutgoingMessage, reason: string): void => {
    setSent(null);
    setRefusal(`Couldn't send the message: ${reason}`);
    onRefused(message);
  };
  const halt = useMutation(trpc.runs.stop.mutationOptions());
  const starting = useMutation(
    trpc.runs.start.mutationOptions({
      onSuccess: ({ id }) => {
        setSent((before) => before && { ...before, to: id });
        onStarted(id);
        if (stopEarly.current) halt.mutate({ id });
      },
      onError: (problem, { text }) => rejectMessage({ text, appContext: [] }, problem.message),
    }),
  );
  const sending = useMutation(
    trpc.runs.send.mutationOptions({
      onSuccess: ({ id }) => {
        onSent();
        void queryClient.invalidateQueries({ queryKey: trpc.runs.get.queryKey({ id }) });
      },
      onError: (problem, { text, appContext = [] }) => rejectMessage({ text, appContext }, problem.message),
    }),
  );

  const send = (message: OutgoingMessage, settings: RunSettings): void => {
    stopEarly.current = false;
    setRefusal(null);
    setSent({ message, from: runId, to: runId, known });
    if (runId === null) starting.mutate({ settings, text: message.text });
    else sending.mutate({ id: runId, text: message.text, appContext: [...message.appContext], settings });
  };
  const { stop: stopRun, dismiss: dismissAction } = actions;
  const stop = useCallback((): void => {
    if (runId !== null) stopRun();
    else {
      stopEarly.current = true;
      setEarly(true);
    }
  }, [runId, stopRun]);
  const dismiss = useCallback((): void => {
    setRefusal(null);
    dismissAction();
  }, [dismissAction]);

  return {
    state,
    older,
    error,
    refetch,
    pending,
    going,
    send,
    stop,
    stopping: actions.stopping || (early && going),
    resume: actions.resume,
    resuming: actions.resuming,
    problem: refusal ?? actions.problem,
    dismiss,
  };
}
