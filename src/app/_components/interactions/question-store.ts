import { useSyncExternalStore } from "react";
import type { InteractionAnswer } from "@/lib/contract";
import type { FormDraft } from "./read-form";

/** What a person has typed for one question. */
export interface QuestionDraft extends FormDraft {
  /** The answer to a sampling request. */
  text: string;
  model: string;
}

const NOTHING_TYPED: QuestionDraft = { fields: new Map(), sentEmpty: new Set(), text: "", model: "" };
/** Questions whose drafts are kept; the oldest goes first. */
const MAX_KEPT = 100;

/**
 * Drafts by question, for as long as the tab lives: the same question stands in the inbox and in the panel of its call, and
 * either may go and come back without losing what was typed. Written by event handlers only, so never on the server.
 */
const drafts = new Map<string, QuestionDraft>();
const outcomes = new Map<string, InteractionAnswer["action"]>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function keep<T>(held: Map<string, T>, id: string, value: T): void {
  held.delete(id);
  held.set(id, value);
  const [oldest] = held.keys();
  if (held.size > MAX_KEPT && oldest !== undefined) held.delete(oldest);
}

function changeDraft(id: string, change: (before: QuestionDraft) => QuestionDraft): void {
  keep(drafts, id, change(drafts.get(id) ?? NOTHING_TYPED));
  for (const listener of listeners) listener();
}

export function useQuestionDraft(id: string) {
  const draft = useSyncExternalStore(
    subscribe,
    () => drafts.get(id) ?? NOTHING_TYPED,
    () => NOTHING_TYPED,
  );
  return { draft, change: (next: (before: QuestionDraft) => QuestionDraft) => changeDraft(id, next) };
}

/**
 * Remembers what this tab answers, so that no part of it says that somebody else did; null takes it back. Told before the
 * answer is sent: the question may leave the list before the server's word about it arrives.
 */
export function setOutcome(id: string, action: InteractionAnswer["action"] | null): void {
  if (action === null) outcomes.delete(id);
  else keep(outcomes, id, action);
  for (const listener of listeners) listener();
}

export function forgetDraft(id: string): void {
  drafts.delete(id);
}

/** How this tab answered; null where it did not. */
export function useOutcome(id: string): InteractionAnswer["action"] | null {
  return useSyncExternalStore(
    subscribe,
    () => outcomes.get(id) ?? null,
    () => null,
  );
}
