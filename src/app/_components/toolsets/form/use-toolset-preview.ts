"use client";

import { useCallback, useRef } from "react";
import type { Refusal } from "@/app/_kit/problems";
import { useVerdict } from "@/app/_kit/use-verdict";
import { useTRPCClient } from "@/app/_trpc/client";
import type { Problem } from "@/lib/contract/problem";
import type { ToolsetInput, ToolsetPreview } from "@/lib/contract/toolset";

const NONE: readonly Problem[] = [];

export interface ShownPreview {
  /** The preview of the last valid draft; null until the first response. */
  preview: ToolsetPreview | null;
  /** Why the newest draft is refused. */
  problems: readonly Problem[];
  /** False while the newest draft has not been judged. */
  current: boolean;
  failure: string | null;
}

/** Previews the toolset while it is being written. @param input null: it cannot be read yet */
export function useToolsetPreview(input: ToolsetInput | null): ShownPreview {
  const client = useTRPCClient();
  // The name has no part in it, and is often not valid yet.
  const text = input === null ? null : JSON.stringify({ ...input, name: "draft" });
  const valid = useRef<ToolsetPreview | null>(null);
  const ask = useCallback(
    async (draftText: string, signal: AbortSignal) => {
      try {
        valid.current = await client.toolsets.preview.mutate(JSON.parse(draftText) as ToolsetInput, { signal });
        return { preview: valid.current, problems: NONE };
      } catch (error) {
        const { data } = error as Refusal;
        if (!data?.problems.length) throw error;
        return { preview: valid.current, problems: data.problems };
      }
    },
    [client],
  );
  const { judged, answer, failure } = useVerdict(text, ask);
  return { preview: null, problems: NONE, ...answer, current: judged === text, failure };
}
