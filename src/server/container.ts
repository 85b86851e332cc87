import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { LOCAL_OWNER } from "../lib/contract";
import { newExecutionId } from "../lib/execution-id";
import { createHostPolicy } from "../lib/http-guard";
import { aliasesByName } from "../lib/portable-name";
import { loadConfigFile } from "./adapters/config-file";
import { createMcpConnections } from "./adapters/mcp/mcp-connections";
import { createSecretBox } from "./adapters/secret-box";
import { createAgentServices } from "./container-agent";
import { createToolEngine, systemClock } from "./create-tool-engine";
import { openDatabase } from "./db/database";
import { migrateDatabase } from "./db/migrate";
import type { Env } from "./env";
import { type ApprovalService, createApprovalService } from "./features/approvals/approval-service";
import { createApprovalStore } from "./features/approvals/approval-store";
import { createExecutionService, type ExecutionService } from "./features/executions/execution-service";
import { createExecutionStore } from "./features/executions/execution-store";
import { createInstanceStore } from "./features/executions/instance-store";
import { createLiveJournal, createLiveObserver } from "./features/executions/live-journal";
import { createInteractionService, type InteractionService } from "./features/interactions/interaction-service";
import { createLiveHub } from "./features/live/live-hub";
import { createServerService, type ServerService } from "./features/servers/server-service";
import { createServerStore } from "./features/servers/server-store";
import { createSystemService } from "./features/system/system-service";
import { createToolService, type ToolService } from "./features/tools/tool-service";
import { createToolStore } from "./features/tools/tool-store";
import { createGateway } from "./gateway/gateway-http";
import { createInternalHandlers } from "./internal-handlers";
import { createLogger } from "./logger";

/** Unless the configuration says otherwise: a screenshot in base64 does not fit into what is enough for text. */
const SERVER_TOOL_STORED_BYTES = 4_194_304;

interface LateServices {
  tools: ToolService;
  executions: ExecutionService;
  servers: ServerService;
  interactions: InteractionService;
  approvals: ApprovalService;
  agent: Awaited<ReturnType<typeof createAgentServices>>;
}

export type Container = Awaited<ReturnType<typeof createContainer>>;

