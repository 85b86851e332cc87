"use client";

import { useEffect, useEffectEvent, useState } from "react";

export interface QueuedMessageOptions {
  going: boolean;
  /** The run's last turn ended well. */
  succeeded: boolean;
  send: (text: string) => void;
  /** Puts the text back into the field. */
  giveBack: (text: string) => void;
}

/** A message that is written while the model answers. It is sent when the turn succeeds; otherwise it goes back to the field. */
export function useQueuedMessage({ going, succeeded, send, giveBack }: QueuedMessageOptions) {
  const [text, setText] = useState<string | null>(null);
  const onEnd = useEffectEvent((): void => {
    if (text === null) return;
    setText(null);
    if (succeeded) send(text);
    else giveBack(text);
  });
  // Outside system: the run on the server, which has ended its turn.
  useEffect(() => {
    if (!going) onEnd();
  }, [going]);
  return {
    text,
    /** More than one becomes one message. */
    add: (more: string): void => setText((before) => (before === null ? more : `${before}\n\n${more}`)),
    giveBack: (): void => {
      if (text !== null) giveBack(text);
      setText(null);
    },
  };
}
