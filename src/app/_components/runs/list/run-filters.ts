import {
  RUN_SOURCE_LABELS,
  RUN_SOURCES,
  RUN_STATUS_LABELS,
  RUN_STATUSES,
} from "@/app/_components/runs/summary/run-labels";
import { defineFilters, manyOf, oneName, searchText } from "@/app/_kit/list/filters";

const FILTERS = {
  q: searchText({ label: "Search conversations", placeholder: "Search titles" }),
  status: manyOf(RUN_STATUSES, { label: "Status", words: RUN_STATUS_LABELS }),
  source: manyOf(RUN_SOURCES, { label: "Kind", words: RUN_SOURCE_LABELS }),
};

const LABEL = "Filter conversations";
const CONVERSATION_FILTERS = defineFilters(FILTERS, LABEL);
const RUN_FILTERS = defineFilters({ ...FILTERS, provider: oneName(100), model: oneName(200) }, LABEL);

/**
 * The filters of the list in the address. They stay there while conversations are opened. At `/runs` a link may also name a
 * model; on the other pages these parameters are the settings of the next message.
 */
export function getRunFilters(pathname: string): typeof CONVERSATION_FILTERS {
  // The list treats both as one filter, regardless of its fields.
  return pathname === "/runs" ? (RUN_FILTERS as unknown as typeof CONVERSATION_FILTERS) : CONVERSATION_FILTERS;
}

export const RUN_PAGE_ROWS = 50;
