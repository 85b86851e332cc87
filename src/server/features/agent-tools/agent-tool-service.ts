import type { Actor } from "../../../lib/contract/actor";
import type { AgentToolSummary } from "../../../lib/contract/agent-tools";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { AgentToolSource } from "../../engine/agent/agent-tool";
import type { ToolService } from "../tools/tool-service";
import type { AgentEndpointService } from "./agent-endpoint";

interface AgentToolServicePorts {
  tools: AgentToolSource;
  endpoint: AgentEndpointService;
  catalog: Pick<ToolService, "create" | "find">;
  /** The definitions of the catalog. */
  listDefinitions(): readonly ToolDefinition[];
}

/** Toolroom's own tools: which there are, where they are served, and their definitions in the catalog. */
export function createAgentToolService({ tools, endpoint, catalog, listDefinitions }: AgentToolServicePorts) {
  return {
    getEndpoint: endpoint.get,
    setEndpoint: endpoint.set,

    async listTools(): Promise<AgentToolSummary[]> {
      const handlers = new Set(
        listDefinitions().flatMap(({ implementation }) =>
          implementation.type === "internal" ? [implementation.handler] : [],
        ),
      );
      return (await tools.load()).map(({ name, action, definition }) => ({
        name,
        description: definition.description,
        operation: action,
        annotations: definition.annotations ?? {},
        inCatalog: handlers.has(name),
      }));
    },

    /** Creates a tool of the catalog for each one whose name is free there, so that runs and toolsets can use them. */
    async addTools(actor: Actor): Promise<{ added: string[]; present: string[] }> {
      const added: string[] = [];
      const present: string[] = [];
      for (const { name, definition } of await tools.load()) {
        if (catalog.find(name) !== null) present.push(name);
        else {
          await catalog.create(actor, JSON.stringify(definition));
          added.push(name);
        }
      }
      return { added, present };
    },
  };
}
