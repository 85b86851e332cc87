import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import type { InteractionAnswer } from "@/lib/contract/interaction";
import { forgetDraft, setOutcome } from "./question-store";

export interface Answering {
  pending: boolean;
  /** Why the answer was not taken; the question stays and can be answered again. */
  error: string | null;
  send: (answer: InteractionAnswer) => void;
}

/** Gives the answer of one question. It leaves the list at once; the server's own list follows. */
export function useAnswer(id: string): Answering {
  const answer = useAction(trpc.interactions.answer, {
    stale: [trpc.interactions.list],
    report: (problem) => problem !== null && setOutcome(id, null),
    onDone: ({ answered }) => {
      if (!answered) setOutcome(id, null);
      forgetDraft(id);
    },
  });
  return {
    pending: answer.isPending,
    error: answer.problem,
    send: (given) => {
      setOutcome(id, given.action);
      answer.mutate({ id, answer: given });
    },
  };
}
