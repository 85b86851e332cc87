import { randomUUID } from "node:crypto";
import path from "node:path";
import { isAllowedHost } from "../../lib/http-guard/host-policy";
import { systemClock, type ToolEngine } from "../create-tool-engine";
import type { ApiDocuments, McpConnections } from "../engine/mcp-ports";
import type { ExecutionStore } from "../features/executions/execution-store";
import { ConsoleViewers } from "../features/interactions/console-viewers";
import { createInteractionService } from "../features/interactions/interaction-service";
import { createServerStore } from "../features/servers/db/server-store";
import { createServerService } from "../features/servers/server-service";
import type { ServerStore } from "../features/servers/server-store";
import type { ToolService } from "../features/tools/tool-service";
import { createMcpConnections } from "../mcp/client/mcp-connections";
import { endOrphaned } from "../mcp/client/process/orphaned-processes";
import { createOpenApiConnections } from "../openapi/openapi-connections";
import { runExclusively } from "../platform/coordination/run-exclusively";
import { createConfigTextParser } from "../platform/workers/config-text-parser";
import type { PersonalParts } from "./credential-services";
import type { Foundation } from "./foundation";
import type { LateServices } from "./late-services";

/** Stored bytes of a result unless configured: larger than for other tools, so that a screenshot in base64 fits. */
export const SERVER_TOOL_STORED_BYTES = 4_194_304;

/** Between SIGTERM and SIGKILL, for processes that an earlier Toolroom left running. */
const ABANDONED_GRACE_MS = 1000;

/** The connections to MCP servers. The engine needs them, and the server service needs the engine's catalogue. */
export function createConnections(foundation: Foundation, late: LateServices, personal: PersonalParts) {
  const { env, db, logger, secretBox, secrets, version, addresses } = foundation;
  const serverStore = createServerStore({ db, secretBox, clock: systemClock });
  const openApi = createOpenApiConnections(env.rootDir);
  const common = { logger, clock: systemClock, variables: env.variables, rootDir: env.rootDir, addresses, secrets };
  const connections = createMcpConnections({
    ...common,
    folderOf: (server) => path.join(path.dirname(env.database.keyFile), "servers", server),
    api: openApi.create,
    events: {
      onState: (...told) => late.get("servers").events.onState(...told),
      onTools: (...told) => late.get("servers").events.onTools(...told),
      onLog: (...told) => late.get("servers").events.onLog(...told),
      onContent: (...told) => late.get("content").onChange(...told),
    },
    credentials: {
      ...serverStore.credentials,
      exclusively: (server, work) => runExclusively(foundation.coordination.locks, `sign-in:${server}`, work),
    },
    personal,
    protocols: serverStore.protocols,
    interactions: {
      ask: (question, signal) => late.get("interactions").broker.ask(foundation.masking.inValue(question), signal),
    },
    sampling: { respond: (...asked) => late.get("sampling").responder.respond(...asked) },
    client: { name: "toolroom", version },
  });
  return { store: serverStore, connections, documents: openApi.documents(common) };
}

interface ServerParts {
  store: ServerStore;
  connections: McpConnections;
  documents: ApiDocuments;
  engine: ToolEngine;
  tools: ToolService;
  executionStore: Pick<ExecutionStore, "summary">;
  offline: boolean;
}

/** MCP servers and what they ask of people. */
export function createServerServices(foundation: Foundation, parts: ServerParts) {
  const { store, connections, documents, engine, tools, executionStore, offline } = parts;
  const { env, logger, live, config, masking } = foundation;
  const configTexts = createConfigTextParser({ rootDir: env.rootDir });
  const servers = createServerService({
    connections,
    documents,
    offline,
    parseConfigText: configTexts.parse,
    store,
    setServerTools: tools.setServerTools,
    schemaNotes: tools.schemaNotes,
    forgetServerTools: tools.forgetServerTools,
    isSwitchedOff: tools.isSwitchedOff,
    approvalOf: tools.approvalOf,
    keptApprovals: tools.keptApprovals,
    onPolicyChanged() {
      live.publish({ type: "tools" });
      live.publish({ type: "approvals" });
    },
    renameServerTools: tools.renameServerTools,
    isOwnOrigin: (origin) =>
      isAllowedHost(new URL(origin).host, foundation.hostPolicy) || isOrigin(origin, env.publicUrl),
    configured: { entries: config.mcpServers, path: config.path },
    variables: env.variables,
    maxStoredBytes: config.limits.maxStoredBytes ?? SERVER_TOOL_STORED_BYTES,
    rootDir: env.rootDir,
    maskOf: (secret) => masking.maskOf(JSON.stringify(secret)),
    withoutSecrets: masking.inValue,
    clock: systemClock,
    logger,
    publish: live.publish,
  });
  const viewers = new ConsoleViewers();
  const interactions = createInteractionService({
    viewers,
    newId: () => `ask_${randomUUID()}`,
    clock: systemClock,
    onChange: () => live.publish({ type: "interactions" }),
    validator: engine.validator,
    limits: engine.limits,
    findRunId: async (id) => (await executionStore.summary(id))?.runId ?? null,
  });
  return {
    servers,
    interactions,
    viewers,
    close: configTexts.close,
    async load(): Promise<void> {
      // Before the servers start again, since what is left of them may hold their ports and locks.
      const abandoned = await endOrphaned(ABANDONED_GRACE_MS);
      if (abandoned > 0) {
        const message = "Ended processes left running by the MCP servers of an earlier Toolroom process";
        logger.warn({ processes: abandoned }, message);
      }
      await servers.load();
    },
  };
}

function isOrigin(origin: string, publicUrl: string | null): boolean {
  return publicUrl !== null && new URL(publicUrl).origin === new URL(origin).origin;
}