/** Builds the whole server, in the order things depend on each other. The only place that constructs. */
export async function createContainer(env: Env) {
  const logger = createLogger(env);
  const folder = path.join(env.rootDir, "prisma/migrations");
  const { applied } = await migrateDatabase({ url: env.databaseUrl, logger, folder });
  const db = await openDatabase({ url: env.databaseUrl, logger });
  const live = createLiveHub(randomUUID().slice(0, 8));
  const instances = createInstanceStore({
    db,
    logger,
    clock: systemClock,
    onInterrupted: () => live.publish({ type: "reset" }),
  });
  const interrupted = await instances.start();
  const executionStore = createExecutionStore({ db, logger, instanceId: instances.instanceId, clock: systemClock });
  const config = await loadConfigFile({ rootDir: env.rootDir, configPath: env.configPath });
  const version = readVersion(env.rootDir);
  const secretBox = await createSecretBox({
    secretKey: env.secretKey,
    keyFile: `${env.databaseUrl.slice("file:".length)}.key`,
  });
  const serverStore = createServerStore({ db, secretBox, clock: systemClock });

  // The internal handlers are these services, which need the engine first; so do those that connections tell.
  const late: Partial<LateServices> = {};
  const services = (): LateServices => {
    const { tools, executions, servers, interactions, approvals, agent } = late;
    if (!tools || !executions || !servers || !interactions || !approvals || !agent) {
      throw new Error("The server is still starting");
    }
    return { tools, executions, servers, interactions, approvals, agent };
  };
  const connections = createMcpConnections({
    events: {
      onState: (...told) => services().servers.events.onState(...told),
      onTools: (...told) => services().servers.events.onTools(...told),
      onLog: (...told) => services().servers.events.onLog(...told),
    },
    credentials: serverStore.credentials,
    interactions: { ask: (...asked) => services().interactions.desk.ask(...asked) },
    logger,
    clock: systemClock,
    variables: env.variables,
    rootDir: env.rootDir,
    client: { name: "toolroom", version },
  });
  const engine = createToolEngine({
    rootDir: env.rootDir,
    logger,
    limits: config.limits,
    builtins: config.builtins,
    internals: { ...createInternalHandlers(services), ...config.internals },
    mcp: connections,
    explainMissing: (name, signal) => services().servers.explainMissing(name, signal),
    approvals: {
      required: (definition) => late.tools?.asksFirst(definition) ?? false,
      ask: (...asked) => services().approvals.desk.ask(...asked),
      expiryMs: config.approvals.expiryMs,
    },
    journal: createLiveJournal(executionStore, live.publish),
    observer: createLiveObserver(live.publish),
  });
  const catalogueListeners = new Set<() => void>();
  const tools = createToolService({
    registry: engine.registry,
    validator: engine.validator,
    store: createToolStore({ db }),
    handlers: engine.handlers,
    limits: engine.limits,
    hashOf: executionStore.hashDefinition,
    logger,
    clock: systemClock,
    approvalPolicy: config.approvals.policy,
    onChange: () => {
      live.publish({ type: "tools" });
      for (const listener of catalogueListeners) listener();
    },
  });
  const executions = createExecutionService({
    executor: engine.executor,
    store: executionStore,
    limits: engine.limits,
    newId: newExecutionId,
    currentHash: (name) => tools.find(name)?.definitionHash ?? null,
    withdrawApproval: (id) => services().approvals.withdraw(id),
  });
  const approvals = createApprovalService({
    store: createApprovalStore({ db, instanceId: instances.instanceId }),
    clock: systemClock,
    logger,
    isAlive: instances.isAlive,
    expiryMs: config.approvals.expiryMs,
    required: tools.asksFirst,
    faultsOf: tools.faultsOf,
    execute: executions.execute,
    onChange: () => live.publish({ type: "approvals" }),
    onDecided: (_executionId, runId) => {
      if (runId !== null) void services().agent.runs.decided(runId);
    },
  });
  const hostPolicy = createHostPolicy(env.host, env.allowedHosts);
  const agent = await createAgentServices({
    ...{ env, db, logger, live, secretBox, instances, engine, executions, hostPolicy },
    asksFirst: tools.asksFirst,
    maxIterations: config.maxIterations,
  });
  const servers = createServerService({
    connections,
    store: serverStore,
    setServerTools: tools.setServerTools,
    forgetServerTools: tools.forgetServerTools,
    isSwitchedOff: tools.isSwitchedOff,
    renameServerTools: tools.renameServerTools,
    configured: { entries: config.mcpServers, path: config.path },
    variables: env.variables,
    maxStoredBytes: config.limits.maxStoredBytes ?? SERVER_TOOL_STORED_BYTES,
    rootDir: env.rootDir,
    clock: systemClock,
    logger,
    publish: live.publish,
  });
  const interactions = createInteractionService({
    newId: () => `ask_${randomUUID()}`,
    clock: systemClock,
    onChange: () => live.publish({ type: "interactions" }),
    validator: engine.validator,
    limits: engine.limits,
  });
  Object.assign(late, { tools, executions, servers, interactions, approvals, agent } satisfies LateServices);
  await tools.load({
    outcome: engine.registry.loadConfig(config.content),
    path: config.path,
    problems: config.problems,
  });
  await servers.load();
  await approvals.load();
  await agent.load();
  const gateway = createGateway({
    tools: () => engine.registry.list(),
    executor: executions,
    prepare: async (name, signal) => void (await servers.explainMissing(name, signal)),
    onToolsChanged(listener) {
      catalogueListeners.add(listener);
      return () => catalogueListeners.delete(listener);
    },
    serverNames: servers.names,
    aliasNames: aliasesByName,
    hostPolicy,
    logger,
    newId: newExecutionId,
    version,
    actor: LOCAL_OWNER,
    limits: { approvalWaitMs: config.approvals.gatewayWaitMs },
  });
  const system = createSystemService({
    version,
    databaseUrl: env.databaseUrl,
    config,
    limits: engine.limits,
    handlers: tools.handlers,
    counts: executions.counts,
    catalogue: tools.list,
    servers: servers.list,
  });

  const stopping = new AbortController();
  let closed: Promise<void> | null = null;
  const warming = setTimeout(() => void engine.warm(), 1000);
  return {
    services: {
      ...{ tools, executions, servers, interactions, approvals, system, live },
      ...{ runs: agent.runs, models: agent.models, modelChecks: agent.modelChecks, transcripts: agent.transcripts },
    },
    gateway,
    transcriptSocket: agent.transcriptSocket,
    logger,
    /** What the start did, for the line that the server prints. */
    started: { migrations: applied, interrupted: interrupted.length, problems: tools.list().problems.length },
    /** Aborts when the server begins to stop. */
    stopping: stopping.signal,
    /** Ends the streams; calls go on until `close`. */
    beginStop(): void {
      stopping.abort();
      gateway.beginStop();
      void agent.transcriptSocket.close();
    },
    /** Lets running calls end or records them as interrupted, then closes everything. A second call does nothing. */
    close(): Promise<void> {
      closed ??= (async () => {
        stopping.abort();
        clearTimeout(warming);
        approvals.stop();
        await agent.beginStop();
        await executions.stop(env.shutdownGraceMs);
        await agent.close();
        await gateway.close();
        await connections.close();
        await engine.close();
        await executionStore.close();
        await instances.close();
        await db.close();
        logger.flush();
      })();
      return closed;
    },
  };
}

function readVersion(rootDir: string): string {
  const manifest = JSON.parse(readFileSync(path.join(rootDir, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}
