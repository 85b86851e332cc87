"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

/** A text of which a page first has the beginning. */
export interface CutText {
  text: string;
  /** Characters that are not loaded; 0: it is whole. */
  rest: number;
  loadMore: () => void;
  loadAll: () => void;
  loading: boolean;
  error: string | null;
}

/** Loads the rest of a text on demand, in slices. `chars` is the length of the whole; `head` what is here of it. */
export function useCutText(
  head: string,
  chars: number,
  loadSlice: (offset: number) => Promise<{ text: string; chars: number }>,
): CutText {
  const [loaded, setLoaded] = useState<string | null>(null);
  const text = loaded ?? head;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (whole: boolean) => {
      for (let known = text; known.length < chars; ) {
        const slice = await loadSlice(known.length);
        if (slice.text === "") return;
        known += slice.text;
        setLoaded(known);
        if (!whole) return;
      }
    },
  });
  return {
    text,
    rest: Math.max(0, chars - text.length),
    loadMore: () => mutate(false),
    loadAll: () => mutate(true),
    loading: isPending,
    error: error?.message ?? null,
  };
}
