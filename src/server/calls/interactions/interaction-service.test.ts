import { describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { systemClock } from "../../create-tool-engine";
import { engineWith } from "../../engine/executor/executor.test-support";
import { createSealedSingle } from "../../platform/coordination/single-copy.test-support";
import { createInteractionService } from "./interaction-service";

const question = {
  server: "files",
  executionId: "exec_1",
  toolName: "files__ask",
  request: { kind: "url" as const, message: "Open this", url: "https://example.com" },
};

function start(findRunId?: (executionId: string) => Promise<string | null>) {
  let count = 0;
  let changes = 0;
  const engine = engineWith();
  const service = createInteractionService({
    newId: () => `ask_${++count}`,
    clock: systemClock,
    ...createSealedSingle(),
    validator: engine.validator,
    limits: engine.limits,
    ...(findRunId === undefined ? {} : { findRunId }),
    onChange: () => {
      changes += 1;
    },
  });
  return { service, changes: () => changes };
}

describe("questions of servers", () => {
  it("of a connection with a user's own credential are shown to that user, and checked and answered by no other", async () => {
    const { service } = start();
    const asked = service.broker.ask({ ...question, person: "ada" }, new AbortController().signal);
    expect(await service.list("bob")).toEqual([]);
    const decline = { action: "decline" as const };
    await expect(service.answer({ id: "bob", name: "Bob" }, "ask_1", decline)).rejects.toMatchObject({
      code: "DENIED",
    });
    await expect(service.validate({ id: "bob", name: "Bob" }, "ask_1", {})).rejects.toMatchObject({ code: "DENIED" });
    expect((await service.list("ada")).map(({ id }) => id)).toEqual(["ask_1"]);
    expect(await service.answer({ id: "ada", name: "Ada" }, "ask_1", decline)).toEqual({ answered: true });
    expect(await asked).toEqual(decline);
  });

  it("wait in order until a user answers, and only the first answer counts", async () => {
    const { service, changes } = start();
    const signal = new AbortController().signal;
    const first = service.broker.ask(question, signal);
    const second = service.broker.ask(question, signal);
    expect((await service.list()).map(({ id }) => id)).toEqual(["ask_1", "ask_2"]);
    expect(await service.answer(LOCAL_OWNER, "ask_1", { action: "accept", content: { a: 1 } })).toEqual({
      answered: true,
    });
    expect(await service.answer(LOCAL_OWNER, "ask_1", { action: "decline" })).toEqual({ answered: false });
    await service.answer(LOCAL_OWNER, "ask_2", { action: "decline" });
    expect(await first).toEqual({ action: "accept", content: { a: 1 } });
    expect(await second).toEqual({ action: "decline" });
    expect(await service.list()).toEqual([]);
    expect(changes()).toBe(4);
  });

  it("stay when the answer does not fit the form, and say what does not", async () => {
    const { service } = start();
    const schema = { type: "object", properties: { age: { type: "integer" } }, required: ["age", "name"] };
    const form = { ...question, request: { kind: "form" as const, message: "Who?", schema } };
    const asked = service.broker.ask(form, new AbortController().signal);
    await expect(
      service.answer(LOCAL_OWNER, "ask_1", { action: "accept", content: { age: "x" } }),
    ).rejects.toMatchObject({
      code: "INVALID",
      message: "The response does not match the form: missing 'name'; 'age' must be integer",
    });
    expect(await service.list()).toHaveLength(1);
    expect(await service.validate(LOCAL_OWNER, "ask_1", { age: 1 })).toMatchObject({
      valid: false,
      faults: [{ pointer: "/name" }],
    });
    expect(await service.validate(LOCAL_OWNER, "ask_1", { age: 1, name: "Ada" })).toMatchObject({
      valid: true,
      faults: [],
    });
    await service.answer(LOCAL_OWNER, "ask_1", { action: "accept", content: { age: 1, name: "Ada" } });
    expect(await asked).toEqual({ action: "accept", content: { age: 1, name: "Ada" } });
  });

  it("name the run of their call, so that its pages show what it waits for", async () => {
    const { service } = start(async (id) => (id === "exec_1" ? "run_1" : null));
    const signal = new AbortController().signal;
    void service.broker.ask(question, signal);
    void service.broker.ask({ ...question, executionId: null }, signal);
    expect((await service.list()).map(({ executionId, runId }) => [executionId, runId])).toEqual([
      ["exec_1", "run_1"],
      [null, null],
    ]);
  });

  it("disappear when the call they belong to ends", async () => {
    const { service } = start();
    const controller = new AbortController();
    const asked = service.broker.ask(question, controller.signal);
    controller.abort(new Error("the call ended"));
    await expect(asked).rejects.toThrow("the call ended");
    expect(await service.list()).toEqual([]);
    await expect(service.broker.ask(question, controller.signal)).rejects.toThrow("the call ended");
  });
});
