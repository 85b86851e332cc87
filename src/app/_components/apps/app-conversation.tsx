"use client";

import { createContext, type ReactNode, useEffect, useMemo, useRef } from "react";

interface AppConversation {
  /** Puts what an App suggests into the draft of the next message. */
  draft: (text: string) => void;
  /** True for the first calls that ended after `since`: their Apps open without a click. */
  admit: (endedAt: number | null) => boolean;
}

/** Others open on request: each is a document of its own. */
const MAX_OPENED = 2;

/** The conversation around an App; null where there is none. */
export const AppConversationContext = createContext<AppConversation | null>(null);

export interface AppConversationProps {
  /** When the newest event happened that the conversation had at first, in epoch milliseconds; null until it is known. */
  since: number | null;
  onDraft: (text: string) => void;
  children: ReactNode;
}

export function AppConversationProvider({ since, onDraft, children }: AppConversationProps) {
  const opened = useRef(0);
  const newest = useRef({ since, onDraft });
  // Outside system: an App, which suggests texts at any time.
  useEffect(() => {
    newest.current = { since, onDraft };
  });
  const conversation = useMemo(
    () => ({
      draft: (text: string) => newest.current.onDraft(text),
      admit: (endedAt: number | null) => {
        const after = newest.current.since;
        if (after === null || endedAt === null || endedAt <= after || opened.current === MAX_OPENED) return false;
        opened.current += 1;
        return true;
      },
    }),
    [],
  );
  return <AppConversationContext value={conversation}>{children}</AppConversationContext>;
}
