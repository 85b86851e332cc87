import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ChatResponse } from "../../../lib/contract/chat";
import { type Eval, type EvalAttempt, type EvalRunDetail, evalSchema } from "../../../lib/contract/eval";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ChatClient } from "../../engine/agent/chat-ports";
import { ChatClientError } from "../../engine/agent/chat-ports";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../platform/db/database.test-support";
import { AppError } from "../../platform/shared/app-error";
import { createSuiteStore } from "./db/suite-store";
import { createEvalRuns, type EvalRunPorts } from "./suite-eval-runs";
import { createRunTasks } from "./suite-run-tasks";
import type { SuiteStore } from "./suite-store";

let scratch: ScratchDatabase;
let store: SuiteStore;
let changes: number;
let ids: number;
beforeAll(async () => {
  scratch = await createScratchDatabase();
  store = createSuiteStore({ db: scratch.db, now: () => 1_000 });
});
afterAll(() => scratch.remove());
beforeEach(() => {
  changes = 0;
  ids = 0;
});
afterEach(() => scratch.db.prisma.suiteRun.deleteMany());

const TOOL: ToolDefinition = {
  name: "get_order",
  description: "Get one order",
  type: "function",
  handler: "get_order",
  implementation: { type: "mock", mock_response: 1 },
  parameters: { type: "object", properties: {} },
};
const EVALS: Eval[] = Array.from({ length: 7 }, (_, at) =>
  evalSchema.parse({
    id: `eval_${at + 1}`,
    suite: "orders",
    question: `Where is parcel ${at + 1}?`,
    expected: ["get_order"],
    createdAt: at,
    lastEdit: { revision: 1, by: null, at: 0 },
  }),
);

const calling = async (): Promise<ChatResponse> => ({
  messages: [
    { role: "assistant", contents: [{ type: "function_call", callId: "c1", name: "get_order", arguments: "{}" }] },
  ],
  finishReason: "tool_calls",
});

/** A model that answers when a test says so, and counts how often it was asked and how many requests were stopped. */
function neverAnswering() {
  const counts = { asked: 0, stopped: 0 };
  const answer = (signal: AbortSignal | undefined): Promise<ChatResponse> => {
    counts.asked += 1;
    return new Promise((_, reject) =>
      signal?.addEventListener("abort", () => {
        counts.stopped += 1;
        reject(signal.reason);
      }),
    );
  };
  return { counts, answer };
}

function serviceWith(
  answer: (signal: AbortSignal | undefined) => Promise<ChatResponse>,
  more: Partial<EvalRunPorts> = {},
) {
  const onChange = (): void => {
    changes += 1;
  };
  const openClient = async (provider: string): Promise<ChatClient> => {
    if (provider !== "mine") throw new AppError("NOT_FOUND", `Model provider '${provider}' not found`);
    return {
      getResponse: (_messages, options) => answer(options?.signal),
      getStreamingResponse: () => [] as never,
    };
  };
  const logger = quietLogger();
  const tasks = createRunTasks({ store, logger, now: () => 1000 + changes, onChange });
  const runs = createEvalRuns({
    store,
    tasks,
    logger,
    evals: { list: async (suite) => (suite === "orders" ? EVALS : []) },
    offer: {
      definitions: () => [TOOL],
      aliasNames: () => new Map(),
      createFinder: () => ({ search: () => [] }),
      toolset: (name) => {
        throw new AppError("NOT_FOUND", `Toolset '${name}' not found`);
      },
    },
    readEdit: () => {
      throw new Error("unused");
    },
    openModel: ({ provider }) => openClient(provider),
    models: {
      client: openClient,
      price: () => null,
      endpoint: () => "test",
      maxTools: () => null,
    },
    clock: { now: () => 1000 + changes, elapsed: () => changes },
    newEvalRunId: () => `evalrun_${++ids}`,
    onProgress: onChange,
    ...more,
  });
  return { ...tasks, start: runs.start };
}

const REQUEST = {
  suite: "orders",
  suiteId: null,
  trigger: "manual" as const,
  provider: "mine",
  model: "m",
  rounds: 2,
  offering: "direct" as const,
};

async function ended(service: ReturnType<typeof serviceWith>, id: string): Promise<EvalRunDetail> {
  const run = await service.awaitEnd(id, 15_000);
  if (run.kind !== "evals") throw new Error(`${id} is no run of evals`);
  return run;
}

