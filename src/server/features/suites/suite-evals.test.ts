import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ChatMessage, ChatOptions, ChatResponse } from "../../../lib/contract/chat";
import { type EvalInput, type EvalRunDetail, evalInputSchema } from "../../../lib/contract/eval";
import type { RunEvent, RunSummary } from "../../../lib/contract/run";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toolsetSchema } from "../../../lib/contract/toolset";
import { answered, asked, called, DONE, returned, runLog, said } from "../../../lib/run/run-log.test-support";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../platform/db/database.test-support";
import { AppError } from "../../platform/shared/app-error";
import { createToolFinder } from "../../platform/workers/tool-finder";
import { createEvalStore } from "./db/suite-eval-store";
import { createSuiteStore } from "./db/suite-store";
import { createSuiteService, type SuiteServicePorts } from "./suite-service";

const clock = { now: () => 1000, elapsed: () => performance.now() };

let scratch: ScratchDatabase;
beforeAll(async () => {
  scratch = await createScratchDatabase();
});
afterAll(() => scratch.remove());
afterEach(async () => {
  await scratch.db.prisma.suiteRun.deleteMany();
  await scratch.db.prisma.suite.deleteMany();
  await scratch.db.prisma.eval.deleteMany();
});

const tool = (name: string, description: string): ToolDefinition => ({
  name,
  description,
  type: "function",
  handler: name,
  implementation: { type: "mock", mock_response: 1 },
  parameters: { type: "object", properties: { id: { type: "string", description: "The number" } } },
});
const TOOLS = [
  tool("get_order", "Get one order with its state and where it is"),
  tool("list_orders", "List the orders of a customer"),
  tool("delete_order", "Delete an order"),
];
const SHOP = toolsetSchema.parse({
  name: "shop",
  tools: ["get_order", "list_orders"],
  createdAt: 0,
  updatedAt: 0,
  overrides: [{ tool: "get_order", name: "track" }],
});

type Answer = (messages: readonly ChatMessage[], options: ChatOptions) => { calls?: [string, object][]; text?: string };

/** A model that a test scripts; each request is kept. */
function scripted(answer: Answer) {
  const requests: { messages: ChatMessage[]; options: ChatOptions }[] = [];
  const client = {
    async getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
      requests.push({ messages: [...messages], options });
      const { calls = [], text = "" } = answer(messages, options);
      const contents = calls.map(([name, args], at) => ({
        type: "function_call" as const,
        callId: `c${requests.length}.${at}`,
        name,
        arguments: JSON.stringify(args),
      }));
      return {
        messages: [{ role: "assistant", contents: contents.length > 0 ? contents : [{ type: "text", text }] }],
        finishReason: contents.length > 0 ? "tool_calls" : "stop",
        usage: { inputTokens: 100, outputTokens: 10 },
      };
    },
    getStreamingResponse: () => [] as never,
  };
  return { client, requests };
}

let ids = 0;
const unused = (): never => {
  throw new Error("unused");
};

function serviceWith(client: ReturnType<typeof scripted>["client"], more: Partial<SuiteServicePorts> = {}) {
  return createSuiteService({
    store: createSuiteStore({ db: scratch.db, now: clock.now }),
    evals: createEvalStore({ db: scratch.db, clock }),
    openModel: async () => client,
    models: {
      client: async () => client,
      price: () => ({ model: "m", input: 1000, output: 10_000 }),
      endpoint: () => "test",
      maxTools: () => null,
    },
    offer: {
      definitions: () => TOOLS,
      aliasNames: () => new Map(),
      createFinder: createToolFinder,
      toolset(name) {
        if (name === "shop") return SHOP;
        throw new AppError("NOT_FOUND", `Toolset '${name}' not found`);
      },
    },
    readEdit: ({ editing, definitionText }) => ({
      name: editing,
      definition: JSON.parse(definitionText) as ToolDefinition,
    }),
    recentRuns: async () => [],
    readRun: () => Promise.reject(new Error("unused")),
    prepareToolset: () => null,
    newId: () => `test_${++ids}`,
    newEvalRunId: () => `evalrun_${++ids}`,
    newEvalId: () => `eval_${++ids}`,
    onSuites: () => undefined,
    onProgress: () => undefined,
    onChange: () => undefined,
    executions: { execute: unused, readsFor: unused },
    find: unused,
    needsApproval: () => false,
    checkSchema: unused,
    checkJsonSchema: () => null,
    jobs: { handle: () => undefined, schedule: async () => undefined },
    findDenial: async () => null,
    now: clock.now,
    clock,
    logger: quietLogger(),
    ...more,
  });
}

