"use client";

import { useQueryStates } from "nuqs";
import { useCallback, useMemo, useState } from "react";
import type { ModelChoice } from "@/lib/contract/model";
import type { RunSettings } from "@/lib/contract/run";
import { choicesOf, NO_CHOICES, PLAYGROUND_PARAMS, withParams } from "./playground-params";
import { DEFAULT_DRAFT, draftOf, type SettingsDraft } from "./settings-draft";

/**
 * The settings of the next message: at first those of the run, or of the last one, with what the address says before
 * them. What is chosen goes into the address until it is sent; then the run has it.
 */
export function useSettingsDraft(initial: RunSettings | null, choices: readonly ModelChoice[]) {
  const [params, setParams] = useQueryStates(PLAYGROUND_PARAMS);
  const [edited, setEdited] = useState(() => withParams(initial === null ? DEFAULT_DRAFT : draftOf(initial), params));
  const [modelChosen, setModelChosen] = useState(params.provider !== null && params.model !== null);
  const draft = useMemo(() => (modelChosen ? edited : withKnownModel(edited, choices)), [modelChosen, edited, choices]);
  const change = useCallback(
    (part: Partial<SettingsDraft>): void => {
      const next = { ...draft, ...part };
      setEdited(next);
      if ("model" in part || "provider" in part) setModelChosen(true);
      if ("model" in part || "provider" in part || "tools" in part) void setParams(choicesOf(next));
    },
    [draft, setParams],
  );
  /** The conversation goes on as this run; another entry in the browser's history. */
  const setRun = useCallback(
    (id: string): void => void setParams({ ...NO_CHOICES, run: id }, { history: "push" }),
    [setParams],
  );
  const sent = useCallback((): void => void setParams(NO_CHOICES), [setParams]);
  return { runId: params.run, draft, change, setRun, sent };
}

/** A model whose provider is gone is not offered again: the first there is takes its place. */
function withKnownModel(draft: SettingsDraft, choices: readonly ModelChoice[]): SettingsDraft {
  const first = choices[0];
  if (first === undefined || choices.some(({ provider }) => provider === draft.provider)) return draft;
  return { ...draft, provider: first.provider, model: first.model };
}
