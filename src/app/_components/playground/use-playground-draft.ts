"use client";

import { useQueryStates } from "nuqs";
import { useCallback, useState } from "react";
import { useDraft } from "@/app/_kit/use-draft";
import { joinContexts } from "@/lib/apps/app-context";
import type { AppContext } from "@/lib/contract/app";
import type { ModelChoice } from "@/lib/contract/model";
import type { OutgoingMessage, RunSettings } from "@/lib/contract/run";
import { choicesOf, NO_CHOICES, PLAYGROUND_PARAMS, withParams } from "./playground-params";
import { DEFAULT_DRAFT, draftOf, type SettingsDraft } from "./settings-draft";

/** The next message and the settings that it is sent with. */
export interface PlaygroundDraft extends SettingsDraft {
  text: string;
  /** What Apps say with it. */
  context: AppContext[];
  /** What is sent once the model has answered; empty where nothing is. */
  queued: string;
  /** What goes with the queued message: later updates of Apps do not change it. */
  queuedContext: AppContext[];
}

const NO_MESSAGE = { text: "", context: [], queued: "", queuedContext: [] };

export function joinMessages(first: string, second: string): string {
  return [first, second].filter(Boolean).join("\n\n");
}

/** Puts a queued message back into the field. */
export function unqueue(draft: PlaygroundDraft): PlaygroundDraft {
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
export function usePlaygroundDraft(initial: RunSettings | null, choices: readonly ModelChoice[]) {
  const [params, setParams] = useQueryStates(PLAYGROUND_PARAMS);
  const held = useDraft<PlaygroundDraft>(
    () => ({ ...withParams(initial === null ? DEFAULT_DRAFT : draftOf(initial), params), ...NO_MESSAGE }),
    {
      keptAs: `playground.${params.run ?? "new"}`,
      // Nothing is sent by itself after a visit elsewhere.
      fromKept: (kept) => unqueue({ ...kept, ...withParams(kept, params) }),
    },
  );
  const [modelChosen, setModelChosen] = useState(params.provider !== null && params.model !== null);
  const draft = modelChosen ? held.draft : withKnownModel(held.draft, choices);
  const change = (part: Partial<PlaygroundDraft>): void => {
    held.change(part);
    const choosesModel = "model" in part || "provider" in part;
    if (choosesModel) setModelChosen(true);
    if (choosesModel || "tools" in part) void setParams(choicesOf({ ...draft, ...part }));
  };
  /** Continues the conversation as this run, as a new entry in the browser's history. */
  const setRun = useCallback(
    (id: string): void => void setParams({ ...NO_CHOICES, run: id }, { history: "push" }),
    [setParams],
  );
  const sent = useCallback((): void => void setParams(NO_CHOICES), [setParams]);
  return { runId: params.run, held, draft, change, setRun, sent };
}

/** A model whose provider is gone is not offered again: the first there is takes its place. */
function withKnownModel(draft: PlaygroundDraft, choices: readonly ModelChoice[]): PlaygroundDraft {
  const first = choices[0];
  if (first === undefined || choices.some(({ provider }) => provider === draft.provider)) return draft;
  return { ...draft, provider: first.provider, model: first.model };
}
