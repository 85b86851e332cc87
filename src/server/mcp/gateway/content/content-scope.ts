import { getUiResource } from "../../../../lib/apps/tool-app";
import { admitsTool } from "../../../../lib/contract/access";
import type { ToolCallResult } from "../../../../lib/contract/content";
import { getServerName, type ToolDefinition } from "../../../../lib/contract/tool-definition";
import { namesResources } from "../../../platform/shared/result-uris";
import { withoutServerInfo } from "../call-message";
import { type CatalogView, servesServer } from "../catalog/catalog-view";
import type { GatewayPorts } from "../gateway-ports";
import type { ContentScope } from "./content-port";

const scopes = new WeakMap<CatalogView, ContentScope>();

/**
 * The servers whose resources and prompts an address serves: all of its servers or those that its toolset names, none where
 * the address or the token names single tools.
 */
export function contentScope(
  view: CatalogView,
  ports: Pick<GatewayPorts, "serverNames" | "ownContents" | "toolset">,
): ContentScope {
  const { query, principal } = view;
  const { token } = principal;
  const { toolset } = query;
  const chosen = toolset === undefined ? null : (ports.toolset?.(toolset)?.toolset.contents ?? []);
  const servers = ports
    .serverNames()
    .concat(ports.ownContents?.() ?? [])
    .filter((name) => servesServer(query, name))
    .filter((name) => chosen === null || chosen.includes(name))
    .filter((name) => query.tools === null && (token === null || admitsTool(token, "", name, toolset)))
    .sort();
  const known = scopes.get(view);
  if (known?.actor.id === principal.id && known.servers.join() === servers.join()) return known;
  const scope = {
    actor: { id: principal.id },
    servers,
    own: query.server !== null,
    plainNames: query.plainNames && query.server !== null,
  };
  scopes.set(view, scope);
  return scope;
}

/** The server of the tool that names a URI for its user interface, among the tools of this address; null for no such tool. */
export function findUiServer(view: CatalogView, uri: string): { server: string; uri: string } | null {
  for (const { definition, listed } of view.listed()) {
    if (getUiResource(listed) !== uri) continue;
    const server = getServerName(definition);
    const own = getUiResource(definition);
    if (server !== null && own !== null) return { server, uri: own };
  }
  return null;
}

/** Whether a tool of this address has a user interface. */
export function hasUi(view: CatalogView): boolean {
  return view.listed().some(({ listed }) => getUiResource(listed) !== null);
}

/** The result of a server's tool as clients of this address get it: with URIs that they know, without the server's identity. */
export function mapCallResult(
  ports: Pick<GatewayPorts, "content" | "serverNames" | "ownContents" | "toolset">,
  view: CatalogView,
  tool: ToolDefinition | undefined,
  answer: ToolCallResult,
): ToolCallResult {
  const { content } = ports;
  const result = withoutServerInfo(answer);
  if (content === undefined || view.query.server !== null || tool?.implementation.type !== "mcp") return result;
  if (!namesResources(result)) return result;
  return content.mapResult(contentScope(view, ports), tool.implementation.server, result) as ToolCallResult;
}
