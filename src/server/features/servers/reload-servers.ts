import type { EditContext } from "./edit-context";
import { isDisabledEntry } from "./import/normalize-entry";
import { toKnownServer } from "./load-servers";
import type { ToolPin } from "./pin-store";
import type { KnownServer } from "./server-directory";

/** Applies what an import stored about servers; writes nothing. */
export async function reloadServers(context: EditContext): Promise<void> {
  const { ports, servers, updates, applySettings, publishChange } = context;
  const { store, configured, connections } = ports;
  const rows = new Map((await store.list()).map((row) => [row.name, row]));
  const knowledge = new Map((await store.knowledge()).map((known) => [known.name, known]));
  for (const [name, server] of [...servers]) {
    if (server.id === null) {
      const enabled = knowledge.get(name)?.disabled !== true && !isDisabledEntry(configured.entries[name]);
      if (server.enabled === enabled) continue;
      server.enabled = enabled;
      await applySettings(server);
    } else if (rows.get(name)?.id !== server.id) {
      servers.delete(name);
      await updates.clear(name);
      void connections.remove(name);
      publishChange(name);
    }
  }
  for (const [name, row] of rows) {
    const before = servers.get(name);
    // A server of the configuration keeps its name.
    if (before?.id === null) continue;
    const server = toKnownServer(row);
    if (before !== undefined && fingerprint(before) === fingerprint(server)) {
      before.lastEdit = server.lastEdit;
      continue;
    }
    if (before !== undefined) {
      const { listed, listedAt, changes, gate } = before;
      Object.assign(server, { listed, listedAt, changes, gate });
    }
    servers.set(name, server);
    if (before === undefined) await updates.recall(server, knowledge.get(name));
    await applySettings(server);
  }
  await reloadPins(context);
}

/** Decisions on changed tools. */
async function reloadPins({ ports, servers, updates }: EditContext): Promise<void> {
  for (const [name, server] of [...servers]) {
    if ((server.settings.changedTools ?? "off") === "off") continue;
    const stored = await ports.store.pins.list(name);
    if (stampOf(stored) !== stampOf([...server.gate.pins.values()])) await updates.review(server);
  }
}

function stampOf(pins: readonly ToolPin[]): string {
  return JSON.stringify(
    pins.map(({ tool, approved, held }) => [tool, approved?.hash, held?.hash, held?.status]).sort(),
  );
}

function fingerprint({ settings, secrets, enabled, problem }: KnownServer): string {
  return JSON.stringify([settings, secrets, enabled, problem]);
}
