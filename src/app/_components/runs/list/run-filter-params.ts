import { type inferParserType, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { RUN_SOURCES, RUN_STATUSES } from "@/app/_components/runs/summary/run-labels";
import type { RunFilter } from "@/lib/contract/run";

/** The filters of the list of runs in the address; server and browser read the same. */
export const RUN_FILTER_PARAMS = {
  status: parseAsArrayOf(parseAsStringLiteral(RUN_STATUSES)).withDefault([]),
  source: parseAsArrayOf(parseAsStringLiteral(RUN_SOURCES)).withDefault([]),
  provider: parseAsString.withDefault(""),
  model: parseAsString.withDefault(""),
  q: parseAsString.withDefault(""),
};

export type RunFilterParams = inferParserType<typeof RUN_FILTER_PARAMS>;

/** Rows of a page of the list. */
export const RUN_PAGE_ROWS = 50;

/** What the server is asked; longer texts than it takes are cut, so that a long address is no error. */
export function toRunFilter(params: RunFilterParams): RunFilter {
  const q = params.q.trim().slice(0, 200);
  return {
    ...(params.status.length > 0 ? { status: params.status } : {}),
    ...(params.source.length > 0 ? { source: params.source } : {}),
    ...(params.provider !== "" ? { provider: params.provider.slice(0, 100) } : {}),
    ...(params.model !== "" ? { model: params.model.slice(0, 200) } : {}),
    ...(q !== "" ? { q } : {}),
  };
}
