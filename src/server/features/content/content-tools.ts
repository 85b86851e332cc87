import { CONTENT_METHODS, type ContentKind, contentName } from "../../../lib/contract/execution-kind";
import type { JsonSchema } from "../../../lib/contract/json";
import { toLimitKeys } from "../../../lib/contract/tool-definition";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import type { ToolContext } from "../../engine/ports";
import { type ContentPorts, isPersonal } from "./content-ports";

export type ContentTool = NonNullable<ExecuteOptions["provided"]>;

const DESCRIPTIONS = {
  resource: "Reads a resource of an MCP server",
  prompt: "Gets a prompt of an MCP server",
} as const;
const PARAMETERS: Readonly<Record<ContentKind, JsonSchema>> = {
  resource: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
  prompt: {
    type: "object",
    properties: { name: { type: "string" }, arguments: { type: "object" } },
    required: ["name"],
  },
};

/**
 * A read or a prompt get as something that the executor runs: recorded, bounded and cancelled like a call, but in no
 * catalog. One object for a server and its settings, since the log keeps each definition once.
 */
export function createContentTools(ports: Pick<ContentPorts, "connections" | "settings" | "maxStoredBytes">) {
  const known = new Map<string, { settings: unknown; tool: ContentTool }>();

  return (kind: ContentKind, server: string): ContentTool => {
    const settings = ports.settings(server);
    const key = `${kind} ${server}`;
    const found = known.get(key);
    if (found !== undefined && found.settings === settings) return found.tool;
    const method = CONTENT_METHODS[kind];
    const tool: ContentTool = {
      definition: {
        name: contentName(kind, server),
        description: DESCRIPTIONS[kind],
        type: "function",
        handler: method,
        parameters: PARAMETERS[kind],
        implementation: { type: "mcp", server, tool: method },
        annotations: { readOnlyHint: true },
        ...toLimitKeys({ ...settings, maxStoredBytes: ports.maxStoredBytes }),
      } as ContentTool["definition"],
      run: (args: Record<string, unknown>, context: ToolContext) => {
        if (isPersonal(ports, server)) context.usePersonalCredential();
        return ports.connections.content(server, (content) => content.request(method, args, context), context.actor.id);
      },
    };
    known.set(key, { settings, tool });
    return tool;
  };
}
