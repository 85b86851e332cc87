import type { Permission } from "../../../lib/contract/access";
import type { ServerDetail } from "../../../lib/contract/server";
import { permissionForAddress, permissionForServer } from "../../../lib/contract/server-kind";

/** Reads the current state of a server. */
interface ServerReads {
  get(name: string): Pick<ServerDetail, "settings" | "enabled" | "credentials">;
}

/** What changing a server takes: one that starts a command, or reads a variable, needs more. */
export const demandForServer = (servers: ServerReads, name: string): Permission =>
  permissionForServer(servers.get(name).settings);

/** The settings before and after the edit count. */
export const demandForUpdate = (servers: ServerReads, name: string, settings: unknown): Permission =>
  demandForServer(servers, name) === "edit" ? permissionForServer(settings) : "administer";

export const demandForImport = (added: readonly { settings: unknown }[]): Permission =>
  added.some(({ settings }) => permissionForServer(settings) === "administer") ? "administer" : "edit";

/**
 * The permission for settings that are read as those of an API, regardless of their transport. Stored values of the
 * edited server may be used.
 */
export function demandForDocument(servers: ServerReads, settings: object, editing: string | undefined): Permission {
  const mayEdit = editing === undefined || demandForServer(servers, editing) === "edit";
  return mayEdit ? permissionForAddress({ ...settings, transport: undefined }) : "administer";
}

/** Connecting one's own account leads to calls; connecting everyone's changes the server. */
export const demandForSignIn = (servers: ServerReads, name: string): Permission =>
  servers.get(name).credentials === "personal" ? "run" : "edit";

/** A server in the audit log, without its secrets. */
export function toServerState(servers: ServerReads, name: string) {
  const { settings, enabled } = servers.get(name);
  return { enabled, settings };
}

/** Names of the environment values and headers that a request sets: their values show nowhere. */
export function listReplacedSecrets(settings: unknown): { valuesReplaced?: string[] } {
  const { env, headers, query } = (settings ?? {}) as Record<string, unknown>;
  const given = [env, headers, query].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const names = given.flatMap((entry) => {
    const { name, value } = (entry ?? {}) as Record<string, unknown>;
    return typeof name === "string" && typeof value === "string" && !value.includes("$") ? [name] : [];
  });
  return names.length === 0 ? {} : { valuesReplaced: names };
}
