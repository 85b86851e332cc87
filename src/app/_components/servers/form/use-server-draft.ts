"use client";

import { useState } from "react";
import { type ServerDraft, settingsOf } from "./server-draft";

export interface HeldDraft {
  draft: ServerDraft;
  change: (part: Partial<ServerDraft>) => void;
  replace: (draft: ServerDraft) => void;
  dirty: boolean;
}

/** The draft and whether it differs from what it began as. */
export function useServerDraft(initial: () => ServerDraft): HeldDraft {
  const [draft, setDraft] = useState(initial);
  const [first] = useState(() => JSON.stringify(settingsOf(draft)));
  return {
    draft,
    change: (part) => setDraft((before) => ({ ...before, ...part })),
    replace: setDraft,
    dirty: JSON.stringify(settingsOf(draft)) !== first,
  };
}
