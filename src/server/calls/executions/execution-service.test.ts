import { afterEach, beforeEach, expect, it } from "vitest";
import { newExecutionId } from "../../../lib/execution-id";
import type { ToolEngine } from "../../create-tool-engine";
import { engineWith, mock, tool } from "../../engine/executor/executor.test-support";
import type { ToolContext } from "../../engine/ports";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createExecutionStore } from "./db/execution-store";
import { systemClock } from "./execution.test-support";
import { createRunningExecutions } from "./execution-calls";
import { createOpenExecutionService } from "./execution-service.test-support";
import type { ExecutionStore } from "./execution-store";

let scratch: ScratchDatabase;
let store: ExecutionStore;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "inst_a", clock: systemClock });
});
afterEach(async () => {
  await store.close();
  await scratch.remove();
});

it("AGT-04 lists the calls that run here with what they logged so far, and their end is stored once they leave the list", async () => {
  let finish = (): void => {};
  const finished = new Promise<string>((resolve) => {
    finish = () => resolve("done");
  });
  const gate = (_: unknown, { logger }: ToolContext) => {
    logger.info("at the gate");
    return finished;
  };
  const engine = engineWith({ builtins: { gate }, journal: store });
  engine.registry.register(tool("gate", { type: "builtin", handler: "gate" }));
  const { executor, limits } = engine;
  const service = createOpenExecutionService({
    running: createRunningExecutions({ executor, newId: newExecutionId }),
    store,
    limits,
    newId: newExecutionId,
    currentHash: () => null,
  });
  await service.ended("exec_unknown");
  expect(service.isRunning("exec_unknown")).toBe(false);

  const executionId = newExecutionId();
  void service.execute("gate", {}, { executionId });
  expect(service.isRunning(executionId)).toBe(true);
  let over = false;
  const ended = service.ended(executionId).then(() => {
    over = true;
  });
  await store.drain();
  const logs = [expect.objectContaining({ level: "info", message: "at the gate" })];
  expect([over, await service.get(executionId)]).toMatchObject([false, { status: "running", logs }]);
  finish();
  await ended;
  expect([service.isRunning(executionId), await service.get(executionId)]).toMatchObject([
    false,
    { status: "succeeded", logs },
  ]);
});

const OWNER = { id: "local-owner", name: "Local owner" };

/** A call of a tool whose server starts until `arrive` is called. */
async function callWhileStarting(register: (engine: ToolEngine) => void, args = "{}") {
  let arrive = (_: string | null): void => {};
  const explained = new Promise<string | null>((resolve) => {
    arrive = resolve;
  });
  const engine = engineWith({ journal: store, explainMissing: () => explained });
  const { executor, limits } = engine;
  const service = createOpenExecutionService({
    running: createRunningExecutions({ executor, newId: newExecutionId }),
    store,
    limits,
    newId: newExecutionId,
    currentHash: () => null,
  });
  const answered = await service.run(OWNER, { tool: "late__read", argumentsText: args, waitMs: 0 }, "api");
  return {
    answered,
    async end() {
      register(engine);
      arrive("it has no such tool");
      await service.ended(answered.id);
      return await service.get(answered.id);
    },
    cancel: () => service.cancel(OWNER, answered.id),
  };
}

it("EXE-01 a call whose server still starts is answered as it stands, and completed in the same row", async () => {
  const call = await callWhileStarting((engine) => engine.registry.register(mock("late__read", { read: true })));
  expect(call.answered).toMatchObject({ status: "running", toolName: "late__read", source: "api", startedAt: null });
  expect(await call.end()).toMatchObject({
    status: "succeeded",
    resultText: '{"read":true}',
    definition: { name: "late__read" },
    implementationType: "mock",
  });
});

it("EXE-03 a call whose server starts without its tool, or with other parameters, ends as refused in its row", async () => {
  const missing = await callWhileStarting(() => undefined);
  expect(await missing.end()).toMatchObject({ status: "failed", errorKind: "not_found", definition: null });
  const strict = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  const invalid = await callWhileStarting((engine) => engine.registry.register(mock("late__read", {}, strict)));
  const ended = await invalid.end();
  expect(ended).toMatchObject({ errorKind: "invalid_arguments", definition: { name: "late__read" } });
  const cancelled = await callWhileStarting(() => undefined);
  expect(await cancelled.cancel()).toEqual({ cancelled: true });
  expect(await cancelled.end()).toMatchObject({ status: "cancelled" });
});
