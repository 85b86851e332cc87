import type { Actor } from "../../../lib/contract/actor";
import type { ServerDetail } from "../../../lib/contract/server";
import { AppError } from "../../platform/shared/app-error";
import { nameConflict } from "../../platform/shared/name-conflict";
import { type EditContext, findEditable } from "./edit-context";
import { toKnownServer } from "./load-servers";
import { toDetail } from "./server-directory";

/** Deleting servers and undoing it. */
export function createServerDeletions(context: EditContext) {
  const { ports, servers, updates, applySettings, publishChange, runExclusive } = context;
  const { connections, store } = ports;
  return {
    async delete(_actor: Actor, name: string, revision?: number): Promise<{ id: string }> {
      const { id, closed } = await runExclusive(async () => {
        const { id } = findEditable(context, name);
        await store.delete(id, revision);
        servers.delete(name);
        await updates.clear(name);
        await ports.forgetServerTools(name, { keepFacts: true });
        publishChange(name);
        // Awaited outside the mutex: ending the server's processes may take a while.
        return { id, closed: connections.remove(name) };
      });
      await closed;
      return { id };
    },

    /** Undoes a delete. @throws AppError when another server has taken the name since */
    restore: (_actor: Actor, id: string): Promise<ServerDetail> =>
      runExclusive(async () => {
        const row = await store.restore(id);
        if (row === null) throw new AppError("NOT_FOUND", "There is no deleted server with this id to restore");
        if (servers.has(row.name)) {
          await store.delete(row.id);
          throw nameConflict("server", row.name);
        }
        const server = toKnownServer(row);
        const knowledge = await store.knowledge();
        servers.set(row.name, server);
        await updates.recall(
          server,
          knowledge.find(({ name }) => name === row.name),
        );
        await applySettings(server);
        return toDetail(server, ports);
      }),
  };
}
