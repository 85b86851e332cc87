"use client";

import { useState } from "react";

export interface DraftState<Draft> {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  replace: (draft: Draft) => void;
  /** Whether it differs from what it began as. */
  dirty: boolean;
}

/** What a form edits. @param toSaved what of the draft would be saved; differences elsewhere do not make it dirty */
export function useDraft<Draft extends object>(
  initial: () => Draft,
  toSaved: (draft: Draft) => unknown = (draft) => draft,
): DraftState<Draft> {
  const [draft, setDraft] = useState(initial);
  const [first] = useState(() => JSON.stringify(toSaved(draft)));
  return {
    draft,
    change: (part) => setDraft((before) => ({ ...before, ...part })),
    replace: setDraft,
    dirty: JSON.stringify(toSaved(draft)) !== first,
  };
}