const input = (changes: Partial<EvalInput> = {}): EvalInput =>
  evalInputSchema.parse({ suite: "orders", question: "Where is my parcel?", expected: ["get_order"], ...changes });
const START = { provider: "mine", model: "m", rounds: 2, offering: "direct" as const };

async function ended(service: ReturnType<typeof serviceWith>, id: string): Promise<EvalRunDetail> {
  const run = await service.awaitRun(id, 15_000);
  if (run.kind !== "evals") throw new Error(`${id} is no run of evals`);
  return run;
}

describe("an eval", () => {
  it("is refused where its question names the tool, its tool is not offered, or a tool is expected and forbidden", async () => {
    const service = serviceWith(scripted(() => ({})).client);
    const refused = [
      [{ question: "Please get_order 7" }, "question names 'get_order'"],
      [{ expected: ["gone"] }, "'gone' is not in the catalog"],
      [{ expected: ["delete_order"], toolset: "shop" }, "is not in the toolset 'shop'"],
      [{ forbidden: ["get_order"] }, "is expected too"],
      [{ toolset: "nothing" }, "Toolset 'nothing' not found"],
    ] as const;
    for (const [changes, message] of refused) {
      await expect(service.addEval(LOCAL_OWNER, input(changes as Partial<EvalInput>))).rejects.toThrow(message);
    }
    expect(await service.evals("orders")).toEqual([]);
  });
});

