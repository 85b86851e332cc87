import type { McpConnections } from "../../engine/mcp-ports";
import type { KnownServer } from "./server-directory";

/** Clients of the gateway read a list once when they start; most wait longer than this. */
const LIMIT_MS = 5000;

export interface FirstListPorts {
  connections: Pick<McpConnections, "ready" | "state">;
  servers: ReadonlyMap<string, KnownServer>;
  /** Resolves when everything that the server has listed is in the catalogue. */
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
