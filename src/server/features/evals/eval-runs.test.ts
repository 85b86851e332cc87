import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { type ChatErrorKind, type FunctionResultContent, readMessageText } from "../../../lib/contract/chat";
import type { EvalAttempt, EvalRunDetail } from "../../../lib/contract/eval";
import type { RunOutcome, RunRequest, RunStarter } from "../../engine/agent/run-starter";
import type { ScriptedStep } from "../../models/scripted-client.test-support";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../platform/db/database.test-support";
import { AppError } from "../../platform/shared/app-error";
import { startLife } from "../runs/run-service.test-support";
import { createEvalRunStore } from "./db/eval-run-store";
import type { EvalRunStore } from "./eval-run-store";
import { createEvalRuns, type EvalRunPorts } from "./eval-runs";
import { readVerdicts } from "./model-verdict";
import { goodModel, type ModelPolicy, play, toOutcome } from "./scenario-model.test-support";
import { CHECK_SCENARIOS } from "./scenarios/check-scenarios";

let scratch: ScratchDatabase;
let store: EvalRunStore;
let changes: number;
let ids: number;
beforeAll(async () => {
  scratch = await createScratchDatabase();
  store = createEvalRunStore({ db: scratch.db });
});
afterAll(() => scratch.remove());
beforeEach(() => {
  changes = 0;
  ids = 0;
});
afterEach(() => scratch.db.prisma.evalRun.deleteMany());

type Ends = (request: RunRequest, id: string) => Promise<RunOutcome>;

/** Runs that a test's model plays; a stop ends one as cancelled. */
function fakeRuns(ends: Ends) {
  const requests: RunRequest[] = [];
  const stopped: string[] = [];
  const stops = new Map<string, (outcome: RunOutcome) => void>();
  const runs: RunStarter = {
    async start(request) {
      requests.push(request);
      const id = `run_${requests.length}`;
      const asStopped = new Promise<RunOutcome>((resolve) => stops.set(id, resolve));
      return { id, ended: Promise.race([ends(request, id), asStopped]) };
    },
    async stop(id) {
      stopped.push(id);
      stops.get(id)?.({ id, status: "cancelled", text: "", error: "Stopped", events: [] });
      return { stopped: true };
    },
  };
  return { runs, requests, stopped };
}

const playing =
  (policy: ModelPolicy): Ends =>
  async ({ text, provided = [] }, id) =>
    toOutcome(id, await play({ text, tools: [...provided], judge: () => null }, policy));

const failing =
  (errorKind: ChatErrorKind): Ends =>
  async (_, id) => ({
    id,
    status: "failed",
    text: "",
    error: "The provider refused",
    events: [{ index: 0, at: 0, type: "model_failed", step: 1, errorKind, error: "The key is wrong", durationMs: 1 }],
  });

const never: Ends = () => new Promise(() => undefined);

function serviceWith(runs: RunStarter, more: Partial<EvalRunPorts> = {}) {
  return createEvalRuns({
    store,
    runs,
    logger: quietLogger(),
    evals: { list: async () => [] },
    offer: {
      definitions: () => [],
      aliasNames: () => new Map(),
      createFinder: () => ({ search: () => [] }),
      toolset: (name) => {
        throw new AppError("NOT_FOUND", `Toolset '${name}' not found`);
      },
    },
    readEdit: () => {
      throw new Error("unused");
    },
    models: {
      client: async (provider) => {
        if (provider !== "mine") throw new AppError("NOT_FOUND", `Model provider '${provider}' not found`);
        return { getResponse: () => Promise.reject(new Error("unused")), getStreamingResponse: () => [] as never };
      },
      price: () => null,
      endpoint: () => "test",
      maxTools: () => null,
    },
    clock: { now: () => 1000 + changes, elapsed: () => changes },
    newId: () => `evalrun_${++ids}`,
    onChange: () => {
      changes += 1;
    },
    ...more,
  });
}

const REQUEST = { suite: "tool-use", provider: "mine", model: "m", rounds: 2, offering: "direct" as const };

async function ended(service: ReturnType<typeof serviceWith>, id: string): Promise<EvalRunDetail> {
  await expect.poll(async () => (await service.getRun(id)).status, { timeout: 15_000 }).not.toBe("running");
  return service.getRun(id);
}

