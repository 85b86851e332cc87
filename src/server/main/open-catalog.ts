import type { Principal } from "../../lib/contract/access";
import { AUTOMATION } from "../../lib/contract/actor";
import type { ConnectionState } from "../../lib/contract/connection-state";
import { serverOperations } from "../features/servers/server-operations";
import { sharingOperations } from "../features/sharing/sharing-operations";
import type { ImportRequest } from "../features/sharing/sharing-service";
import type { Operation } from "../platform/api/operation";
import { performOperation } from "../platform/api/perform-operation";
import { isDatabaseMissing } from "../platform/db/describe-database";
import type { ApiContext } from "./api/context";
import { createContainer } from "./container";
import type { Env } from "./env";

export { readEnv } from "./env";

/** A user who may open the database may change it: the audit log names the command. */
const COMMAND: Principal = { ...AUTOMATION, role: "admin", token: null, origin: { door: "system", address: null } };

type Act<Output> = Operation<"act", unknown, Output>;

/**
 * Export and import for a command, without a running server: nothing is connected but what it asks for, until it closes.
 * @throws Error where an export would create the database
 */
export async function openCatalog(env: Env, { create }: { create: boolean }) {
  if (!create && isDatabaseMissing(env.database)) {
    throw new Error(`There is no database ${env.database.location}: set DATABASE_URL to the one the server uses`);
  }
  const { services, stopping, close } = await createContainer(env, { offline: true });
  const recheck = async () => COMMAND;
  const context: ApiContext = { actor: COMMAND, services, source: "api", sessionId: null, recheck, stopping };
  const perform = async <Output>(action: string, operation: Act<Output>, input: object): Promise<Output> =>
    (await performOperation(action, operation, context, input)) as Output;
  const sharing = sharingOperations.each;
  const servers = serverOperations.each;
  return {
    export: (options: { versions: boolean; exportedAt: boolean }) =>
      perform("sharing.export", sharing.export, {
        ...options,
        format: "catalogue",
        tools: null,
        servers: null,
        toolsets: null,
        skills: null,
        rules: null,
      }),
    preview: (text: string) => perform("sharing.preview", sharing.preview, { text }),
    import: (request: ImportRequest) => perform("sharing.import", sharing.import, request),
    async connect(name: string): Promise<Pick<ConnectionState, "status" | "reason">> {
      const { enabled, state } = services.servers.get(name, COMMAND.id);
      return enabled ? (await perform("servers.reconnect", servers.reconnect, { name })).state : state;
    },
    remove: async (name: string): Promise<void> => void (await perform("servers.delete", servers.delete, { name })),
    close,
  };
}
