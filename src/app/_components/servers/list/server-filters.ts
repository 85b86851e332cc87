import { parseAsBoolean, parseAsString, parseAsStringLiteral } from "nuqs";
import { needsAttention } from "@/app/_components/servers/summary/needs-attention";
import { CONNECTION_STATUSES, TRANSPORTS } from "@/app/_components/servers/summary/server-words";
import type { ConnectionStatus, ServerSummary, ServerTransport } from "@/lib/contract/server";

/** The address holds the filters, so a link shows the same list. */
export const serverFilterParsers = {
  q: parseAsString.withDefault(""),
  state: parseAsStringLiteral(CONNECTION_STATUSES),
  transport: parseAsStringLiteral(TRANSPORTS),
  attention: parseAsBoolean.withDefault(false),
};

export interface ServerFilters {
  q: string;
  state: ConnectionStatus | null;
  transport: ServerTransport | null;
  attention: boolean;
}

export const NO_SERVER_FILTERS = { q: null, state: null, transport: null, attention: null } as const;

export function isFiltered({ q, state, transport, attention }: ServerFilters): boolean {
  return q !== "" || state !== null || transport !== null || attention;
}

/** By name; every word of the search must occur in name, title, target or what the server calls itself. */
export function filterServers(servers: readonly ServerSummary[], filters: ServerFilters): ServerSummary[] {
  const words = filters.q.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = servers.filter((server) => {
    if (filters.state !== null && server.state.status !== filters.state) return false;
    if (filters.transport !== null && server.transport !== filters.transport) return false;
    if (filters.attention && !needsAttention(server)) return false;
    const { peer } = server.state;
    const text =
      `${server.name} ${server.title ?? ""} ${server.target} ${peer?.name ?? ""} ${peer?.title ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return matching.sort((one, other) => (one.name < other.name ? -1 : 1));
}
