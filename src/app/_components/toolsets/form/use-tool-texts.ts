import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import type { ListedTool, ToolPage } from "@/lib/contract/tool-list";

/** The number of names that one request reads. */
const STEP = 50;

export type ToolTexts = Pick<ListedTool, "title" | "description">;

/** The texts of a tool that are not read yet. */
export const NO_TEXTS: ToolTexts = { title: null, description: "" };

const combine = (reads: readonly { data: ToolPage | undefined }[]): ReadonlyMap<string, ToolTexts> =>
  new Map(reads.flatMap(({ data }) => data?.items ?? []).map((tool) => [tool.name, tool]));

/** Titles and descriptions of these tools, as the catalog has them. */
export function useToolTexts(names: readonly string[]): ReadonlyMap<string, ToolTexts> {
  const parts = Array.from({ length: Math.ceil(names.length / STEP) }, (_, at) =>
    names.slice(at * STEP, (at + 1) * STEP),
  );
  return useQueries({
    queries: parts.map((part) => ({
      ...trpc.tools.list.queryOptions({ filter: { names: part }, limit: STEP }),
      placeholderData: keepPreviousData,
    })),
    combine,
  });
}
