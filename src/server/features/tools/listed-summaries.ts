import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode, ApprovalPolicy } from "../../../lib/contract/approval";
import type { ToolSummary } from "../../../lib/contract/catalog-tool";
import type { Catalog } from "./catalog";
import type { ToolViews } from "./catalog-entry";

interface ListedSummaryPorts {
  catalog: Pick<Catalog, "entries" | "version">;
  views: Pick<ToolViews, "list">;
  /** Maps that are replaced, never changed. */
  approvals: { readonly modes: ReadonlyMap<string, ApprovalMode>; getPolicy(server: string): ApprovalPolicy | null };
  facts: { readonly owners: ReadonlyMap<string, Actor> };
}

interface Kept {
  summaries: readonly ToolSummary[];
  version: number;
  modes: ReadonlyMap<string, ApprovalMode>;
  owners: ReadonlyMap<string, Actor>;
  /** The policies of the servers whose tools are listed. */
  policies: ReadonlyMap<string, ApprovalPolicy | null>;
}

/**
 * The summaries of all tools. The array is the same one until a tool, its settings or the policy of its server change: a page reads it
 * several times, and looking at each of 5,000 tools takes 25 ms.
 */
export function createListedSummaries({ catalog, views, approvals, facts }: ListedSummaryPorts) {
  let kept: Kept | null = null;

  function isCurrent({ version, modes, owners, policies }: Kept): boolean {
    if (version !== catalog.version || modes !== approvals.modes || owners !== facts.owners) return false;
    for (const [server, policy] of policies) if (approvals.getPolicy(server) !== policy) return false;
    return true;
  }

  return (): readonly ToolSummary[] => {
    if (kept !== null && isCurrent(kept)) return kept.summaries;
    const summaries = Object.freeze(Array.from(catalog.entries.values(), views.list));
    const servers = new Set(summaries.flatMap(({ server }) => server ?? []));
    kept = {
      summaries,
      version: catalog.version,
      modes: approvals.modes,
      owners: facts.owners,
      policies: new Map(Array.from(servers, (server) => [server, approvals.getPolicy(server)])),
    };
    return summaries;
  };
}
