import type { ConnectionState } from "../../../lib/contract/connection-state";
import { catalogToolName } from "../../../lib/portable-name";
import type { MissingReason } from "../../engine/executor/tool-executor";
import type { McpConnections } from "../../engine/mcp-ports";
import { getState, type KnownServer } from "./server-directory";

/** Clients of the gateway read a list once when they start; most wait longer than this. */
const LIMIT_MS = 5000;

export interface FirstListPorts {
  connections: Pick<McpConnections, "ready" | "state">;
  servers: ReadonlyMap<string, KnownServer>;
  /** Resolves when everything that the server has listed is in the catalog. */
  registered: (name: string) => Promise<void>;
  limitMs?: number | undefined;
}

/**
 * Waits for servers that connect and whose tools are not known from an earlier start. Each is waited for once, so that one
 * that hangs delays the first list only. @returns a function that gives null where there is nothing to wait for
 */
export function createFirstListsWait({ connections, servers, registered, limitMs = LIMIT_MS }: FirstListPorts) {
  const waits = new WeakMap<KnownServer, Promise<void>>();
  const over = new WeakSet<KnownServer>();

  function isAwaited(server: KnownServer): boolean {
    return (
      server.listedAt === null && !over.has(server) && connections.state(server.settings.name)?.status === "connecting"
    );
  }

  async function wait(server: KnownServer): Promise<void> {
    const { name } = server.settings;
    const limit = AbortSignal.timeout(limitMs);
    const elapsed = new Promise<void>((resolve) => limit.addEventListener("abort", () => resolve(), { once: true }));
    const listed = connections.ready(name, limit).then(() => registered(name));
    await Promise.race([listed.catch(() => undefined), elapsed]);
    over.add(server);
  }

  /** @param name of the one server that matters; null: all */
  return (name: string | null): Promise<unknown> | null => {
    const awaited = [...servers.values()].filter(
      (server) => (name === null || server.settings.name === name) && isAwaited(server),
    );
    if (awaited.length === 0) return null;
    const waiting = awaited.map((server) => {
      const known = waits.get(server) ?? wait(server);
      waits.set(server, known);
      return known;
    });
    return Promise.all(waiting);
  };
}

interface MissingToolPorts {
  connections: Pick<McpConnections, "ready" | "state">;
  find: (prefix: string) => KnownServer | undefined;
  /** Resolves when everything that the server has listed is in the catalog. */
  registered: (prefix: string) => Promise<void>;
}

/**
 * Why a server that should have a tool does not: waits for one that is still connecting, and for its tools to reach the
 * catalog, until `signal` aborts.
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
    before.problem === null ? await connections.ready(prefix, signal) : getState(before, connections);
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

/** Why a tool that the server lists is not in the catalog; null where it lists none of the name. */
function reasonListed({ tools, settings }: KnownServer, toolName: string): string | null {
  const listed = tools.filter(({ name }) => name !== null && catalogToolName(settings.name, name) === toolName);
  if (listed.some(({ status }) => status === "usable")) return null;
  return listed[0]?.reason ?? null;
}
