import { useEffect, useEffectEvent, useRef, useState } from "react";
import { readKept, writeKept } from "./kept-draft";

interface KeptDraftOptions {
  /** Names the draft in this tab; null keeps nothing. A draft whose name changes moves with it. */
  name: string | null;
  /** Identifies the edited version. */
  base: string;
  /** Null while nothing is unsaved, undefined while the draft cannot be written. */
  text: string | null | undefined;
  /** Whether secrets were left out of the text. */
  withheld?: boolean;
  onRestore: (text: string, base: string) => void;
}

export interface KeptDraftState {
  /** Whether the draft of an earlier visit is shown. */
  restored: boolean;
  /** True when the edited value has changed since the draft began. */
  changed: boolean;
  /** Whether secrets of the restored draft were not kept. */
  withheld: boolean;
  /** Bases the draft on the current saved version. */
  rebase: () => void;
}

/** Keeps a draft in this tab while it differs from what is saved, and restores it on the next visit. */
export function useKeptDraft({ name, base, text, withheld = false, onRestore }: KeptDraftOptions): KeptDraftState {
  const held = useRef<string | null>(null);
  const [start, setStart] = useState({ base, restored: false, withheld: false });
  if (text === null && (start.restored || start.base !== base)) setStart({ base, restored: false, withheld: false });

  const open = useEffectEvent((from: string) => {
    const kept = text === null ? readKept(from) : null;
    if (kept === null) return;
    onRestore(kept.text, kept.base);
    setStart({ base: kept.base, restored: true, withheld: kept.withheld });
  });
  // Outside system: the tab's storage, which the server does not see.
  useEffect(() => {
    const before = held.current;
    held.current = name;
    if (before === null && name !== null) return open(name);
    if (before !== null && before !== name) writeKept(before, null);
    if (name === null || text === undefined) return;
    writeKept(name, text === null ? null : { base: start.base, text, withheld });
  }, [name, text, withheld, start.base]);

  const untouched = text === null;
  return {
    restored: start.restored && !untouched,
    changed: start.base !== base && !untouched,
    withheld: start.withheld && !untouched,
    rebase: () => setStart({ ...start, base }),
  };
}
