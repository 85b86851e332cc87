import { isDisabledEntry } from "./import/normalize-entry";
import type { KnownServers } from "./known-servers";
import { toKnownServer } from "./load-servers";
import type { KnownServer } from "./server-directory";
import type { ServerServicePorts } from "./server-ports";
import type { ToolPin } from "./server-store";
import type { ToolUpdates } from "./tool-updates";

interface ReloadPorts extends Pick<ServerServicePorts, "store" | "configured" | "connections"> {
  known: KnownServers;
  updates: ToolUpdates;
  applySettings: (server: KnownServer) => Promise<void>;
}

/** Applies what an import stored about servers; writes nothing. */
export async function reloadServers(ports: ReloadPorts): Promise<void> {
  const { store, configured, connections, known, updates, applySettings } = ports;
  const { servers } = known;
  const rows = new Map((await store.list()).map((row) => [row.name, row]));
  const knowledge = new Map((await store.knowledge()).map((known) => [known.name, known]));
  for (const [name, server] of [...servers]) {
    if (server.id === null) {
      const enabled = knowledge.get(name)?.disabled !== true && !isDisabledEntry(configured.entries[name]);
      if (server.enabled === enabled) continue;
      known.change(server, { enabled });
      await applySettings(server);
    } else if (rows.get(name)?.id !== server.id) {
      known.remove(name);
      await updates.clear(name);
      void connections.remove(name);
    }
  }
  for (const [name, row] of rows) {
    const before = servers.get(name);
    // A server of the configuration keeps its name.
    if (before?.id === null) continue;
    const server = toKnownServer(row);
    if (before !== undefined && fingerprint(before) === fingerprint(server)) {
      known.change(before, { lastEdit: server.lastEdit });
      continue;
    }
    if (before !== undefined) {
      const { listed, listedAt, changes, gate } = before;
      Object.assign(server, { listed, listedAt, changes, gate });
    }
    known.put(server);
    if (before === undefined) await updates.recall(server, knowledge.get(name));
    await applySettings(server);
  }
  await reloadPins(ports);
}

/** Decisions on changed tools. */
async function reloadPins({ store, known, updates }: ReloadPorts): Promise<void> {
  for (const [name, server] of [...known.servers]) {
    if ((server.settings.changedTools ?? "off") === "off") continue;
    const stored = await store.pins.list(name);
    if (formatStamp(stored) !== formatStamp([...server.gate.pins.values()])) await updates.review(server);
  }
}

function formatStamp(pins: readonly ToolPin[]): string {
  return JSON.stringify(
    pins.map(({ tool, approved, held }) => [tool, approved?.hash, held?.hash, held?.status]).sort(),
  );
}

function fingerprint({ settings, secrets, enabled, problem }: KnownServer): string {
  return JSON.stringify([settings, secrets, enabled, problem]);
}
