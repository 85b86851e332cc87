"use client";

import { useEffect, useEffectEvent } from "react";
import { joinContexts } from "@/lib/apps/app-context";
import type { OutgoingMessage } from "@/lib/contract/run";
import { joinMessages, type PlaygroundDraft, unqueue } from "./use-playground-draft";

export interface QueuedMessageOptions {
  /** Its queued message is kept when the page is left. */
  draft: Pick<PlaygroundDraft, "queued" | "queuedContext">;
  update: (change: (draft: PlaygroundDraft) => PlaygroundDraft) => void;
  going: boolean;
  /** The run's last turn ended well. */
  succeeded: boolean;
  send: (message: OutgoingMessage) => void;
}

/** A message that is written while the model answers. It is sent when the turn succeeds; otherwise it goes back to the field. */
export function useQueuedMessage({
  draft: { queued, queuedContext },
  update,
  going,
  succeeded,
  send,
}: QueuedMessageOptions) {
  const giveBack = (): void => update(unqueue);
  const onEnd = useEffectEvent((): void => {
    if (queued === "") return;
    if (succeeded) {
      update((before) => ({ ...before, queued: "", queuedContext: [] }));
      send({ text: queued, appContext: queuedContext });
    } else giveBack();
  });
  // Outside system: the run on the server, which has ended its turn.
  useEffect(() => {
    if (!going) onEnd();
  }, [going]);
  return {
    /** More than one becomes one message. */
    add: ({ text, appContext }: OutgoingMessage): void =>
      update((before) => ({
        ...before,
        queued: joinMessages(queued, text),
        queuedContext: joinContexts(queuedContext, appContext),
      })),
    giveBack,
  };
}
