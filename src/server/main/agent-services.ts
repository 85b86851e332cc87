import { nanoid } from "nanoid";
import { LOCAL_OWNER } from "../../lib/contract/actor";
import { newExecutionId, newId } from "../../lib/execution-id";
import { systemClock, type ToolEngine } from "../create-tool-engine";
import type { Access } from "../features/accounts/access";
import type { ExecutionService } from "../features/executions/execution-service";
import type { PrivateCalls } from "../features/executions/private-calls";
import { createModelCheckStore } from "../features/model-checks/db/model-check-store";
import { createModelCheckService, type ModelCheckService } from "../features/model-checks/model-check-service";
import { createModelProviderStore } from "../features/models/db/model-provider-store";
import { createModelService } from "../features/models/model-service";
import { createRunStore } from "../features/runs/db/run-store";
import { createRunService } from "../features/runs/run-service";
import { createSamplingStore } from "../features/sampling/db/sampling-store";
import { createSamplingService } from "../features/sampling/sampling-service";
import type { ToolService } from "../features/tools/tool-service";
import type { ToolsetService } from "../features/toolsets/toolset-service";
import { createTranscriptStore } from "../features/transcripts/db/transcript-store";
import { createTranscriptService, type TranscriptService } from "../features/transcripts/transcript-service";
import { createModelConnection } from "../models/vendors";
import { createOutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import { isAppError } from "../platform/shared/app-error";
import { type Foundation, SWEEP_MS } from "./foundation";

interface AgentParts {
  engine: ToolEngine;
  tools: ToolService;
  toolsets: ToolsetService;
  executions: ExecutionService;
  privateCalls: PrivateCalls;
  access: Access;
}

/** The part of the composition root that lets models use tools: models, runs, model checks, transcripts. */
export async function createAgentServices(foundation: Foundation, parts: AgentParts) {
  const { engine, tools, toolsets, executions, privateCalls, access } = parts;
  const { env, db, logger, live, config } = foundation;
  const { calls, jobs } = foundation.coordination;
  const { publish } = live;
  const clock = systemClock;
  const fetch = createOutgoingFetch(createOutgoingAgents(foundation.addresses));
  const onModels = (): void => publish({ type: "models" });
  const late: { modelChecks?: ModelCheckService; transcripts?: TranscriptService } = {};
  const models = createModelService({
    store: createModelProviderStore({ db, secretBox: foundation.secretBox, clock }),
    createConnection: (settings) => createModelConnection(settings, { limits: engine.limits, fetch }),
    variables: env.variables,
    onSecret: foundation.secrets.add,
    verdicts: async () => (await late.modelChecks?.verdicts()) ?? [],
    clock,
    logger,
    onChange: onModels,
  });
  const runs = createRunService({
    store: createRunStore({ db }),
    models,
    tools: engine.registry,
    toolset: toolsets.prepare,
    executor: executions,
    executions: {
      get: executions.get,
      cancel: executions.cancel,
      ofRun: executions.findByRun,
      ended: executions.ended,
    },
    dataOf: (input) => engine.lenses.dataOf(input),
    calls,
    requiresApproval: tools.asksFirst,
    maxIterations: config.maxIterations,
    maxModelChars: engine.limits.maxModelChars,
    maxCallsPerResponse: engine.limits.maxResponseCalls,
    newExecutionId,
    clock,
    logger,
    masking: foundation.masking,
    publish: (event, calls) => {
      if (calls !== undefined && "runId" in event) privateCalls.announce(event.runId, calls);
      publish(event, "runId" in event ? privateCalls.audienceOfRun(event.runId) : undefined);
      if (event.type === "run") late.transcripts?.noteRun(event.run);
    },
  });
  const modelChecks = createModelCheckService({
    store: createModelCheckStore({ db }),
    runs: runs.starter,
    models,
    clock,
    newId: () => newId("check"),
    calls,
    logger,
    onChange: onModels,
  });
  late.modelChecks = modelChecks;
  const samplingStore = createSamplingStore({ db });
  const sampling = createSamplingService({
    store: {
      ...samplingStore,
      add: (record) => samplingStore.add(foundation.masking.inValue(record)),
    },
    models,
    clock,
    logger,
  });
  const transcripts = createTranscriptService({
    store: createTranscriptStore({ db }),
    runs: runs.starter,
    actor: LOCAL_OWNER,
    getRun: (id) => runs.readLog(id).catch((error: unknown) => (isAppError(error) ? null : Promise.reject(error))),
    isPrivateRun: (id) => access.accounts && privateCalls.audienceOfRun(id) !== undefined,
    checkProvider: models.client,
    clock,
    newId: () => nanoid(20),
    logger,
    publish,
  });
  late.transcripts = transcripts;
  await models.load();
  jobs.repeat("runs.sweep", SWEEP_MS, runs.load);
  return {
    ...{ models, runs, modelChecks, sampling, transcripts },
    /** Once everything that a resumed run may need is there. */
    async load(): Promise<void> {
      await runs.load();
      await modelChecks.load();
      await transcripts.load();
    },
    /** Nothing new begins; models are left at once, calls have their time of grace. */
    async beginStop(): Promise<void> {
      // What is heard from now on is found at the next start.
      await transcripts.stop();
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