describe("a run of evals", () => {
  it("asks each question in every round, executes nothing, and says of each failure what was called", async () => {
    const model = scripted((messages) => {
      const text = JSON.stringify(messages);
      if (text.includes("Cancel")) return { calls: [["delete_order", { id: "7" }]] };
      return text.includes("parcel") ? { calls: [["get_order", { id: "7" }]] } : { calls: [["get_order", {}]] };
    });
    const service = serviceWith(model.client);
    await service.addEval(LOCAL_OWNER, input());
    await service.addEval(LOCAL_OWNER, input({ question: "What did Ada buy?", expected: ["list_orders"] }));
    await service.addEval(LOCAL_OWNER, input({ question: "Cancel it", expected: [], forbidden: ["delete_order"] }));
    const run = await ended(service, (await service.run(LOCAL_OWNER, "orders", START)).id);
    expect(run).toMatchObject({ status: "finished", passed: 2, done: 6, total: 6 });
    expect(run.attempts.map(({ passed, called: names, reason }) => [passed, names, reason])).toEqual([
      ...Array(2).fill([true, ["get_order"], null]),
      ...Array(2).fill([false, ["get_order"], "The model called get_order, not list_orders."]),
      ...Array(2).fill([false, ["delete_order"], "The model called delete_order, which is forbidden."]),
    ]);
    // 600 tokens at 1,000 dollars a million, 60 at 10,000.
    expect(run).toMatchObject({ inputTokens: 600, outputTokens: 60 });
    expect(run.cost).toBeCloseTo(1.2);
    expect(run.items[0]).toMatchObject({ title: "Where is my parcel?", expected: ["get_order"] });
    expect(model.requests[0]?.options.tools?.map(({ name }) => name)).toEqual([
      "delete_order",
      "get_order",
      "list_orders",
    ]);
    expect(await service.list()).toMatchObject([
      { kind: "evals", name: "orders", evalCount: 3, lastRun: { id: run.id } },
    ]);
  });

  it("with discovery offers a search and a call, answers searches itself, and checks the tool that is called through it", async () => {
    const model = scripted((messages) => {
      const found = messages.flatMap(({ contents }) => contents).find(({ type }) => type === "function_result");
      if (found === undefined) return { calls: [["search_tools", { query: "where is an order" }]] };
      return { calls: [["call_tool", { name: "track", arguments: { id: "7" } }]] };
    });
    const service = serviceWith(model.client);
    await service.addEval(LOCAL_OWNER, input({ toolset: "shop" }));
    const { id } = await service.run(LOCAL_OWNER, "orders", { ...START, rounds: 1, offering: "discovery" });
    const run = await ended(service, id);
    // The toolset renames the tool; an eval knows it by its name in the catalog.
    expect(run).toMatchObject({ passed: 1, offering: "discovery", inputTokens: 200 });
    expect(run.attempts[0]?.called).toEqual(["get_order"]);
    expect(model.requests[0]?.options.tools?.map(({ name }) => name)).toEqual(["search_tools", "call_tool"]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("track");
    const direct = await ended(service, (await service.run(LOCAL_OWNER, "orders", { ...START, rounds: 1 })).id);
    expect(direct.attempts[0]).toMatchObject({ passed: false, called: ["search_tools"] });
  });

  it("with an edit offers the definition that is not saved, and expects a renamed tool under its new name", async () => {
    const model = scripted((_, { tools = [] }) => {
      const best = tools.find(({ description }) => description.includes("parcel"));
      return best === undefined ? { text: "I do not know" } : { calls: [[best.name, {}]] };
    });
    const service = serviceWith(model.client);
    await service.addEval(LOCAL_OWNER, input());
    const before = await ended(service, (await service.run(LOCAL_OWNER, "orders", START)).id);
    expect(before).toMatchObject({ passed: 0, edited: null });
    expect(before.attempts[0]?.reason).toBe("The model answered without a call of get_order.");
    const definitionText = JSON.stringify({ ...tool("track_order", "Says where a parcel is") });
    const edit = { editing: "get_order", definitionText };
    const after = await ended(service, (await service.run(LOCAL_OWNER, "orders", { ...START, edit })).id);
    expect(after).toMatchObject({ passed: 2, edited: "track_order" });
  });

  it("keeps the conversation before the decision, with the question as it was confirmed", async () => {
    const model = scripted(() => ({ calls: [["get_order", {}]] }));
    const service = serviceWith(model.client);
    const context: ChatMessage[] = [
      { role: "user", contents: [{ type: "text", text: "get_order please" }] },
      { role: "assistant", contents: [{ type: "function_call", callId: "c", name: "list_orders", arguments: "{}" }] },
      { role: "tool", contents: [{ type: "function_result", callId: "c", name: "list_orders", result: "7" }] },
    ];
    await service.addEval(LOCAL_OWNER, input({ context }));
    expect(await ended(service, (await service.run(LOCAL_OWNER, "orders", { ...START, rounds: 1 })).id)).toMatchObject({
      passed: 1,
    });
    expect(model.requests[0]?.messages).toEqual([
      { role: "user", contents: [{ type: "text", text: "Where is my parcel?" }] },
      ...context.slice(1),
    ]);
  });

  it("does not begin without evals, with too many attempts, or with a tool that is gone", async () => {
    const service = serviceWith(scripted(() => ({})).client);
    await expect(service.run(LOCAL_OWNER, "orders", START)).rejects.toThrow("There is no suite 'orders'");
    await service.addEval(LOCAL_OWNER, input());
    const without = serviceWith(scripted(() => ({})).client, {
      offer: {
        definitions: () => [],
        aliasNames: () => new Map(),
        createFinder: createToolFinder,
        toolset: () => SHOP,
      },
    });
    await expect(without.run(LOCAL_OWNER, "orders", START)).rejects.toThrow("expects get_order, which is not enabled");
  });
});

describe("candidates", () => {
  const events: RunEvent[] = runLog(
    said("Where is my parcel?"),
    asked(1),
    answered(1, "", [["list_orders", "{}"]]),
    called(1, 0, "list_orders"),
    returned(1, 0, "list_orders", "7"),
    asked(2),
    answered(2, "", [["get_order", '{"id":"7"}']]),
    called(2, 0, "get_order"),
    returned(2, 0, "get_order", "On its way"),
    asked(3),
    answered(3, "It is on its way."),
    DONE,
  );
  const run = { id: "run_1", title: "Where is my parcel?" } as RunSummary;
  const settings = { provider: "mine", model: "m", instructions: "", tools: { mode: "all" as const } };
  const ports = { recentRuns: async () => [run], readRun: async () => ({ settings, events }) };

  it("are the decisions of runs, with what was called and the conversation before, until they are evals or dismissed", async () => {
    const service = serviceWith(scripted(() => ({})).client, ports);
    const found = await service.candidates();
    expect(found.map(({ origin, called: names, contextMessages }) => [origin.step, names, contextMessages])).toEqual(
      expect.arrayContaining([
        [1, ["list_orders"], 0],
        [2, ["get_order"], 2],
      ]),
    );
    const decision = await service.candidate({ runId: "run_1", step: 2 });
    expect(decision).toMatchObject({ question: "Where is my parcel?", toolset: null, hasFailed: false });
    expect(decision.context.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    await service.addEval(LOCAL_OWNER, input({ context: decision.context, origin: decision.origin }));
    await service.dismiss(LOCAL_OWNER, { runId: "run_1", step: 1 });
    expect(await service.candidates()).toEqual([]);
    await expect(service.candidate({ runId: "run_1", step: 9 })).rejects.toThrow("has no decision 9");
  });

  it("of runs that the reader may not read are none", async () => {
    const service = serviceWith(scripted(() => ({})).client, ports);
    const readable = { mayReadRun: async () => false };
    expect(await service.candidates(readable)).toEqual([]);
    await expect(service.candidate({ runId: "run_1", step: 2 }, readable)).rejects.toThrow("has no decision");
  });
});
