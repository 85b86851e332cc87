"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
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
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const listKey = trpc.interactions.list.queryKey();
  const answer = useMutation(
    trpc.interactions.answer.mutationOptions({
      onMutate: ({ answer: given }) => setOutcome(id, given.action),
      onError: () => setOutcome(id, null),
      onSuccess: ({ answered }) => {
        if (!answered) setOutcome(id, null);
        forgetDraft(id);
        queryClient.setQueryData(listKey, (list) => list?.filter((each) => each.id !== id));
      },
      onSettled: () => queryClient.invalidateQueries({ queryKey: listKey }),
    }),
  );
  return {
    pending: answer.isPending,
    error: answer.error?.message ?? null,
    send: (given) => answer.mutate({ id, answer: given }),
  };
}
