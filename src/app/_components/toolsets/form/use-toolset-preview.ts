"use client";

import { useCallback } from "react";
import { useVerdict } from "@/app/_kit/use-verdict";
import { useTRPCClient } from "@/app/_trpc/client";
import type { ToolsetInput, ToolsetPreview } from "@/lib/contract";

export interface ShownPreview {
  /** Null until the first answer. */
  preview: ToolsetPreview | null;
  /** False while the newest draft has not been judged. */
  current: boolean;
  failure: string | null;
}

/** What the toolset would show, asked while it is being written. @param input null: it cannot be read yet */
export function useToolsetPreview(input: ToolsetInput | null): ShownPreview {
  const client = useTRPCClient();
  // The name has no part in it, and is often not valid yet.
  const text = input === null ? null : JSON.stringify({ ...input, name: "draft" });
  const ask = useCallback(
    (draftText: string, signal: AbortSignal) =>
      client.toolsets.preview.mutate(JSON.parse(draftText) as ToolsetInput, { signal }),
    [client],
  );
  const { judged, answer, failure } = useVerdict(text, ask);
  return { preview: answer, current: judged === text, failure };
}
