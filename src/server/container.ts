import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { newExecutionId } from "../lib/execution-id";
import { loadConfigFile } from "./adapters/config-file";
import { createToolEngine, systemClock } from "./create-tool-engine";
import { openDatabase } from "./db/database";
import { migrateDatabase } from "./db/migrate";
import type { Env } from "./env";
import { createExecutionService, type ExecutionService } from "./features/executions/execution-service";
import { createExecutionStore } from "./features/executions/execution-store";
import { createInstanceStore } from "./features/executions/instance-store";
import { createLiveJournal, createLiveObserver } from "./features/executions/live-journal";
import { createLiveHub } from "./features/live/live-hub";
import { createSystemService } from "./features/system/system-service";
import { createToolService, type ToolService } from "./features/tools/tool-service";
import { createToolStore } from "./features/tools/tool-store";
import { createInternalHandlers } from "./internal-handlers";
import { createLogger } from "./logger";

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

  // The internal handlers are these services, which need the engine first.
  const late: { tools?: ToolService; executions?: ExecutionService } = {};
  const services = (): { tools: ToolService; executions: ExecutionService } => {
    if (!late.tools || !late.executions) throw new Error("The server is still starting");
    return { tools: late.tools, executions: late.executions };
  };
  const engine = createToolEngine({
    rootDir: env.rootDir,
    logger,
    limits: config.limits,
    builtins: config.builtins,
    internals: { ...createInternalHandlers(services), ...config.internals },
    journal: createLiveJournal(executionStore, live.publish),
    observer: createLiveObserver(live.publish),
  });
  const tools = createToolService({
    registry: engine.registry,
    validator: engine.validator,
    store: createToolStore({ db }),
    handlers: engine.handlers,
    limits: engine.limits,
    hashOf: executionStore.hashDefinition,
    logger,
    clock: systemClock,
    onChange: () => live.publish({ type: "tools" }),
  });
  const executions = createExecutionService({
    executor: engine.executor,
    store: executionStore,
    limits: engine.limits,
    newId: newExecutionId,
    currentHash: (name) => tools.find(name)?.definitionHash ?? null,
  });
  Object.assign(late, { tools, executions });
  await tools.load({
    outcome: engine.registry.loadConfig(config.content),
    path: config.path,
    problems: config.problems,
  });
  const system = createSystemService({
    version: readVersion(env.rootDir),
    databaseUrl: env.databaseUrl,
    config,
    limits: engine.limits,
    handlers: tools.handlers,
    counts: executions.counts,
    catalogue: tools.list,
  });

  const stopping = new AbortController();
  let closed: Promise<void> | null = null;
  const warming = setTimeout(() => void engine.warm(), 1000);
  return {
    services: { tools, executions, system, live },
    logger,
    /** What the start did, for the line that the server prints. */
    started: { migrations: applied, interrupted: interrupted.length, problems: tools.list().problems.length },
    /** Aborts when the server begins to stop. */
    stopping: stopping.signal,
    /** Ends the streams; calls go on until `close`. */
    beginStop(): void {
      stopping.abort();
    },
    /** Lets running calls end or records them as interrupted, then closes everything. A second call does nothing. */
    close(): Promise<void> {
      closed ??= (async () => {
        stopping.abort();
        clearTimeout(warming);
        await executions.stop(env.shutdownGraceMs);
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
