import { defineFilters, oneOf, type Params, searchText, toggle } from "@/app/_kit/list/filters";
import { SERVER_TRANSPORTS, TRANSPORT_LABELS } from "@/lib/contract/server-kind";
import { CONNECTION_STATUSES, STATUS_WORDS } from "../summary/server-words";

/** More than a window shows; the HTML of a page has the first rows. */
const FIRST_ROWS = 25;
const ROWS = 100;

/** The filters of the servers in the address, so that a link shows the same list. */
export const SERVER_FILTERS = defineFilters({
  q: searchText({ label: "Search servers", placeholder: "Search name, command, address" }),
  state: oneOf(CONNECTION_STATUSES, { label: "State", words: STATUS_WORDS }),
  transport: oneOf(SERVER_TRANSPORTS, { label: "Transport", words: TRANSPORT_LABELS }),
  attention: toggle({ label: "Needs attention" }),
});

/** The input of the list for the filters in the address: the page prefetches what its view reads. */
export function toListInput(params: Params<typeof SERVER_FILTERS.filters>) {
  return { filter: SERVER_FILTERS.toFilter(params), first: FIRST_ROWS, limit: ROWS };
}
