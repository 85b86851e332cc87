import type { ConnectionSettings } from "../../engine/mcp-ports";
import { AppError } from "../../platform/shared/app-error";
import type { KnownServers } from "./known-servers";
import { prepareServer } from "./prepare-server";
import { toDetail } from "./server-directory";
import type { ServerServicePorts } from "./server-ports";
import { toConnectionSettings, toInvalidError } from "./server-settings";

type BaselinePorts = Pick<ServerServicePorts, "connections" | "others" | "variables" | "getMask">;

/** A connection of its own to another version of a server: its address or command, with what may be sent there of the server's settings. */
export function createBaselineConnection(ports: BaselinePorts, { servers, find }: KnownServers) {
  return (
    name: string,
    target: { command: string; args: string[] } | { url: string },
    connection: string,
  ): ConnectionSettings => {
    const { settings } = toDetail(find(name), ports);
    const isPersonal = settings.credentials?.mode === "personal";
    const isFit = "command" in target ? "command" in settings : "url" in settings;
    if (isPersonal || !isFit) {
      const reason = isPersonal ? "its users have credentials of their own" : `it is reached by ${settings.transport}`;
      throw new AppError(
        "INVALID",
        `baseline: does not fit the server '${name}': ${reason}. Leave it out to compare with recorded results`,
      );
    }
    const prepared = prepareServer({ ...settings, ...target }, (each) => servers.get(each), ports);
    if ("problems" in prepared) throw toInvalidError(prepared.problems);
    const { settings: read, secrets, missing } = prepared;
    if (missing.length > 0) {
      throw new AppError(
        "INVALID",
        `baseline: ${missing.join(", ")} is not sent to another origin: use an address of the server's own one`,
      );
    }
    const own = { ...read, ...("single" in read && { single: false }) };
    return { ...toConnectionSettings(own, secrets, true), name: connection };
  };
}
