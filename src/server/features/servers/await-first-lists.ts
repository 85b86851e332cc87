import type { ConnectionState } from "../../../lib/contract/connection-state";
import { catalogToolName } from "../../../lib/portable-name";
import type { MissingReason } from "../../engine/executor/tool-executor";
import type { McpConnections } from "../../engine/mcp-ports";
import type { Clock } from "../../engine/ports";
import { getState, type KnownServer } from "./server-directory";

/** For clients that do not say how long they wait: they read a list once when they start, and most wait longer. */
const LIMIT_MS = 5000;

/** The longest wait of a client. */
const LONGEST_MS = 600_000;

export interface FirstListPorts {
  connections: Pick<McpConnections, "ready" | "state">;
  servers: ReadonlyMap<string, KnownServer>;
  /** Resolves when everything that the server has listed is in the catalog. */
  registered: (name: string) => Promise<void>;
  clock: Pick<Clock, "elapsed">;
  limitMs?: number | undefined;
}

interface Wait {
  /** When a list first waited for the server. */
  since: number;
  /** Resolves when its tools are in the catalog, or its attempt to connect has failed. */
  listed: Promise<unknown>;
}

/**
 * Waits for servers that connect and whose tools are not known from an earlier start. The limit counts from the first list
 * that waited for a server, so a server that hangs delays only the first list. @returns a function that gives null where
 * there is nothing to wait for
 */
export function createFirstListsWait({ connections, servers, registered, clock, limitMs = LIMIT_MS }: FirstListPorts) {
  const waits = new WeakMap<KnownServer, Wait>();

  const isAwaited = (server: KnownServer): boolean =>
    server.listedAt === null && connections.state(server.settings.name)?.status === "connecting";

  function startWait(server: KnownServer): Wait {
    const { name } = server.settings;
    const listed = connections.ready(name, AbortSignal.timeout(LONGEST_MS)).then(() => registered(name));
    const wait = { since: clock.elapsed(), listed: listed.catch(() => undefined) };
    waits.set(server, wait);
    return wait;
  }

  /** @param names of the servers that matter; null: all @param limit of this list, in milliseconds; null for the usual one */
  return (names: readonly string[] | null, limit: number | null): Promise<unknown> | null => {
    const waiting = [...servers.values()]
      .filter((server) => (names === null || names.includes(server.settings.name)) && isAwaited(server))
      .flatMap((server) => {
        const { since, listed } = waits.get(server) ?? startWait(server);
        const leftMs = since + (limit ?? limitMs) - clock.elapsed();
        return leftMs <= 0 ? [] : [Promise.race([listed, sleep(leftMs)])];
      });
    return waiting.length === 0 ? null : Promise.all(waiting);
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

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
