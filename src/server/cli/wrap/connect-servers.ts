import { getMessage } from "../../../lib/get-message";
import { runConcurrently } from "../../../lib/run-concurrently";
import type { WrapCatalog } from "./plan-wrap";
import type { PlannedServer } from "./write-import";

/** Each server may install packages first. */
const AT_ONCE = 8;
export const SIGN_IN_NOTE = "sign in to it in Toolroom";
const WORKING = ["connected", "idle", "disabled"];

/** How the first connection of a server ended. */
export interface FirstConnection {
  /** Why it does not work; null where it does. */
  failure: string | null;
  /** The step that is left for the user; null for none. */
  note: string | null;
}

/** Connects each server once, whichever clients have it. @returns by their names in Toolroom */
export async function connectServers(
  names: readonly string[],
  catalog: Pick<WrapCatalog, "connect">,
): Promise<Map<string, FirstConnection>> {
  const ended = new Map<string, FirstConnection>();
  await runConcurrently(new Set(names), AT_ONCE, async (name) => {
    ended.set(name, await connectServer(name, catalog));
  });
  return ended;
}

async function connectServer(name: string, catalog: Pick<WrapCatalog, "connect">): Promise<FirstConnection> {
  try {
    const { status, reason } = await catalog.connect(name);
    if (status === "sign_in_needed") return { failure: null, note: SIGN_IN_NOTE };
    const failure = WORKING.includes(status) ? null : `did not connect: ${reason ?? status}`;
    return { failure, note: null };
  } catch (error) {
    return { failure: `did not connect: ${getMessage(error)}`, note: null };
  }
}

/** Leaves servers that do not connect with their client. */
export function keepFailing(
  servers: readonly PlannedServer[],
  connections: ReadonlyMap<string, FirstConnection>,
): PlannedServer[] {
  return servers.map((server) => {
    const { failure = null, note = null } = connections.get(server.importedAs) ?? {};
    if (server.action !== "move" || (failure === null && note === null)) return server;
    if (failure !== null) return { ...server, action: "stay", reason: failure, isFailing: true };
    return { ...server, notes: [...server.notes, note ?? ""] };
  });
}
