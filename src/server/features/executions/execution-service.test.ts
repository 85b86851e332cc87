import { afterEach, beforeEach, expect, it } from "vitest";
import { newExecutionId } from "../../../lib/execution-id";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../db/database.test-support";
import { createExecutionStore } from "../../db/sqlite/executions/execution-store";
import { engineWith, tool } from "../../engine/executor/executor.test-support";
import { systemClock } from "./execution.test-support";
import { createExecutionService } from "./execution-service";
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

it("AGT-04 lists the calls that run here, and their end is stored once they leave the list", async () => {
  let finish = (): void => {};
  const gate = new Promise<string>((resolve) => {
    finish = () => resolve("done");
  });
  const engine = engineWith({ builtins: { gate: () => gate }, journal: store });
  engine.registry.register(tool("gate", { type: "builtin", handler: "gate" }));
  const { executor, limits } = engine;
  const service = createExecutionService({ executor, store, limits, newId: newExecutionId, currentHash: () => null });
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
  expect([over, (await service.get(executionId)).status]).toEqual([false, "running"]);
  finish();
  await ended;
  expect([service.isRunning(executionId), (await service.get(executionId)).status]).toEqual([false, "succeeded"]);
});
