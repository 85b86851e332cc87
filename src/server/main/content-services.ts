import { newExecutionId } from "../../lib/execution-id";
import { systemClock, type ToolEngine } from "../create-tool-engine";
import type { McpConnections } from "../engine/mcp-ports";
import { createAppService } from "../features/apps/app-service";
import { createConsoleContent } from "../features/content/console-content";
import { createContentService } from "../features/content/content-service";
import type { ExecutionService } from "../features/executions/execution-service";
import type { ServerService } from "../features/servers/server-service";
import type { Foundation } from "./foundation";
import { SERVER_TOOL_STORED_BYTES } from "./server-services";

interface ContentParts {
  connections: McpConnections;
  engine: ToolEngine;
  executions: ExecutionService;
  servers: ServerService;
  onCatalogueChanged(listener: () => void): () => void;
}

/** Resources, prompts and completions of the connected servers, for the gateway and the console, and their Apps. */
export function createContentServices(foundation: Foundation, parts: ContentParts) {
  const { connections, engine, executions, servers, onCatalogueChanged } = parts;
  const { logger, config } = foundation;
  const content = createContentService({
    connections,
    settings: servers.settings,
    tools: () => engine.registry.list(),
    execute: executions.execute,
    maxStoredBytes: config.limits.maxStoredBytes ?? SERVER_TOOL_STORED_BYTES,
    withoutSecrets: foundation.masking.inValue,
    clock: systemClock,
    logger,
  });
  onCatalogueChanged(content.toolsChanged);
  return {
    content,
    consoleContent: createConsoleContent({ content, requireServer: servers.get, newId: newExecutionId }),
    apps: createAppService({
      ...{ executions, content, tools: engine.registry, requireServer: servers.get, newId: newExecutionId },
      connectedAt: (server, { id }) => connections.state(server, id)?.connectedAt ?? null,
    }),
  };
}
