"use client";

import { useRef } from "react";
import { fitsMessage, joinContexts } from "@/lib/apps/app-context";
import { type AppContext, countContextChars, MAX_APP_CONTEXT_CHARS } from "@/lib/contract/app";
import type { PlaygroundDraft } from "./use-playground-draft";

export interface AppContextOptions {
  draft: Pick<PlaygroundDraft, "context" | "queuedContext">;
  update: (change: (draft: PlaygroundDraft) => PlaygroundDraft) => void;
}

/** What Apps say to the model: a part of the draft, seen and removable until it is sent. */
export function useAppContext({ draft, update }: AppContextOptions) {
  /** Executions whose Apps add nothing before the next message. */
  const removed = useRef(new Set<string>());
  return {
    /** @throws Error with a message for the App */
    take: (context: AppContext): void => {
      if (removed.current.has(context.executionId)) {
        throw new Error("The person removed this App's context. It can be updated after the next message");
      }
      const all = [...draft.queuedContext, ...draft.context].filter(
        ({ executionId }) => executionId !== context.executionId,
      );
      if (!fitsMessage([...all, context])) {
        const taken = `other Apps take ${countContextChars(all)} of ${MAX_APP_CONTEXT_CHARS} characters`;
        throw new Error(`The context has ${context.text.length} characters: ${taken}`);
      }
      update((before) => {
        const next = joinContexts(before.context, [context]);
        return fitsMessage(next) ? { ...before, context: next } : before;
      });
    },
    remove: (executionId: string): void => {
      removed.current.add(executionId);
      update((before) => ({
        ...before,
        context: before.context.filter((context) => context.executionId !== executionId),
      }));
    },
    /** The message is sent: every App may add to the next one. */
    reset: (): void => removed.current.clear(),
  };
}
