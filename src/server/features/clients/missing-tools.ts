import type { Principal } from "../../../lib/contract/access";
import { admitsTool } from "../../../lib/contract/access";
import type { LeftOut } from "../../../lib/contract/client";
import type { ServedView } from "../../engine/client-ports";
import type { ListContent } from "./client-store";

/** A tool that no client receives, or a server whose tools are not known. */
export interface MissingTool extends LeftOut {
  /** Null for tools of Toolroom. */
  server: string | null;
}

/** A tool that clients may receive. */
export interface KnownTool {
  name: string;
  server: string | null;
}

export interface CatalogFacts {
  /** Lists the enabled tools. */
  tools(): readonly KnownTool[];
  /** The missing tools of a user, who may have personal connections. */
  missing(userId: string): MissingTool[];
}

const MAX_NAMED = 2_000;

/** The tools of an address that the list of a view omits. */
export function findLeftOut(facts: CatalogFacts, view: ServedView): Pick<ListContent, "leftOut" | "leftOutCount"> {
  const { query, principal } = view;
  const belongs = ({ name, server }: { name: string; server: string | null }): boolean =>
    isServed(query, server) || isServed(query, name);
  const found: LeftOut[] = [];
  for (const { server, ...missing } of facts.missing(principal.id)) {
    if (belongs({ ...missing, server })) found.push(missing);
  }
  const given = new Set(view.listed().map(({ definition }) => definition.name));
  for (const { name, server } of facts.tools()) {
    if (!belongs({ name, server }) || given.has(name) || view.find(name) !== undefined) continue;
    found.push({ name, kind: "tool", reason: "limit", detail: explainLimit(view, principal, { name, server }) });
  }
  return { leftOut: found.slice(0, MAX_NAMED), leftOutCount: found.length };
}

/** Whether an address serves a server; null for Toolroom itself. */
function isServed({ server, servers }: ServedView["query"], name: string | null): boolean {
  if (server !== null) return name === server;
  return servers === undefined || (name !== null && servers.includes(name));
}

/** Why an address, or the token that it is used with, does not have a tool of the catalog. */
export function explainLimit({ query }: ServedView, { token }: Principal, { name, server }: KnownTool): string {
  const { tools, toolset } = query;
  if (token !== null && !admitsTool(token, name, server, toolset)) {
    return `The token ${token.name ?? token.id} is limited to other tools`;
  }
  if (toolset !== undefined) return `The toolset ${toolset} does not contain it`;
  if (query.server !== null && server !== query.server) return `The address serves the server ${query.server} only`;
  if (!isServed(query, server)) return `The address serves the servers ${query.servers?.join(", ")} only`;
  if (tools !== null) return "The address names other tools in ?tools=";
  return "The address does not serve it";
}
