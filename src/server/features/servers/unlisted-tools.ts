import { catalogToolName } from "../../../lib/portable-name";
import type { McpConnections } from "../../engine/mcp-ports";
import { getState, type KnownServer } from "./server-directory";

/** A tool of a server that is not in the catalog; `name` is the server's own where its tools are not known. */
export interface UnlistedTool {
  name: string;
  kind: "tool" | "server";
  server: string;
  reason: "disabled" | "unusable" | "not_connected" | "credentials";
  detail: string;
}

/** Why tools that servers have, or may have, are not in the catalog. @param viewer whose connections count */
export function* listUnlisted(
  servers: Iterable<KnownServer>,
  connections: Pick<McpConnections, "state">,
  viewer: string,
): Iterable<UnlistedTool> {
  for (const server of servers) {
    const { settings, enabled, tools } = server;
    const { name } = settings;
    if (!enabled) {
      const detail = `The server ${name} is disabled`;
      yield { name, kind: "server", server: name, reason: "disabled", detail };
    } else if (server.listedAt === null) yield explainUnread(server, connections, viewer);
    const usable = new Set(tools.flatMap((tool) => (enabled && tool.status === "usable" ? [tool.name] : [])));
    for (const tool of tools) {
      if (tool.name === null || usable.has(tool.name)) continue;
      yield {
        ...{ name: catalogToolName(name, tool.name), kind: "tool", server: name },
        reason: tool.status === "malformed" ? "unusable" : "disabled",
        detail:
          tool.status === "usable"
            ? `The server ${name} is disabled`
            : `${tool.reason ?? "It cannot be called"} (${name})`,
      };
    }
  }
}

function explainUnread(server: KnownServer, connections: Pick<McpConnections, "state">, viewer: string): UnlistedTool {
  const { name, credentials } = server.settings;
  const { status, reason } = getState(server, connections, viewer);
  const unread = { name, kind: "server" as const, server: name };
  if (credentials?.mode === "personal") {
    const detail = `The tools of the server ${name} are not known yet: it takes personal credentials, and no one has connected an account`;
    return { ...unread, reason: "credentials", detail };
  }
  const state = status === "sign_in_needed" ? "needs a sign-in" : `is ${status === "idle" ? "not connected" : status}`;
  const detail = `The tools of the server ${name} are not known yet: it ${state}${reason === null ? "" : ` (${reason})`}`;
  return { ...unread, reason: "not_connected", detail };
}