describe("a run of the built-in suite", () => {
  it("tries every scenario in every round, keeps each attempt with its run, and validates a model that does well", async () => {
    const { runs, requests } = fakeRuns(playing(goodModel));
    const service = serviceWith(runs);
    const begun = await service.startRun(LOCAL_OWNER, REQUEST);
    expect(begun).toMatchObject({
      id: "evalrun_1",
      status: "running",
      done: 0,
      total: 14,
      validated: false,
      error: null,
    });
    const check = await ended(service, begun.id);
    expect(check).toMatchObject({ status: "finished", passed: 14, done: 14, validated: true, error: null });
    const tried = check.attempts.map(({ item, round }) => `${item} ${round}`);
    expect(tried).toEqual(CHECK_SCENARIOS.flatMap(({ id }) => [`${id} 1`, `${id} 2`]));
    expect(new Set(check.attempts.map(({ runId }) => runId)).size).toBe(14);
    expect(requests[0]).toMatchObject({ source: "check", settings: { provider: "mine", model: "m" } });
    expect(
      requests.every(({ provided }) => provided?.every(({ definition }) => definition.name.startsWith("check_"))),
    ).toBe(true);
    expect(changes).toBeGreaterThanOrEqual(3);
    expect(await readVerdicts(store)).toEqual([
      {
        provider: "mine",
        model: "m",
        verdict: { evalRunId: begun.id, validated: true, passed: 14, total: 14, finishedAt: check.finishedAt },
      },
    ]);
  });

  it("validates at 80 %, not below, and says of each failure what was missing", async () => {
    const without =
      (...questions: string[]): ModelPolicy =>
      (question, results) =>
        questions.some((part) => question.includes(part)) ? "I do not know." : goodModel(question, results);
    // One of seven fails: 85.7 %. Two: 71.4 %.
    const well = serviceWith(fakeRuns(playing(without("ledger"))).runs);
    expect(await ended(well, (await well.startRun(LOCAL_OWNER, { ...REQUEST, rounds: 1 })).id)).toMatchObject({
      passed: 6,
      validated: true,
    });
    const badly = serviceWith(fakeRuns(playing(without("ledger", "dock"))).runs);
    const check = await ended(badly, (await badly.startRun(LOCAL_OWNER, { ...REQUEST, rounds: 1 })).id);
    expect(check).toMatchObject({ status: "finished", passed: 5, total: 7, validated: false });
    expect(check.attempts.filter(({ passed }) => !passed).map(({ item, reason }) => [item, reason])).toEqual([
      ["chain", "No call of check_find_order succeeded."],
      ["large_result", "The model did not call check_read_ledger."],
    ]);
  });

  it("a key or a model name that is wrong ends it after two refusals, other faults are failed attempts", async () => {
    const refused = fakeRuns(failing("auth"));
    const service = serviceWith(refused.runs);
    const check = await ended(service, (await service.startRun(LOCAL_OWNER, { ...REQUEST, rounds: 20 })).id);
    expect(check).toMatchObject({ status: "failed", error: "The key is wrong", validated: false });
    expect(refused.requests.length).toBeLessThan(10);
    const busy = serviceWith(fakeRuns(failing("overloaded")).runs);
    const other = await ended(busy, (await busy.startRun(LOCAL_OWNER, { ...REQUEST, rounds: 1 })).id);
    expect(other).toMatchObject({ status: "finished", done: 7, passed: 0, error: null });
    expect(other.attempts[0]).toMatchObject({
      runStatus: "failed",
      reason: "The run ended as failed: The provider refused",
    });
  });

  it("a run that cannot be started fails the run of the suite with the reason", async () => {
    const runs: RunStarter = {
      start: () => Promise.reject(new AppError("INVALID", "Model provider 'mine' cannot be used: apiKey is missing")),
      stop: async () => ({ stopped: false }),
    };
    const service = serviceWith(runs);
    const check = await ended(service, (await service.startRun(LOCAL_OWNER, REQUEST)).id);
    expect(check).toMatchObject({ status: "failed", error: expect.stringContaining("apiKey is missing"), done: 0 });
  });

  it("the demo model is excluded: it follows fixed rules", async () => {
    const { runs, requests } = fakeRuns(never);
    const service = serviceWith(runs);
    await expect(service.startRun(LOCAL_OWNER, { ...REQUEST, provider: "demo" })).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringContaining("follows fixed rules"),
    });
    expect(requests).toEqual([]);
  });

  it("cancel stops its runs at once and counts nothing against the model", async () => {
    const { runs, requests, stopped } = fakeRuns(never);
    const service = serviceWith(runs);
    const { id } = await service.startRun(LOCAL_OWNER, REQUEST);
    await expect.poll(() => requests.length).toBe(3);
    expect(await service.cancelRun(LOCAL_OWNER, id)).toEqual({ cancelled: true });
    expect(await ended(service, id)).toMatchObject({ status: "cancelled", done: 0, attempts: [], validated: false });
    expect(stopped.sort()).toEqual(["run_1", "run_2", "run_3"]);
    expect(requests.length).toBe(3);
    expect(await service.cancelRun(LOCAL_OWNER, id)).toEqual({ cancelled: false });
    await expect(service.cancelRun(LOCAL_OWNER, "nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await readVerdicts(store)).toEqual([]);
  });

  it("a run that takes too long is stopped and fails its attempt", async () => {
    const { runs, stopped } = fakeRuns(never);
    const service = serviceWith(runs, { attemptLimitMs: 5 });
    const check = await ended(service, (await service.startRun(LOCAL_OWNER, { ...REQUEST, rounds: 1 })).id);
    expect(check).toMatchObject({ status: "finished", done: 7, passed: 0 });
    expect(check.attempts[0]?.reason).toMatch(/took longer than .* and was stopped/);
    expect(stopped.length).toBe(7);
  });

  it("a suite runs once at a time with one model; an unknown provider and an unknown run are refused", async () => {
    const service = serviceWith(fakeRuns(never).runs);
    const { id } = await service.startRun(LOCAL_OWNER, REQUEST);
    await expect(service.startRun(LOCAL_OWNER, REQUEST)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(service.startRun(LOCAL_OWNER, { ...REQUEST, provider: "nobody" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(service.getRun("nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await service.close();
    expect(await service.getRun(id)).toMatchObject({
      status: "interrupted",
      error: expect.stringContaining("the server ended"),
    });
    await expect(service.startRun(LOCAL_OWNER, REQUEST)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});

describe("runs that start at once", () => {
  it("AGT-12 of one model are one", async () => {
    const services = [1, 2, 3].map(() => serviceWith(fakeRuns(never).runs));
    const starts = await Promise.allSettled(services.map((one) => one.startRun(LOCAL_OWNER, REQUEST)));
    expect(starts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const start of starts) {
      if (start.status === "rejected") expect(start.reason).toMatchObject({ code: "CONFLICT" });
    }
    await Promise.all(services.map((one) => one.close()));
  });
});

describe("runs of before", () => {
  const begun = { ...REQUEST, edited: null, items: null, rounds: 1, startedAt: 1, total: 7 };

  it("AGT-12 those that were running are interrupted at the start with their partial results", async () => {
    const attempt: EvalAttempt = {
      item: "chain",
      called: [],
      inputTokens: 0,
      outputTokens: 0,
      round: 1,
      passed: true,
      reason: null,
      runId: "r",
      runStatus: "succeeded",
      durationMs: 5,
    };
    await store.create({ ...begun, id: "dead" });
    await store.keepAttempts("dead", [attempt], { inputTokens: 0, outputTokens: 0, cost: null });
    const service = serviceWith(fakeRuns(never).runs);
    await service.load();
    expect(await service.getRun("dead")).toMatchObject({
      status: "interrupted",
      done: 1,
      passed: 1,
      attempts: [attempt],
    });
    await store.finish("dead", { status: "finished", finishedAt: 9, error: null });
    expect((await service.getRun("dead")).status).toBe("interrupted");
  });

  it("are listed newest first by provider and model, page by page, and the newest finished one is the verdict", async () => {
    const service = serviceWith(fakeRuns(never).runs);
    for (let at = 0; at < 35; at += 1) {
      await store.create({ ...begun, id: `c${at}`, model: at % 7 === 0 ? "other" : "m" });
      await store.finish(`c${at}`, { status: at === 33 ? "finished" : "cancelled", finishedAt: at, error: null });
    }
    const first = await service.listRuns({});
    const second = await service.listRuns({ cursor: first.nextCursor ?? 0 });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(
      Array.from({ length: 35 }, (_, at) => `c${34 - at}`),
    );
    expect(second.nextCursor).toBeNull();
    expect((await service.listRuns({ provider: "mine", model: "other" })).items.map(({ id }) => id)).toEqual([
      "c28",
      "c21",
      "c14",
      "c7",
      "c0",
    ]);
    expect(
      (await readVerdicts(store)).map(({ model, verdict }) => [model, verdict.evalRunId, verdict.validated]),
    ).toEqual([["m", "c33", false]]);
  });

  it("damaged attempts hide nothing else", async () => {
    await store.create({ ...begun, id: "c" });
    await scratch.db.prisma.evalRun.update({ where: { id: "c" }, data: { attempts: '[{"scenario":1},7]' } });
    expect((await store.get("c"))?.attempts).toEqual([]);
  });
});

describe("the built-in suite on real runs", () => {
  it("AGT-12 goes through the one executor: its calls are recorded, and a good model is validated", async () => {
    const step: ScriptedStep = (messages) => {
      const asked = messages.findLast(({ role }) => role === "user");
      const results = messages
        .flatMap(({ contents }) => contents)
        .filter((content): content is FunctionResultContent => content.type === "function_result");
      const move = goodModel(asked ? readMessageText(asked) : "", results);
      return typeof move === "string"
        ? { text: move }
        : {
            calls: move.map(({ name, args }, at) => ({
              name,
              arguments: JSON.stringify(args),
              callId: `c${results.length + at}`,
            })),
          };
    };
    const life = await startLife(Array<ScriptedStep>(100).fill(step), { scratch });
    const service = serviceWith(life.runs.starter, {
      models: { client: async () => life.model, price: () => null, endpoint: () => "test", maxTools: () => null },
    });
    const check = await ended(
      service,
      (await service.startRun(LOCAL_OWNER, { ...REQUEST, provider: "scripted", rounds: 1 })).id,
    );
    expect(check.attempts.filter(({ passed }) => !passed)).toEqual([]);
    expect(check).toMatchObject({ status: "finished", passed: 7, validated: true });
    const mended = check.attempts.find(({ item }) => item === "error_recovered");
    const calls = await life.executionStore.findByRun(mended?.runId ?? "");
    expect(calls.length).toBe(2);
    expect(life.engine.registry.get("check_get_report")).toBeUndefined();
  });
});