describe("a run of a suite", () => {
  it("asks every question in every round, and keeps each attempt", async () => {
    const service = serviceWith(calling);
    const begun = await service.start(LOCAL_OWNER, REQUEST);
    expect(begun).toMatchObject({ id: "evalrun_1", status: "running", done: 0, total: 14, error: null });
    const run = await ended(service, begun.id);
    expect(run).toMatchObject({ status: "finished", passed: 14, done: 14, error: null });
    const tried = run.attempts.map(({ item, round }) => `${item} ${round}`);
    expect(tried).toEqual(EVALS.flatMap(({ id }) => [`${id} 1`, `${id} 2`]));
    expect(changes).toBeGreaterThanOrEqual(3);
  });

  it("a key or a model name that is wrong ends it after two refusals, other faults are failed attempts", async () => {
    let asked = 0;
    const service = serviceWith(async () => {
      asked += 1;
      throw new ChatClientError("auth", "The key is wrong");
    });
    const run = await ended(service, (await service.start(LOCAL_OWNER, { ...REQUEST, rounds: 20 })).id);
    expect(run).toMatchObject({ status: "failed", error: "The key is wrong" });
    expect(asked).toBeLessThan(10);
    const busy = serviceWith(() => Promise.reject(new ChatClientError("overloaded", "Too busy")));
    const other = await ended(busy, (await busy.start(LOCAL_OWNER, { ...REQUEST, rounds: 1 })).id);
    expect(other).toMatchObject({ status: "finished", done: 7, passed: 0, error: null });
    expect(other.attempts[0]?.reason).toBe("The model could not be asked: Too busy");
  });

  it("cancel stops its requests at once and counts nothing against the model", async () => {
    const { counts, answer } = neverAnswering();
    const service = serviceWith(answer);
    const { id } = await service.start(LOCAL_OWNER, REQUEST);
    await expect.poll(() => counts.asked).toBe(3);
    expect(await service.cancel(id)).toEqual({ cancelled: true });
    expect(await ended(service, id)).toMatchObject({ status: "cancelled", done: 0, attempts: [] });
    expect(counts).toEqual({ asked: 3, stopped: 3 });
    expect(await service.cancel(id)).toEqual({ cancelled: false });
    await expect(service.cancel("nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("a model that takes too long fails its attempt", async () => {
    const { counts, answer } = neverAnswering();
    const service = serviceWith(answer, { attemptLimitMs: 5 });
    const run = await ended(service, (await service.start(LOCAL_OWNER, { ...REQUEST, rounds: 1 })).id);
    expect(run).toMatchObject({ status: "finished", done: 7, passed: 0 });
    expect(run.attempts[0]?.reason).toMatch(/took longer than/);
    expect(counts.stopped).toBe(7);
  });

  it("a suite runs once at a time with one model; an unknown provider and an unknown run are refused", async () => {
    const service = serviceWith(neverAnswering().answer);
    const { id } = await service.start(LOCAL_OWNER, REQUEST);
    await expect(service.start(LOCAL_OWNER, REQUEST)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(service.start(LOCAL_OWNER, { ...REQUEST, provider: "nobody" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(service.find("nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await service.close();
    expect(await service.find(id)).toMatchObject({
      status: "interrupted",
      error: expect.stringContaining("the server ended"),
    });
    await expect(service.start(LOCAL_OWNER, REQUEST)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});

describe("runs that start at once", () => {
  it("AGT-12 of one model are one", async () => {
    const services = [1, 2, 3].map(() => serviceWith(neverAnswering().answer));
    const starts = await Promise.allSettled(services.map((one) => one.start(LOCAL_OWNER, REQUEST)));
    expect(starts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const start of starts) {
      if (start.status === "rejected") expect(start.reason).toMatchObject({ code: "CONFLICT" });
    }
    await Promise.all(services.map((one) => one.close()));
  });
});

describe("runs of before", () => {
  const { suite: name, ...request } = REQUEST;
  const begun = { ...request, name, actor: LOCAL_OWNER, edited: null, items: [], rounds: 1, startedAt: 1, total: 7 };
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

  it("AGT-12 those that were running are interrupted at the start with their partial results", async () => {
    await store.createEvalRun({ ...begun, id: "dead" });
    await store.keepAttempts("dead", [attempt], { inputTokens: 0, outputTokens: 0, cost: null });
    const service = serviceWith(calling);
    await service.endAbandoned();
    expect(await service.find("dead")).toMatchObject({
      status: "interrupted",
      done: 1,
      passed: 1,
      attempts: [attempt],
    });
    await store.finishRun("dead", { status: "finished", finishedAt: 9, error: null });
    expect((await service.find("dead")).status).toBe("interrupted");
  });

  it("of the suite that earlier versions brought along are shown by the names of its scenarios", async () => {
    await store.createEvalRun({ ...begun, id: "old", name: "tool-use" });
    await store.keepAttempts("old", [attempt], { inputTokens: 0, outputTokens: 0, cost: null });
    await scratch.db.prisma.suiteRun.update({ where: { id: "old" }, data: { items: null } });
    const service = serviceWith(calling);
    expect(await service.find("old")).toMatchObject({
      items: [{ id: "chain", title: "chain" }],
      attempts: [attempt],
    });
    expect((await store.runs({ name: "tool-use", limit: 5 })).items).toMatchObject([{ id: "old" }]);
  });

  it("damaged attempts hide nothing else", async () => {
    await store.createEvalRun({ ...begun, id: "c" });
    await scratch.db.prisma.suiteRun.update({ where: { id: "c" }, data: { attempts: '[{"scenario":1},7]' } });
    expect(await store.findRun("c")).toMatchObject({ attempts: [] });
  });
});
