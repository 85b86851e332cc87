/**
 * `npm run bench:agent`: the overhead of a run compared with a bare loop on the same SDK and server, per iteration and
 * per call, with the execution log and the run's log on; and 100 concurrent runs. The server answers at once, or after
 * MODEL_MS. Alternating rounds, ratios of medians within one run. It runs as a bundle, as the product does: tsx makes the
 * creation of each of our functions, and not of the SDK's, slower.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { LOCAL_OWNER } from "../src/lib/contract/actor";
import type { RunSettings } from "../src/lib/contract/run";
import { newExecutionId } from "../src/lib/execution-id";
import { createExecutionStore } from "../src/server/calls/executions/db/execution-store";
import { INDEX_WORKER } from "../src/server/calls/executions/execution.test-support";
import { createRunningExecutions } from "../src/server/calls/executions/execution-calls";
import { createOpenExecutionService } from "../src/server/calls/executions/execution-service.test-support";
import { createToolEngine, silentLogger, systemClock } from "../src/server/create-tool-engine";
import { createRunStore } from "../src/server/features/runs/db/run-store";
import { createRunService } from "../src/server/features/runs/run-service";
import { anthropic } from "../src/server/models/anthropic/anthropic";
import { VendorClient } from "../src/server/models/vendor-client";
import { createSingle } from "../src/server/platform/coordination/single-copy.test-support";
import { createScratchDatabase } from "../src/server/platform/db/database.test-support";
import { median } from "./median";

const SERVER = path.resolve("bench/agent-model-server.mjs");
const ROUNDS = Number(process.env.ROUNDS ?? 15);
const MODEL_MS = Number(process.env.MODEL_MS ?? 50);
const RUNS_AT_ONCE = 100;
const REACH = 1.3;
const SHAPES = [
  { label: "10 iterations of 1 call", iterations: 10, calls: 1 },
  { label: "2 iterations of 10 calls", iterations: 2, calls: 10 },
];
const PARAMETERS = { type: "object" as const, properties: { text: { type: "string" } }, required: ["text"] };

const children: ChildProcess[] = [];

async function startModel(thinkingMs: number): Promise<string> {
  const child = spawn(process.execPath, [SERVER, String(thinkingMs)], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const [line] = await once(child.stdout, "data");
  return String(line).trim();
}

/** The same loop with the vendor's SDK alone. Returns the number of responses. */
async function bareLoop(sdk: Anthropic, system: string): Promise<number> {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Go" }];
  const tools = [{ name: "echo", description: "Answers its text.", input_schema: PARAMETERS }];
  for (let answers = 1; ; answers += 1) {
    const stream = sdk.messages.stream({ model: "bench", max_tokens: 8192, system, messages, tools });
    const message = await stream.finalMessage();
    messages.push({ role: "assistant", content: message.content });
    if (message.stop_reason !== "tool_use") return answers;
    const results = message.content.flatMap((block) =>
      block.type === "tool_use"
        ? [
            {
              type: "tool_result" as const,
              tool_use_id: block.id,
              content: String((block.input as { text: string }).text),
            },
          ]
        : [],
    );
    messages.push({ role: "user", content: results });
  }
}

