import { createContext, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { AppContext } from "@/lib/contract/app";

export interface AppConversation {
  /** Puts what an App suggests into the draft of the next message. */
  draft: (text: string) => void;
  /** Shows what an App says for the model; empty text takes it away. Throws with a message for the App. */
  updateContext: (context: AppContext) => void;
  /** True for the first calls that ended after `since`: their Apps open without a click. Repeated questions get the same answer. */
  admit: (executionId: string, endedAt: number | null) => boolean;
}

/** Further Apps open on request, since each is a separate document. */
const MAX_OPENED = 2;

/** Gives the conversation around an App; null where there is none. */
export const AppConversationContext = createContext<AppConversation | null>(null);

interface AppConversationProps {
  /** When the newest event happened that the conversation had at first, in epoch milliseconds; null until it is known. */
  since: number | null;
  onDraft: (text: string) => void;
  onContext: (context: AppContext) => void;
  children: ReactNode;
}

export function AppConversationProvider({ since, onDraft, onContext, children }: AppConversationProps) {
  // Keyed by call, since React may render an App several times before it is on the page.
  const [opened] = useState(() => new Set<string>());
  const newest = useRef({ onDraft, onContext });
  // Outside system: an App, which says something at any time.
  useEffect(() => {
    newest.current = { onDraft, onContext };
  });
  const conversation = useMemo(
    () => ({
      draft: (text: string) => newest.current.onDraft(text),
      updateContext: (context: AppContext) => newest.current.onContext(context),
      admit: (executionId: string, endedAt: number | null) => {
        if (opened.has(executionId)) return true;
        if (since === null || endedAt === null || endedAt <= since || opened.size === MAX_OPENED) return false;
        opened.add(executionId);
        return true;
      },
    }),
    [opened, since],
  );
  return <AppConversationContext value={conversation}>{children}</AppConversationContext>;
}
