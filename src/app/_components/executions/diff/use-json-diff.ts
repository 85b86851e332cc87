import { useMemo } from "react";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { diffJsonText } from "@/lib/json-diff/diff-json";
import type { JsonDiff } from "@/lib/json-diff/diff-row";

/** Longer texts are compared in the browser alone: a comparison takes up to 130 ms for so many characters of both sides. */
const MAX_CHARS_ON_SERVER = 16_000;

/** The differences of two texts; null in the server's HTML of long ones, and where there is nothing to compare. */
export function useJsonDiff(left: string | null, right: string | null): JsonDiff | null {
  const hydrated = useHydrated();
  const isCompared = left !== null && right !== null && (hydrated || left.length + right.length <= MAX_CHARS_ON_SERVER);
  return useMemo(() => (isCompared ? diffJsonText(left, right) : null), [left, right, isCompared]);
}
