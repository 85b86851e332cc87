import path from "node:path";
import { nanoid } from "nanoid";
import type { ToolDefinition } from "../lib/contract";
import { newExecutionId, newId } from "../lib/execution-id";
import type { createHostPolicy } from "../lib/http-guard";
import { createFileTail } from "./adapters/file-tail";
import { createModelConnection } from "./adapters/models/create-model-connection";
import { createTranscriptSocket } from "./adapters/transcript-socket";
import { createWebhook } from "./adapters/webhook";
import { isAppError } from "./app-error";
import { systemClock, type ToolEngine } from "./create-tool-engine";
import type { Database } from "./db/database";
import type { Logger } from "./engine/ports";
import type { Env } from "./env";
import type { ExecutionService } from "./features/executions/execution-service";
import type { InstanceStore } from "./features/executions/instance-store";
import type { LiveHub } from "./features/live/live-hub";
import { createModelCheckService, type ModelCheckService } from "./features/model-checks/model-check-service";
import { createModelCheckStore } from "./features/model-checks/model-check-store";
import { createModelProviderStore } from "./features/models/model-provider-store";
import { createModelService } from "./features/models/model-service";
import { createRunService } from "./features/runs/run-service";
import { createRunStore } from "./features/runs/run-store";
import type { SecretBox } from "./features/servers/server-store";
import { createTranscriptService, type TranscriptService } from "./features/transcripts/transcript-service";
import { createTranscriptStore } from "./features/transcripts/transcript-store";

/** How often runs and checks of processes that died are looked for. */
const SWEEP_MS = 30_000;

interface AgentParts {
  env: Env;
  db: Database;
  logger: Logger;
  live: LiveHub;
  secretBox: SecretBox;
  instances: InstanceStore;
  engine: ToolEngine;
  executions: ExecutionService;
  /** Whether a person is asked before this tool runs. */
  asksFirst: (definition: ToolDefinition) => boolean;
  maxIterations: number;
  hostPolicy: ReturnType<typeof createHostPolicy>;
}

/** The part of the composition root that lets models use tools: models, runs, model checks, transcripts. */
export async function createAgentServices(parts: AgentParts) {
  const { env, db, logger, live, instances, engine, executions } = parts;
  const { publish } = live;
  const clock = systemClock;
  const onModels = (): void => publish({ type: "models" });
  const late: { modelChecks?: ModelCheckService; transcripts?: TranscriptService } = {};
  const models = createModelService({
    store: createModelProviderStore({ db, secretBox: parts.secretBox, clock }),
    createConnection: createModelConnection,
    variables: env.variables,
    verdicts: async () => (await late.modelChecks?.verdicts()) ?? [],
    clock,
    logger,
    onChange: onModels,
  });
  const runs = createRunService({
    store: createRunStore({ db, instanceId: instances.instanceId }),
    models,
    tools: engine.registry,
    executor: executions,
    executions: {
      get: executions.get,
      cancel: executions.cancel,
      ofRun: executions.findByRun,
      ended: executions.ended,
    },
    instanceId: instances.instanceId,
    requiresApproval: parts.asksFirst,
    isAlive: instances.isAlive,
    maxIterations: parts.maxIterations,
    maxModelChars: engine.limits.maxModelChars,
    newExecutionId,
    clock,
    logger,
    publish: (event) => {
      publish(event);
      if (event.type === "run") late.transcripts?.noteRun(event.run);
    },
  });
  const modelChecks = createModelCheckService({
    store: createModelCheckStore({ db }),
    runs: runs.starter,
    models,
    clock,
    newId: () => newId("check"),
    instanceId: instances.instanceId,
    isAlive: instances.isAlive,
    logger,
    onChange: onModels,
  });
  late.modelChecks = modelChecks;
  const transcripts = createTranscriptService({
    store: createTranscriptStore({ db }),
    runs: runs.starter,
    getRun: (id) => runs.get(id).catch((error: unknown) => (isAppError(error) ? null : Promise.reject(error))),
    checkProvider: models.client,
    fileTail: createFileTail({
      allowedFolders: [path.join(env.rootDir, "data/transcripts"), ...env.transcriptFolders],
    }),
    webhook: createWebhook(),
    clock,
    newId: () => nanoid(20),
    logger,
    publish,
  });
  late.transcripts = transcripts;
  const transcriptSocket = createTranscriptSocket({
    append: transcripts.append,
    answers: transcripts.answers,
    exists: transcripts.exists,
    describe: (error) => (isAppError(error) ? error.message : null),
    hostPolicy: parts.hostPolicy,
    logger,
  });
  await models.load();
  const sweep = setInterval(() => {
    Promise.all([runs.load(), modelChecks.load()]).catch((error: unknown) => {
      logger.warn({ err: error }, "Looking for runs of servers that ended failed");
    });
  }, SWEEP_MS).unref();
  return {
    ...{ models, runs, modelChecks, transcripts, transcriptSocket },
    /** Once everything that a resumed run may need is there. */
    async load(): Promise<void> {
      await runs.load();
      await modelChecks.load();
      await transcripts.load();
    },
    /** Nothing new begins; models are left at once, calls have their time of grace. */
    async beginStop(): Promise<void> {
      clearInterval(sweep);
      // What is heard from now on is found at the next start.
      await Promise.all([transcripts.stop(), transcriptSocket.close()]);
      // A check ends its runs itself, which may take them as stopped.
      await modelChecks.close();
      runs.beginStop();
    },
    /** After the executions have ended. */
    async close(): Promise<void> {
      await runs.ended();
    },
  };
}
