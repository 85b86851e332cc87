import { APP_MIME_TYPE, APPS_EXTENSION } from "../../../../lib/apps/tool-app";
import { TASKS_EXTENSION } from "../../../../lib/mcp-tasks";
import type { ConnectionSettings } from "../../../engine/mcp-ports";

/** Returns the capabilities that Toolroom declares to a server. */
export function clientCapabilities(settings: ConnectionSettings) {
  return {
    roots: {},
    elicitation: { form: {}, url: {} },
    // Declares Apps, since the console shows them and clients of the gateway may.
    extensions: { [TASKS_EXTENSION]: {}, [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } },
    ...(declaresSampling(settings) ? { sampling: {} } : {}),
  };
}

/** Whether sampling is declared: a server whose requests are declined learns so in advance. */
export function declaresSampling({ sampling }: ConnectionSettings): boolean {
  return sampling?.mode !== "decline";
}
