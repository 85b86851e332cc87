import type { ConnectionState } from "../../../lib/contract";
import type { McpConnections } from "../../engine/mcp-ports";
import { type KnownServer, stateOf } from "./server-directory";

/** Why a server that should have a tool does not; waits for one that is still connecting, until `signal` aborts. */
export async function explainMissing(
  connections: Pick<McpConnections, "ready" | "state">,
  prefix: string,
  server: KnownServer | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (!server) return `no MCP server has the prefix '${prefix}'`;
  if (!server.enabled) return `the MCP server '${prefix}' is switched off`;
  const state: ConnectionState =
    server.fault === null ? await connections.ready(prefix, signal) : stateOf(server, connections);
  if (state.status === "connected") return `the MCP server '${prefix}' has no such tool`;
  return `the MCP server '${prefix}' is not connected${state.reason === null ? "" : `: ${state.reason}`}`;
}
