import { useCallback, useMemo, useSyncExternalStore } from "react";
import {
  type ArgumentsAction,
  type ArgumentsDispatch,
  argumentsReducer,
} from "@/app/_kit/arguments-editor/arguments-reducer";
import { type ArgumentsState, createArgumentsState } from "@/app/_kit/arguments-editor/arguments-state";
import type { InteractionAnswer } from "@/lib/contract/interaction";
import type { JsonSchema } from "@/lib/contract/json";
import { describeField } from "@/lib/schema/describe/describe-field";
import { formLimit } from "@/lib/schema/describe/form-support";

/** The text that a user has typed for one request. */
interface QuestionDraft {
  /** The answer to a form; null as long as nothing is changed. */
  form: ArgumentsState | null;
  /** The answer to a sampling request. */
  text: string;
  model: string;
}

const NOTHING_TYPED: QuestionDraft = { form: null, text: "", model: "" };
/** The number of questions whose drafts are kept; the oldest is dropped first. */
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

/** The values of a form: first its defaults, and no choice of each required list, since that can be the answer. */
function startForm(schema: JsonSchema): ArgumentsState {
  const entries = describeField(schema, schema).properties.flatMap(({ name, schema: node, required }) => {
    const { kind, defaultValue } = describeField(node, schema);
    const value = defaultValue ?? (required && kind === "array" ? [] : undefined);
    return value === undefined ? [] : [[name, value]];
  });
  return createArgumentsState(JSON.stringify(Object.fromEntries(entries)), formLimit(schema));
}

export function useFormDraft(id: string, schema: JsonSchema): readonly [ArgumentsState, ArgumentsDispatch] {
  const { draft } = useQuestionDraft(id);
  const initial = useMemo(() => startForm(schema), [schema]);
  const dispatch = useCallback(
    (action: ArgumentsAction) =>
      changeDraft(id, (before) => ({ ...before, form: argumentsReducer(before.form ?? initial, action) })),
    [id, initial],
  );
  return [draft.form ?? initial, dispatch];
}

/**
 * Remembers what this tab answers, so that the tab does not report it as another user's answer; null withdraws it.
 * Called before the answer is sent: the question may leave the list before the server's response arrives.
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
