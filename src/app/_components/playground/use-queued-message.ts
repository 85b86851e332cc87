"use client";

import { useEffect, useEffectEvent } from "react";
import { joinMessages, type PlaygroundDraft, unqueue } from "./use-playground-draft";

export interface QueuedMessageOptions {
  /** The message, a part of the draft: it is kept when the page is left. */
  queued: string;
  update: (change: (draft: PlaygroundDraft) => PlaygroundDraft) => void;
  going: boolean;
  /** The run's last turn ended well. */
  succeeded: boolean;
  send: (text: string) => void;
}

/** A message that is written while the model answers. It is sent when the turn succeeds; otherwise it goes back to the field. */
export function useQueuedMessage({ queued, update, going, succeeded, send }: QueuedMessageOptions) {
  const giveBack = (): void => update(unqueue);
  const onEnd = useEffectEvent((): void => {
    if (queued === "") return;
    if (succeeded) {
      update((before) => ({ ...before, queued: "" }));
      send(queued);
    } else giveBack();
  });
  // Outside system: the run on the server, which has ended its turn.
  useEffect(() => {
    if (!going) onEnd();
  }, [going]);
  return {
    /** More than one becomes one message. */
    add: (more: string): void => update((before) => ({ ...before, queued: joinMessages(queued, more) })),
    giveBack,
  };
}
