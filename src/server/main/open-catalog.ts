import type { Principal } from "../../lib/contract/access";
import { AUTOMATION } from "../../lib/contract/actor";
import type { ConnectionState } from "../../lib/contract/connection-state";
import { isDatabaseMissing } from "../platform/db/describe-database";
import { createContainer } from "./container";
import type { Env } from "./env";

export { readEnv } from "./env";

/** A user who may open the database may change it: the audit log names the command. */
const COMMAND: Principal = { ...AUTOMATION, role: "admin", token: null, origin: { door: "system", address: null } };

/**
 * Export and import for a command, without a running server: nothing is connected but what it asks for, until it closes.
 * @throws Error where an export would create the database
 */
export async function openCatalog(env: Env, { create }: { create: boolean }) {
  if (!create && isDatabaseMissing(env.database)) {
    throw new Error(`There is no database ${env.database.location}: set DATABASE_URL to the one the server uses`);
  }
  const { services, close } = await createContainer(env, { offline: true });
  const { sharing, servers } = services;
  return {
    export: (options: { versions: boolean; exportedAt: boolean }) =>
      sharing.export(COMMAND, { ...options, format: "catalogue", tools: null, servers: null, toolsets: null }),
    preview: (text: string) => sharing.preview(COMMAND, text),
    import: (request: Parameters<typeof sharing.import>[1]) => sharing.import(COMMAND, request),
    async connect(name: string): Promise<Pick<ConnectionState, "status" | "reason">> {
      const { enabled, state } = servers.get(name, COMMAND.id);
      return enabled ? (await servers.reconnect(COMMAND, name)).state : state;
    },
    remove: async (name: string): Promise<void> => void (await servers.delete(COMMAND, name)),
    close,
  };
}
