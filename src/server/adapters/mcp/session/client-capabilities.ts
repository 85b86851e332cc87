import { TASKS_EXTENSION } from "../../../../lib/mcp-tasks";
import type { ConnectionSettings } from "../../../engine/mcp-ports";

/** What Toolroom can do for a server. */
export function clientCapabilities(settings: ConnectionSettings) {
  return {
    roots: {},
    elicitation: { form: {}, url: {} },
    extensions: { [TASKS_EXTENSION]: {} },
    ...(declaresSampling(settings) ? { sampling: {} } : {}),
  };
}

/** A server whose requests are declined is told in advance. */
export function declaresSampling({ sampling }: ConnectionSettings): boolean {
  return sampling?.mode !== "decline";
}
