import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ToolCallResult } from "../../../lib/contract/content";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { ModelPrice } from "../../../lib/contract/model";
import type { RunSettings } from "../../../lib/contract/run";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { newExecutionId } from "../../../lib/execution-id";
import { createExecutionStore } from "../../calls/executions/db/execution-store";
import { createRunningExecutions } from "../../calls/executions/execution-calls";
import { createOpenExecutionService } from "../../calls/executions/execution-service.test-support";
import { createToolEngine, silentLogger, systemClock } from "../../create-tool-engine";
import type { ApprovalBroker } from "../../engine/approvals/approval-ports";
import type { FindLens } from "../../engine/lens/lens-ports";
import type { ToolFunction } from "../../engine/ports";
import { listExamples } from "../../models/demo/introduce";
import { ScriptedClient, type ScriptedStep } from "../../models/scripted-client.test-support";
import { createSingle } from "../../platform/coordination/single-copy.test-support";
import type { Database } from "../../platform/db/database";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { AppError } from "../../platform/shared/app-error";
import { createRunStore } from "./db/run-store";
import type { RunServicePorts } from "./run-ports";
import { createRunService } from "./run-service";

export const SETTINGS: RunSettings = {
  provider: "scripted",
  model: "scripted",
  instructions: "",
  tools: { mode: "all" },
};

export interface Life {
  scratch: { db: Database };
  instanceId?: string;
  tools?: Record<string, ToolFunction>;
  definitions?: ToolDefinition[];
  price?: ModelPrice;
  endpoint?: string;
  maxTools?: number;
  broker?: ApprovalBroker;
  /** The lenses of tools, by name. */
  lenses?: Record<string, string>;
  /** The answer of every tool of an MCP server. */
  mcpAnswer?: ToolCallResult;
  ports?: Partial<RunServicePorts>;
}

/** One life of a server, as far as runs need it: engine, logbook, runs, and a model with a script. */
export async function startLife(script: ScriptedStep[], life: Life) {
  const { db } = life.scratch;
  const instanceId = life.instanceId ?? "inst_1";
  const model = new ScriptedClient(script);
  const executionStore = createExecutionStore({ db, logger: silentLogger, instanceId, clock: systemClock });
  const { lenses = {} } = life;
  const findLens: FindLens = (name) => (lenses[name] === undefined ? null : { expression: lenses[name] });
  const engine = createToolEngine({
    findLens,
    journal: executionStore,
    ...(life.broker ? { approvals: life.broker } : {}),
    mcp: { call: async () => life.mcpAnswer ?? { content: [] } },
  });
  const ran: string[] = [];
  const register = (name: string, run: ToolFunction): void => {
    const definition = { name, description: `The tool ${name} of a test.`, type: "function", handler: name } as const;
    engine.registry.registerFunction({ ...definition, parameters: { type: "object" } }, (args, context) => {
      ran.push(`${name} ${JSON.stringify(args)}`);
      return run(args, context);
    });
  };
  register("echo", async (args) => JSON.stringify(args));
  for (const [name, run] of Object.entries(life.tools ?? {})) register(name, run);
  for (const definition of life.definitions ?? []) engine.registry.register(definition);
  const executions = createOpenExecutionService({
    running: createRunningExecutions({ executor: engine.executor, newId: newExecutionId }),
    store: executionStore,
    limits: engine.limits,
    newId: newExecutionId,
    currentHash: () => null,
    lenses: { find: findLens, projector: engine.lenses },
  });
  const published: LiveEvent[] = [];
  const runs = createRunService({
    ...createSingle(instanceId),
    takesOver: false,
    store: createRunStore({ db, owner: instanceId }),
    models: {
      client: async (provider) => {
        if (provider !== "scripted") throw new AppError("NOT_FOUND", `Model provider '${provider}' not found`);
        return model;
      },
      price: () => life.price ?? null,
      endpoint: () => life.endpoint ?? "scripted",
      maxTools: () => life.maxTools ?? null,
    },
    tools: engine.registry,
    executor: executions,
    executions: {
      get: executions.get,
      cancel: executions.cancel,
      ofRun: executionStore.findByRun,
      ended: executions.ended,
    },
    toData: (input) => engine.lenses.toData(input),
    requiresApproval: () => false,
    listExamples,
    maxIterations: 10,
    maxModelChars: 20_000,
    newExecutionId,
    clock: systemClock,
    logger: silentLogger,
    publish: (event) => published.push(event),
    ...life.ports,
  });
  /** Starts a run and waits for its end. */
  const runToEnd = async (text: string, settings = SETTINGS) => {
    const { id, ended } = await runs.starter.start({ settings, text, source: "agent", actor: LOCAL_OWNER });
    return { id, outcome: await ended };
  };
  return { runs, model, engine, executions, executionStore, ran, published, runToEnd };
}

/** Databases of one test file, removed together. */
export function scratchDatabases(): { open(): Promise<ScratchDatabase>; remove(): Promise<void> } {
  const opened: ScratchDatabase[] = [];
  return {
    async open() {
      const scratch = await createScratchDatabase();
      opened.push(scratch);
      return scratch;
    },
    async remove() {
      await Promise.all(opened.splice(0).map((scratch) => scratch.remove()));
    },
  };
}
