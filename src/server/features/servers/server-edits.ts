import { createMutex } from "../../platform/shared/mutex";
import { createServerAdditions } from "./add-servers";
import { createServerDeletions } from "./delete-servers";
import type { EditContext } from "./edit-context";
import { reloadServers } from "./reload-servers";
import type { KnownServer } from "./server-directory";
import { createServerUpdates } from "./update-servers";

interface EditedServers extends Omit<EditContext, "applySettings" | "runExclusive"> {
  /** Reconnects according to the current settings. */
  connect: (server: KnownServer) => void;
}

/** Changes that users make to servers, one at a time. */
export function createServerEdits({ connect, ...edited }: EditedServers) {
  const context: EditContext = {
    ...edited,
    runExclusive: createMutex(),
    async applySettings(server) {
      await edited.updates.register(server);
      connect(server);
    },
  };
  return {
    /** Runs a write to the database while no one else changes servers; connections and tools follow afterwards. */
    applyStored: <T>(write: () => Promise<T>): Promise<T> =>
      context.runExclusive(async () => {
        const result = await write();
        await reloadServers(context);
        context.ports.onPolicyChanged();
        return result;
      }),
    ...createServerAdditions(context),
    ...createServerUpdates(context),
    ...createServerDeletions(context),
  };
}
