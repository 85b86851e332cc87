import { SERVER_KINDS } from "../../../lib/contract/server-kind";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import { AppError } from "../../platform/shared/app-error";
import type { KnownServers } from "./known-servers";
import { toConnectionSettings } from "./server-settings";

/** The settings for a connection of its own to a server, for checks from outside. */
export function createTestedConnection({ find }: Pick<KnownServers, "find">, isPaused: () => boolean) {
  /** @throws AppError for a server that cannot be tested */
  return (name: string): ConnectionSettings => {
    const { settings, secrets, problem, enabled } = find(name);
    const refuse = (reason: string): AppError => new AppError("INVALID", `name: the server '${name}' ${reason}`);
    if (isPaused()) {
      throw new AppError(
        "UNAVAILABLE",
        `Server '${name}' is not tested: this Toolroom is paused. An admin resumes it first`,
      );
    }
    if (!enabled) throw refuse("is disabled: enable it first");
    if (problem !== null) throw refuse(`cannot connect: ${problem}`);
    if (!SERVER_KINDS[settings.transport].speaksMcp) throw refuse("is an HTTP API, which does not speak MCP");
    if (settings.transport === "sse") throw refuse("uses the transport of 2024-11-05, which the checks do not cover");
    if (settings.credentials?.mode === "personal") {
      throw refuse(
        "has credentials of each user: test its address with toolroom check --conformance <address> --header …",
      );
    }
    return toConnectionSettings(settings, secrets, true);
  };
}
