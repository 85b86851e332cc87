import { needsAttention } from "@/app/_components/servers/summary/needs-attention";
import { CONNECTION_STATUSES, STATUS_WORDS } from "@/app/_components/servers/summary/server-words";
import { defineFilters, oneOf, type Params, searchText, toggle } from "@/app/_kit/list/filters";
import type { ServerSummary } from "@/lib/contract/server";
import { SERVER_TRANSPORTS, TRANSPORT_LABELS } from "@/lib/contract/server-kind";
import { createWordMatcher } from "@/lib/match-words";

/** The filters of the servers in the address, so that a link shows the same list. */
export const SERVER_FILTERS = defineFilters({
  q: searchText({ label: "Search servers", placeholder: "Search name, command, address", instant: true }),
  state: oneOf(CONNECTION_STATUSES, { label: "State", words: STATUS_WORDS }),
  transport: oneOf(SERVER_TRANSPORTS, { label: "Transport", words: TRANSPORT_LABELS }),
  attention: toggle({ label: "Needs attention" }),
});

export type ServerFilters = Params<typeof SERVER_FILTERS.filters>;

/** By name; every word of the search must occur in name, title, target or what the server calls itself. */
export function filterServers(servers: readonly ServerSummary[], filters: ServerFilters): ServerSummary[] {
  const matches = createWordMatcher(filters.q);
  const matching = servers.filter((server) => {
    if (filters.state !== null && server.state.status !== filters.state) return false;
    if (filters.transport !== null && server.transport !== filters.transport) return false;
    if (filters.attention && !needsAttention(server)) return false;
    const { peer } = server.state;
    return matches(server.name, server.title, server.target, peer?.name, peer?.title);
  });
  return matching.sort((one, other) => (one.name < other.name ? -1 : 1));
}
