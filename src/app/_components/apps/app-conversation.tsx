"use client";

import { createContext, type ReactNode, useEffect, useMemo, useRef } from "react";

interface AppConversation {
  /** Puts what an App suggests into the draft of the next message. */
  draft: (text: string) => void;
  /** Whether one more App may open by itself. */
  admit: () => boolean;
}

/** Others open on request: each is a document of its own. */
const MAX_OPENED = 2;

/** The conversation around an App; null where there is none. */
export const AppConversationContext = createContext<AppConversation | null>(null);

export function AppConversationProvider({
  onDraft,
  children,
}: {
  onDraft: (text: string) => void;
  children: ReactNode;
}) {
  const opened = useRef(0);
  const newest = useRef(onDraft);
  // Outside system: an App, which suggests texts at any time.
  useEffect(() => {
    newest.current = onDraft;
  });
  const conversation = useMemo(
    () => ({
      draft: (text: string) => newest.current(text),
      admit: () => {
        opened.current += 1;
        return opened.current <= MAX_OPENED;
      },
    }),
    [],
  );
  return <AppConversationContext value={conversation}>{children}</AppConversationContext>;
}
