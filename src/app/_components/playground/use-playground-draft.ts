import { useQueryStates } from "nuqs";
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { useDraft } from "@/app/_kit/use-draft";
import { fitsMessage, joinContexts } from "@/lib/apps/app-context";
import { type AppContext, countContextChars, MAX_APP_CONTEXT_CHARS } from "@/lib/contract/app";
import type { ModelChoice } from "@/lib/contract/model";
import type { OutgoingMessage, RunSettings } from "@/lib/contract/run";
import { NO_CHOICES, PLAYGROUND_PARAMS, toChoices, withParams } from "./playground-params";
import { DEFAULT_DRAFT, type SettingsDraft, toDraft } from "./settings-draft";

/** The next message with its settings. */
interface PlaygroundDraft extends SettingsDraft {
  text: string;
  /** The texts that Apps add to the message. */
  context: AppContext[];
  /** The message that is sent once the model has answered; empty for none. */
  queued: string;
  /** The texts sent with the queued message: later updates of Apps do not change them. */
  queuedContext: AppContext[];
}

const NO_MESSAGE = { text: "", context: [], queued: "", queuedContext: [] };

export function joinMessages(first: string, second: string): string {
  return [first, second].filter(Boolean).join("\n\n");
}

/** Puts a queued message back into the field. */
function unqueue(draft: PlaygroundDraft): PlaygroundDraft {
  const { queued, queuedContext } = draft;
  return withMessage({ ...draft, queued: "", queuedContext: [] }, { text: queued, appContext: queuedContext });
}

/** Puts a message that was not sent back before what is written now. */
export function withMessage(draft: PlaygroundDraft, { text, appContext }: OutgoingMessage): PlaygroundDraft {
  return { ...draft, text: joinMessages(text, draft.text), context: joinContexts(appContext, draft.context) };
}

/**
 * The next message and its settings: at first those of the run, or of the last one, with what the address says before
 * them. What is chosen goes into the address until it is sent; then the run has it. What is not sent is kept in this tab.
 */
export function usePlaygroundDraft(initial: RunSettings | null, choices: readonly ModelChoice[], runId: string | null) {
  const [params, setParams] = useQueryStates(PLAYGROUND_PARAMS);
  const held = useDraft<PlaygroundDraft>(
    () => ({ ...withParams(initial === null ? DEFAULT_DRAFT : toDraft(initial), params), ...NO_MESSAGE }),
    {
      keptAs: `playground.${runId ?? "new"}`,
      // A draft that was queued before the user left the page is not sent automatically.
      fromKept: (kept) => unqueue({ ...kept, ...withParams(kept, params) }),
    },
  );
  const [modelChosen, setModelChosen] = useState(params.provider !== null && params.model !== null);
  const draft = modelChosen ? held.draft : withKnownModel(held.draft, choices);
  const change = (part: Partial<PlaygroundDraft>): void => {
    held.change(part);
    const choosesModel = "model" in part || "provider" in part;
    if (choosesModel) setModelChosen(true);
    if (choosesModel || "tools" in part) void setParams(toChoices({ ...draft, ...part }));
  };
  /** Continues the conversation as this run, as a new entry in the browser's history. */
  const setRun = useCallback(
    (id: string): void => void setParams({ ...NO_CHOICES, run: id }, { history: "push" }),
    [setParams],
  );
  const sent = useCallback((): void => void setParams(NO_CHOICES), [setParams]);
  return { held, draft, change, setRun, sent };
}

/** A model whose provider is gone is not offered again: the first there is takes its place. */
function withKnownModel(draft: PlaygroundDraft, choices: readonly ModelChoice[]): PlaygroundDraft {
  const first = choices[0];
  if (first === undefined || choices.some(({ provider }) => provider === draft.provider)) return draft;
  return { ...draft, provider: first.provider, model: first.model };
}

interface AppContextOptions {
  draft: Pick<PlaygroundDraft, "context" | "queuedContext">;
  update: (change: (draft: PlaygroundDraft) => PlaygroundDraft) => void;
}

/** Keeps the texts that Apps add for the model as a part of the draft, visible and removable until it is sent. */
export function useAppContext({ draft, update }: AppContextOptions) {
  /** Executions whose Apps add no context before the next message. */
  const removed = useRef(new Set<string>());
  return {
    /** @throws Error with a message for the App */
    take: (context: AppContext): void => {
      if (removed.current.has(context.executionId)) {
        throw new Error("The user removed this App's context. It can be updated after the next message");
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

interface QueuedMessageOptions {
  /** Its queued message is kept when the page is left. */
  draft: Pick<PlaygroundDraft, "queued" | "queuedContext">;
  update: (change: (draft: PlaygroundDraft) => PlaygroundDraft) => void;
  going: boolean;
  /** Whether the run's last turn succeeded. */
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
    /** Adds a message; several waiting ones are joined. */
    add: ({ text, appContext }: OutgoingMessage): void =>
      update((before) => ({
        ...before,
        queued: joinMessages(queued, text),
        queuedContext: joinContexts(queuedContext, appContext),
      })),
    giveBack,
  };
}
