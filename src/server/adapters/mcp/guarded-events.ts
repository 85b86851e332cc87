import type { McpConnectionEvents } from "../../engine/mcp-ports";
import type { Logger } from "../../engine/ports";

/** A listener that throws, over what a server made it read, must not end the connection that told it. */
export function guardEvents(events: McpConnectionEvents, logger: Logger): McpConnectionEvents {
  const tell = (server: string, listener: keyof McpConnectionEvents, work: () => void): void => {
    try {
      work();
    } catch (error) {
      logger.error({ server, listener, error: String(error) }, "What a server told could not be taken in");
    }
  };
  return {
    onState: (server, state) => tell(server, "onState", () => events.onState(server, state)),
    onTools: (server, tools) => tell(server, "onTools", () => events.onTools(server, tools)),
    onLog: (server, line) => tell(server, "onLog", () => events.onLog(server, line)),
  };
}
