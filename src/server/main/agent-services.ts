import { nanoid } from "nanoid";
import { LOCAL_OWNER } from "../../lib/contract/actor";
import type { LiveEvent } from "../../lib/contract/live-event";
import { newExecutionId, newId } from "../../lib/execution-id";
import type { ExecutionService } from "../calls/executions/execution-service";
import type { createOrderedPublish } from "../calls/executions/live-journal";
import type { PrivateCalls } from "../calls/executions/private-calls";
import { createCountedModels } from "../calls/spend/counted-models";
import type { SpendStore } from "../calls/spend/spend-store";
import { type EngineParts, systemClock, type ToolEngine } from "../create-tool-engine";
import type { ModelBudget } from "../engine/agent/model-budget";
import type { CassettePlayer } from "../engine/cassettes/cassette-ports";
import { createModelProviderStore } from "../features/models/db/model-provider-store";
import { createModelService } from "../features/models/model-service";
import { createRunStore } from "../features/runs/db/run-store";
import { createRunService } from "../features/runs/run-service";
import { createSamplingStore } from "../features/sampling/db/sampling-store";
import { createSamplingService } from "../features/sampling/sampling-service";
import type { ToolService } from "../features/tools/tool-service";
import type { ToolsetService } from "../features/toolsets/toolset-service";
import { createTranscriptStore } from "../features/transcripts/db/transcript-store";
import { createTranscriptService } from "../features/transcripts/transcript-service";
import { listExamples } from "../models/demo/introduce";
import { createModelConnection } from "../models/vendors";
import { createOutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import { createEvent, type Event } from "../platform/shared/event";
import { type Foundation, SWEEP_MS } from "./foundation";

interface ModelParts {
  engine: EngineParts;
  budget: ModelBudget;
  spend: SpendStore;
}

/** Model providers, and the sampling that servers request. */
export function createModels(foundation: Foundation, { engine, budget, spend }: ModelParts) {
  const { limits } = engine;
  const { env, db, logger, live, shared, masking, telemetry } = foundation;
  const clock = systemClock;
  const fetch = createOutgoingFetch(createOutgoingAgents(foundation.addresses));
  const models = createModelService({
    store: createModelProviderStore({ db, secretBox: foundation.secretBox, clock }),
    createConnection: (settings) => createModelConnection(settings, { limits, fetch }),
    variables: env.variables,
    onSecret: foundation.secrets.add,
    clock,
    logger,
    traceClient: telemetry?.traceModels,
    onChange(origin) {
      const onShared = (): void => live.publish({ type: "models" });
      if (origin === "stored") void shared.changed("models", { onShared });
      else if (origin === "here") onShared();
    },
  });
  shared.follow("models", models.follow);
  const openCounted = createCountedModels({ models, budget, spend, now: clock.now });
  const samplingStore = createSamplingStore({ db });
  const sampling = createSamplingService({
    store: { ...samplingStore, add: (record) => samplingStore.add(masking.inValue(record)) },
    models,
    openModel: openCounted,
    clock,
    logger,
  });
  return { models, sampling, openCounted };
}

interface AgentParts extends Pick<ReturnType<typeof createModels>, "models"> {
  engine: ToolEngine;
  tools: ToolService;
  toolsets: ToolsetService;
  cassettes: CassettePlayer;
  budget: ModelBudget;
  executions: ExecutionService;
  privateCalls: PrivateCalls;
  publishInOrder: ReturnType<typeof createOrderedPublish>;
  callDecided: Event<[runId: string]>;
}

/** Lets models use tools: runs, transcripts. */
export async function createAgentServices(foundation: Foundation, parts: AgentParts) {
  const { engine, tools, toolsets, executions, privateCalls, models } = parts;
  const { db, logger, config, telemetry } = foundation;
  const { calls, jobs, copies, bulletin } = foundation.coordination;
  const clock = systemClock;
  const runChanged = createEvent<[run: Extract<LiveEvent, { type: "run" }>["run"]]>();
  const runs = createRunService({
    listExamples,
    store: createRunStore({ db, owner: copies.self.id }),
    copies,
    bulletin,
    takesOver: db.kind === "postgres",
    models,
    tools: engine.registry,
    toolset: toolsets.prepare,
    cassettes: parts.cassettes,
    budget: parts.budget,
    executor: executions,
    executions: {
      get: executions.readAll("the engine of a run reads the results of its own calls").get,
      cancel: executions.cancel,
      ofRun: executions.findByRun,
      ended: executions.ended,
    },
    toData: (input) => engine.lenses.toData(input),
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
      parts.publishInOrder(event, "runId" in event ? privateCalls.audienceOfRun(event.runId) : undefined);
      if (event.type !== "run") return;
      telemetry?.noteRun(event.run);
      void runChanged.emit(event.run);
    },
  });
  parts.callDecided.on(runs.decided);
  const transcripts = createTranscriptService({
    store: createTranscriptStore({ db }),
    runs: runs.starter,
    actor: LOCAL_OWNER,
    checkProvider: models.client,
    clock,
    newId: () => nanoid(20),
    newRunId: () => newId("run"),
    logger,
  });
  runChanged.on(transcripts.noteRun);
  await models.load();
  // The runs in this process's memory count too.
  jobs.repeat("runs.sweep", SWEEP_MS, runs.load, { perInstance: true });
  return {
    runs,
    transcripts,
    /** Continues the runs that ended processes left: once this server may act unasked. */
    async continueWork(): Promise<void> {
      await runs.load();
      copies.onLost(runs.settleLost);
    },
    /** Starts no new work; models are stopped at once, calls have their grace time. */
    async beginStop(): Promise<void> {
      await transcripts.stop();
      runs.beginStop();
    },
    /** Called after the executions have ended. */
    async close(): Promise<void> {
      await runs.ended();
    },
  };
}
