import { useState } from "react";
import { type KeptDraftState, useKeptDraft } from "./use-kept-draft";

export interface DraftState<Draft> {
  draft: Draft;
  change(part: Partial<Draft>): void;
  /** Changes the newest draft, also twice before the next render. */
  update(change: (draft: Draft) => Draft): void;
  replace(draft: Draft): void;
  /** Whether the draft differs from its initial value. */
  dirty: boolean;
  /** Marks this draft as saved: it is no longer unsaved or kept. */
  settle(draft: Draft): void;
  /** Starts again with the saved version. */
  discard: () => void;
  kept: KeptDraftState;
  /** Identifies the version that the draft began with. */
  base: string;
  /** Another version that was saved since, and the one that the draft began with where it is known; null for none. */
  conflict: { theirs: Draft; before: Draft | null } | null;
  /** Starts with the saved version and these changes of it. */
  rebase(draft: Draft): void;
}

export interface DraftOptions<Draft> {
  /** The part of the draft that would be saved; differences elsewhere do not make it dirty. */
  toSaved?: (draft: Draft) => unknown;
  /** Names the draft in this tab, where it outlives the page; without a name it does not. */
  keptAs?: string;
  /** Identifies the edited version. */
  base?: string;
  /** The part of the draft that may be kept: without its secrets. */
  toKept?: (draft: Draft) => Draft;
  /** Completes a kept draft, such as with keys of rows that this page has not used. */
  fromKept?: (draft: Draft) => Draft;
}

/** Holds the draft that a form edits. */
export function useDraft<Draft extends object>(
  initial: () => Draft,
  options: DraftOptions<Draft> = {},
): DraftState<Draft> {
  const { toSaved = same, keptAs = null, base = "", toKept = same, fromKept = same } = options;
  const [draft, setDraft] = useState(initial);
  const [first, setFirst] = useState(() => JSON.stringify(toSaved(draft)));
  const [start, setStart] = useState<{ base: string; draft: Draft | null }>(() => ({ base, draft }));
  const dirty = JSON.stringify(toSaved(draft)) !== first;

  const settle = (next: Draft): void => {
    setDraft(next);
    setFirst(JSON.stringify(toSaved(next)));
    setStart({ base, draft: next });
  };
  const theirs = base === start.base ? null : initial();
  const differs = theirs !== null && dirty && JSON.stringify(toSaved(theirs)) !== JSON.stringify(toSaved(draft));
  // A form without changes, or with the same ones, shows the saved version.
  if (theirs !== null && !differs) settle(theirs);
  const written = dirty && keptAs !== null ? JSON.stringify(toKept(draft)) : null;
  const kept = useKeptDraft({
    name: keptAs,
    base,
    text: written,
    withheld: written !== null && written !== JSON.stringify(draft),
    onRestore: (text, keptBase) => {
      setStart({ base: keptBase, draft: keptBase === base ? initial() : null });
      setDraft((before) => fromKept(mergeKept(before, text)));
    },
  });
  return {
    draft,
    change: (part) => setDraft((before) => ({ ...before, ...part })),
    update: setDraft,
    replace: (next) => setDraft(() => next),
    dirty,
    settle,
    discard: () => settle(initial()),
    kept,
    base: start.base,
    conflict: differs ? { theirs, before: start.draft } : null,
    rebase(next) {
      kept.rebase();
      settle(initial());
      setDraft(() => next);
    },
  };
}

function same<Draft>(draft: Draft): Draft {
  return draft;
}

/** The draft with the parts of a kept one that have the same type: an older version may have written it. */
function mergeKept<Draft extends object>(draft: Draft, text: string): Draft {
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== "object" || kept === null) return draft;
    const fitting = Object.entries(kept).filter(([key, value]) => {
      const current: unknown = draft[key as keyof Draft];
      return (
        Object.hasOwn(draft, key) && typeof current === typeof value && Array.isArray(current) === Array.isArray(value)
      );
    });
    return { ...draft, ...Object.fromEntries(fitting) };
  } catch {
    return draft;
  }
}
