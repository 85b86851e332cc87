import type { McpConnectionEvents } from "../../../engine/mcp-ports";
import type { Logger } from "../../../engine/ports";

/** Logs what a listener throws: a server's output must not end its connection that way. */
export function createSafeEvents(events: McpConnectionEvents, logger: Logger): McpConnectionEvents {
  const publish = (server: string, listener: keyof McpConnectionEvents, work: () => void): void => {
    try {
      work();
    } catch (error) {
      logger.error({ server, listener, error: String(error) }, "A server's event could not be processed");
    }
  };
  return {
    onState: (server, state) => publish(server, "onState", () => events.onState(server, state)),
    onTools: (server, tools) => publish(server, "onTools", () => events.onTools(server, tools)),
    onLog: (server, line) => publish(server, "onLog", () => events.onLog(server, line)),
    onContent: (...told) => publish(told[0], "onContent", () => events.onContent(...told)),
  };
}