async function createRuns(url: string) {
  const scratch = await createScratchDatabase();
  const { db } = scratch;
  const common = { db, logger: silentLogger, instanceId: "inst_bench", clock: systemClock, indexWorker: INDEX_WORKER };
  const store = createExecutionStore(common);
  const engine = createToolEngine({ journal: store });
  engine.registry.registerFunction(
    { name: "echo", description: "Answers its text.", type: "function", handler: "echo", parameters: PARAMETERS },
    async ({ text }) => String(text),
  );
  const executions = createOpenExecutionService({
    running: createRunningExecutions({ executor: engine.executor, newId: newExecutionId }),
    store,
    limits: engine.limits,
    newId: newExecutionId,
    currentHash: () => null,
  });
  const client = new VendorClient(anthropic, { apiKey: "bench", baseUrl: url });
  const runs = createRunService({
    listExamples: () => [],
    ...createSingle(),
    takesOver: false,
    store: createRunStore(common),
    models: { client: async () => client, price: () => null, endpoint: () => "bench", maxTools: () => null },
    tools: engine.registry,
    executor: executions,
    executions: { get: executions.get, cancel: executions.cancel, ofRun: store.findByRun, ended: executions.ended },
    requiresApproval: () => false,
    maxIterations: 100,
    maxModelChars: 20_000,
    newExecutionId,
    clock: systemClock,
    logger: silentLogger,
    publish: () => {},
  });
  const run = async (instructions: string): Promise<void> => {
    const settings: RunSettings = { provider: "bench", model: "bench", instructions, tools: { mode: "all" } };
    const { ended } = await runs.starter.start({ settings, text: "Go", source: "agent", actor: LOCAL_OWNER });
    const outcome = await ended;
    if (outcome.status !== "succeeded") throw new Error(`The run ${outcome.status}: ${outcome.error}`);
  };
  const close = async (): Promise<void> => {
    await engine.close();
    await store.close();
    await scratch.remove();
  };
  return { run, close };
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function compare(thinkingMs: number): Promise<void> {
  const url = await startModel(thinkingMs);
  const sdk = new Anthropic({ apiKey: "bench", baseURL: url, maxRetries: 0 });
  const { run, close } = await createRuns(url);
  for (const { label, iterations, calls } of SHAPES) {
    const system = `iterations=${iterations} calls=${calls}`;
    const bare: number[] = [];
    const ours: number[] = [];
    for (let round = -2; round < ROUNDS; round += 1) {
      const bareMs = await milliseconds(() => bareLoop(sdk, system));
      const oursMs = await milliseconds(() => run(system));
      if (round < 0) continue;
      bare.push(bareMs);
      ours.push(oursMs);
    }
    const bareMs = median(bare);
    const oursMs = median(ours);
    const per = calls === 1 ? iterations + 1 : iterations * calls;
    const unit = calls === 1 ? "iteration" : "call";
    console.log(
      `model ${thinkingMs} ms, ${label}: bare ${bareMs.toFixed(1)} ms, run ${oursMs.toFixed(1)} ms, ratio ${(oursMs / bareMs).toFixed(2)} (reach: at most ${REACH}), ${((oursMs - bareMs) / per).toFixed(2)} ms more per ${unit}`,
    );
  }
  await close();
}

async function atOnce(thinkingMs: number): Promise<void> {
  const url = await startModel(thinkingMs);
  const sdk = new Anthropic({ apiKey: "bench", baseURL: url, maxRetries: 0 });
  const { run, close } = await createRuns(url);
  const system = "iterations=5 calls=2";
  const all = (work: () => Promise<unknown>) =>
    milliseconds(() => Promise.all(Array.from({ length: RUNS_AT_ONCE }, work)));
  const bare: number[] = [];
  const ours: number[] = [];
  for (let round = -1; round < Math.min(ROUNDS, 5); round += 1) {
    const bareMs = await all(() => bareLoop(sdk, system));
    const oursMs = await all(() => run(system));
    if (round < 0) continue;
    bare.push(bareMs);
    ours.push(oursMs);
  }
  const bareMs = median(bare);
  const oursMs = median(ours);
  console.log(
    `model ${thinkingMs} ms, ${RUNS_AT_ONCE} runs at once of 5 iterations of 2 calls: bare ${bareMs.toFixed(0)} ms, runs ${oursMs.toFixed(0)} ms, ratio ${(oursMs / bareMs).toFixed(2)}`,
  );
  await close();
}

try {
  for (const thinkingMs of [0, MODEL_MS]) await compare(thinkingMs);
  await atOnce(MODEL_MS);
} finally {
  for (const child of children) child.kill();
}
