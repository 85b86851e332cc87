import type { ConnectionState } from "../../../lib/contract/connection-state";
import { catalogueToolName } from "../../../lib/portable-name";
import type { MissingReason } from "../../engine/executor/tool-executor";
import type { McpConnections } from "../../engine/mcp-ports";
import { type KnownServer, stateOf } from "./server-directory";

export interface MissingToolPorts {
  connections: Pick<McpConnections, "ready" | "state">;
  find: (prefix: string) => KnownServer | undefined;
  /** Resolves when everything that the server has listed is in the catalogue. */
  registered: (prefix: string) => Promise<void>;
}

/**
 * Why a server that should have a tool does not: waits for one that is still connecting, and for its tools to reach the
 * catalogue, until `signal` aborts.
 */
export async function explainMissing(
  { connections, find, registered }: MissingToolPorts,
  prefix: string,
  toolName: string,
  signal: AbortSignal,
): Promise<Exclude<MissingReason, null>> {
  const before = find(prefix);
  if (!before) return `no server has the prefix '${prefix}'`;
  if (!before.enabled) return `the server '${prefix}' is switched off`;
  const state: ConnectionState =
    before.problem === null ? await connections.ready(prefix, signal) : stateOf(before, connections);
  await registered(prefix);
  const reason = reasonListed(find(prefix) ?? before, toolName);
  if (reason !== null) return { unusable: `${reason} (as the server '${prefix}' lists it)` };
  const isPersonal = state.status === "idle";
  if (isPersonal && before.listedAt === null) {
    return `the tools of the server '${prefix}' are not known yet: connect your account on its page in the console, or press Test there`;
  }
  if (isPersonal || state.status === "connected") return `the server '${prefix}' has no such tool`;
  return `the server '${prefix}' is not connected${state.reason === null ? "" : `: ${state.reason}`}`;
}

/** Why a tool that the server lists is not in the catalogue; null where it lists none of the name. */
function reasonListed({ tools, settings }: KnownServer, toolName: string): string | null {
  const listed = tools.filter(({ name }) => name !== null && catalogueToolName(settings.name, name) === toolName);
  if (listed.some(({ status }) => status === "usable")) return null;
  return listed[0]?.reason ?? null;
}
