import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { usePaused } from "@/app/_kit/use-paused-draft";
import { trpc } from "@/app/_trpc/client";
import { MAX_FILTER_CHARS } from "@/lib/contract/tool-filter";
import type { SuggestedTool } from "@/lib/contract/tool-list";

const MOST = 20;
const NONE: readonly SuggestedTool[] = [];

/** Proposes tools for what a user types, once typing pauses. */
export function useSuggestedTools(typed: string, { enabled = true } = {}): readonly SuggestedTool[] {
  const search = usePaused(typed.trim().slice(0, MAX_FILTER_CHARS));
  const options = trpc.tools.suggest.queryOptions({ search, limit: MOST });
  const { data = NONE } = useQuery({ ...options, enabled, placeholderData: keepPreviousData });
  return data;
}
