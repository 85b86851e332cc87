import {
  RUN_SOURCE_LABELS,
  RUN_SOURCES,
  RUN_STATUS_LABELS,
  RUN_STATUSES,
} from "@/app/_components/runs/summary/run-labels";
import { defineFilters, manyOf, oneName, searchText } from "@/app/_kit/list/filters";

/** The filters of the list of runs in the address; server and browser read the same. */
export const RUN_FILTERS = defineFilters(
  {
    q: searchText({ label: "Search runs", placeholder: "Search titles" }),
    status: manyOf(RUN_STATUSES, { label: "Status", words: RUN_STATUS_LABELS }),
    source: manyOf(RUN_SOURCES, { label: "Source", words: RUN_SOURCE_LABELS }),
    provider: oneName(100),
    model: oneName(200),
  },
  "Filter runs",
);

/** Rows of a page of the list. */
export const RUN_PAGE_ROWS = 50;
