import { compareForReaders } from "../../../lib/compare-for-readers";
import type { ServerSummary } from "../../../lib/contract/server";
import type { ServerFilter, ServerOverview, ServerPage, SuggestedServer } from "../../../lib/contract/server-list";
import { createWordMatcher } from "../../../lib/match-words";
import { createScore } from "../../../lib/score-match";
import { needsAttention } from "../../../lib/server-attention";
import { toServerKeywords } from "../../../lib/server-keywords";
import { takeNamedPage } from "../../platform/shared/take-page";

/** The number of servers of each kind that Overview names. */
const MAX_SHOWN = 5;

const byName = (one: ServerSummary, other: ServerSummary): number => compareForReaders(one.name, other.name);

const isUndecided = ({ heldCount, appliedCount }: Pick<ServerSummary, "heldCount" | "appliedCount">): boolean =>
  heldCount + appliedCount > 0;

/** Filters by name; every word of the search must occur in the name, the title, the target or the server's own name. */
export function filterServers(servers: readonly ServerSummary[], filter: ServerFilter): ServerSummary[] {
  const matches = createWordMatcher(filter.q ?? "");
  const matching = servers.filter((server) => {
    if (filter.state !== undefined && server.state.status !== filter.state) return false;
    if (filter.transport !== undefined && server.transport !== filter.transport) return false;
    if (filter.attention && !needsAttention(server)) return false;
    const { peer } = server.state;
    return matches(server.name, server.title, server.target, peer?.name, peer?.title);
  });
  return matching.sort(byName);
}

/** The servers that match a search best, by name among equals. */
export function suggestServers(
  servers: readonly ServerSummary[],
  { search, limit }: { search: string; limit: number },
): SuggestedServer[] {
  const toScore = createScore(search);
  const scored = servers.toSorted(byName).flatMap(({ name, title, transport, target, state: { status } }) => {
    const score = toScore({ label: name, keywords: toServerKeywords({ title, transport, target }) });
    return score === 0 ? [] : [{ server: { name, title, transport, target, status }, score }];
  });
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ server }) => server);
}

interface PageRequest {
  filter: ServerFilter;
  cursor?: string | undefined;
  limit: number;
}

export function pageServers(servers: readonly ServerSummary[], { filter, cursor, limit }: PageRequest): ServerPage {
  const matching = filterServers(servers, filter);
  return {
    ...takeNamedPage(matching, { cursor, limit }),
    matching: matching.length,
    total: servers.length,
    attention: servers.filter(needsAttention).length,
    changed: servers.some(isUndecided),
  };
}

/** Summarizes the servers for Overview. */
export function describeServers(servers: readonly ServerSummary[]): ServerOverview {
  const waiting = filterServers(servers, { attention: true });
  const changed = servers
    .filter(({ lastChange, heldSkillCount }) => lastChange !== null || heldSkillCount > 0)
    .sort(
      (one, other) =>
        Number(isUndecided(other)) - Number(isUndecided(one)) ||
        (other.lastChange?.at ?? 0) - (one.lastChange?.at ?? 0),
    );
  const hasListed = ({ toolCount, state }: ServerSummary): boolean => toolCount > 0 || state.status === "connected";
  return {
    attention: { items: waiting.slice(0, MAX_SHOWN), count: waiting.length },
    changed: changed.slice(0, MAX_SHOWN),
    sample: servers.find(hasListed) ?? servers[0] ?? null,
  };
}
