import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { usePaused } from "@/app/_kit/use-paused-draft";
import { trpc } from "@/app/_trpc/client";
import { MAX_FILTER_CHARS } from "@/lib/contract/tool-filter";
import type { SuggestedTool } from "@/lib/contract/tool-list";

const MOST = 20;
const NONE: readonly SuggestedTool[] = [];

/** Proposes tools for what a user types, once typing pauses. */
export function useSuggestedTools(typed: string, options: { enabled?: boolean } = {}): readonly SuggestedTool[] {
  return useToolSearch(typed, options).tools;
}

interface ToolSearchOptions {
  enabled?: boolean;
  limit?: number;
}

/** The same, and whether the tools belong to what is typed now. */
export function useToolSearch(typed: string, { enabled = true, limit = MOST }: ToolSearchOptions) {
  const wanted = typed.trim().slice(0, MAX_FILTER_CHARS);
  const search = usePaused(wanted);
  const options = trpc.tools.suggest.queryOptions({ search, limit });
  const { data = NONE, isFetching } = useQuery({ ...options, enabled, placeholderData: keepPreviousData });
  return { tools: data, isBusy: isFetching || search !== wanted };
}
