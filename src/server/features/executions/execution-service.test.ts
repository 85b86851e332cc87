import { afterEach, beforeEach, expect, it } from "vitest";
import { newExecutionId } from "../../../lib/execution-id";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../db/test-database";
import { engineWith, tool } from "../../engine/executor.test-support";
import { systemClock } from "./execution-fixtures";
import { createExecutionService } from "./execution-service";
import { createExecutionStore, type ExecutionStore } from "./execution-store";

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

it("AGT-04 says which calls are under way here, and their end is in the logbook once it says so", async () => {
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
