import { afterEach, beforeEach, expect, it } from "vitest";
import type { Principal } from "../../../../lib/contract/access";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { ALICE, startServer, type TestServer } from "../../../calls/approvals/approval.test-support";
import { createGatewayTaskStore } from "../../../features/gateway/db/gateway-task-store";
import { createScratchDatabase, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { post, startGateway, type TestGateway, tool } from "../gateway.test-support";
import type { GatewayLimits } from "../gateway-ports";

const EXTENSION = "io.modelcontextprotocol/tasks";
const META = "io.modelcontextprotocol/";

let scratch: ScratchDatabase;
let server: TestServer;
let gateway: TestGateway;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  server = await startServer(scratch.db);
});
afterEach(async () => {
  await gateway.close();
  await server.stop();
  await scratch.remove();
});

const buildCaller = (name: string): Principal => ({ id: name, name, role: "operator", token: null });

async function start(
  limits: Partial<GatewayLimits> = {},
  executor: { execute: TestGateway["engine"]["executor"]["execute"] } | null = server.executions,
) {
  gateway = await startGateway({
    ports: {
      ...(executor === null ? {} : { executor, tools: () => server.engine.registry.list() }),
      authenticate: async (headers) => buildCaller(headers.get("authorization") ?? "ada"),
      tasks: {
        store: createGatewayTaskStore({ db: scratch.db }),
        find: async (id) => server.executions.get(id),
        summary: (id) => server.executions.get(id),
        cancel: async () => {},
      },
      limits,
    },
  });
}

interface Answer {
  result: Record<string, unknown> & { taskId: string };
  error: { code: number; message: string };
}

/** A stateless request of a client that knows tasks. */
function send(method: string, params: Record<string, unknown>, { as = "ada", more = {} } = {}): Promise<Response> {
  const _meta = {
    [`${META}protocolVersion`]: "2026-07-28",
    [`${META}clientInfo`]: { name: "raw", version: "1" },
    [`${META}clientCapabilities`]: { extensions: { [EXTENSION]: {} }, ...more },
  };
  const name = params.name ?? params.taskId;
  const headers = {
    authorization: as,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": String(name) }),
  };
  return post(gateway.url, { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, headers);
}

/** Listens to tasks. @returns what comes; `ended` resolves with the stream */
async function listen(notifications: object, options = {}) {
  const response = await send("subscriptions/listen", { notifications }, options);
  const heard: (Partial<Answer> & { method?: string; params?: Record<string, unknown> })[] = [];
  const read = async (): Promise<void> => {
    let text = "";
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(chunk);
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) heard.push(JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "{}"));
    }
  };
  return { status: response.status, heard, ended: read() };
}

async function ask(method: string, params: Record<string, unknown>, options = {}): Promise<Answer> {
  const response = await send(method, params, options);
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Answer;
}

const call = (name: string, args: object = {}, options = {}) => ask("tools/call", { name, arguments: args }, options);
const getStatus = async (taskId: string, options = {}) => (await ask("tasks/get", { taskId }, options)).result?.status;

it("a task is nobody else's: neither another caller nor another address can read, answer or cancel it", async () => {
  await start({ taskAfterMs: 1 }, null);
  const { taskId } = (await call("slow")).result;
  expect(await getStatus(taskId)).toBe("working");
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    const { error } = await ask(method, { taskId, inputResponses: {} }, { as: "bob" });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("Task not found") });
  }
  expect(await getStatus(taskId)).toBe("working");
  expect((await ask("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  expect(await getStatus(taskId)).toBe("cancelled");
});

it("a short call is answered with its result, and one that takes long with a task that outlives its request", async () => {
  await start({ taskAfterMs: 60 }, null);
  expect((await call("echo", { text: "a" })).result).toMatchObject({ resultType: "complete" });
  const { result } = await call("steps");
  expect(result).toMatchObject({ resultType: "task", status: "working" });
  await waitUntil(async () => (await getStatus(result.taskId)) === "completed", { what: "the end" });
  const { result: ended } = await ask("tasks/get", { taskId: result.taskId });
  expect(ended).toMatchObject({ result: { content: [{ type: "text", text: '{"steps":3}' }] } });
});

it("a call that fails before a task is made of it is answered with its failure", async () => {
  await start({ taskAfterMs: 60 }, null);
  expect((await call("fails")).result).toMatchObject({ resultType: "complete", isError: true });
  expect((await call("nothing")).error).toMatchObject({ code: -32602 });
});

it("an expired task is unknown, and its call is cancelled", async () => {
  await start({ taskAfterMs: 1, taskTtlMs: 150, minTaskTtlMs: 1 }, null);
  const { taskId } = (await call("slow")).result;
  await waitUntil(async () => (await ask("tasks/get", { taskId })).error?.code === -32602, { what: "the expiry" });
  await waitUntil(() => gateway.journal.ended[0]?.end.status === "cancelled", { what: "the end of the call" });
});

it("without room for another task a call goes on as it is", async () => {
  await start({ taskAfterMs: 1, maxTasksPerOwner: 1 }, null);
  const { taskId } = (await call("slow")).result;
  expect((await call("steps")).result).toMatchObject({ resultType: "complete" });
  expect((await call("slow", {}, { as: "bob" })).result).toMatchObject({ resultType: "task" });
  expect(await getStatus(taskId)).toBe("working");
});

it("a task waits for approval as long as its request does, says so, and runs then", async () => {
  await start({ taskAfterMs: 1, approvalWaitMs: 10 });
  const { taskId } = (await call("wipe", { folder: "/a" })).result;
  const waiting = async () => (await server.executions.list({ status: ["waiting"] }, undefined, 1)).items[0]?.id;
  await waitUntil(async () => (await waiting()) !== undefined, { what: "the request" });
  const { result } = await ask("tasks/get", { taskId });
  expect(result).toMatchObject({ status: "working", statusMessage: "Waiting for approval in Toolroom" });
  await server.approvals.decide(ALICE, (await waiting()) ?? "", { approved: true });
  await waitUntil(async () => (await getStatus(taskId)) === "completed", { what: "the end" });
  expect(server.wiped).toEqual([{ folder: "/a" }]);
});

/** Starts a gateway whose clients have `answerMs` to fetch a question, and a task that asks one. */
async function askLate(answerMs: number) {
  await start({ taskAfterMs: 1, answerMs }, null);
  const request = { kind: "form", message: "Colour?", schema: { type: "object" } };
  const more = { elicitation: { form: {} } };
  gateway.engine.registry.register(
    tool("late_ask", { type: "builtin", handler: "ask" }, { listed: { execution: { taskSupport: "optional" } } }),
  );
  return { taskId: (await call("late_ask", { request }, { more })).result.taskId, more };
}

it("a question that no client fetches goes to the console", async () => {
  const { taskId, more } = await askLate(30);
  await waitUntil(() => gateway.journal.ended.length === 1, { what: "the console's turn" });
  expect((await ask("tasks/get", { taskId }, { more })).result).toMatchObject({ status: "completed" });
});

it("a question that a client has seen waits for its answer", async () => {
  const answerMs = 1_000;
  const { taskId: seen, more } = await askLate(answerMs);
  await waitUntil(async () => (await getStatus(seen, { more })) === "input_required", { what: "the question" });
  const seenAt = Date.now();
  await waitUntil(() => Date.now() - seenAt > answerMs + 100);
  const { result } = await ask("tasks/get", { taskId: seen }, { more });
  const [key = ""] = Object.keys((result.inputRequests as object | undefined) ?? {});
  await ask(
    "tasks/update",
    { taskId: seen, inputResponses: { [key]: { action: "accept", content: { colour: "red" } } } },
    { more },
  );
  await waitUntil(async () => (await getStatus(seen, { more })) === "completed", { what: "the end" });
  expect(JSON.stringify((await ask("tasks/get", { taskId: seen }, { more })).result)).toContain("red");
});

it("a client that listens to its tasks gets what a poll says at each status, until the last one has ended", async () => {
  await start({ taskAfterMs: 1 }, null);
  const slow = (await call("slow")).result.taskId;
  const steps = (await call("steps")).result.taskId;
  const { heard, ended } = await listen({ taskIds: [slow, steps, "unknown", slow], toolsListChanged: false });
  await waitUntil(() => heard.some(({ params }) => params?.taskId === steps && params.status === "completed"));
  await ask("tasks/cancel", { taskId: slow });
  await ended;
  const _meta = { [`${META}subscriptionId`]: 1 };
  expect(heard[0]).toEqual({
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: { taskIds: [slow, steps] }, _meta },
  });
  expect(heard.at(-1)).toMatchObject({ id: 1, result: { resultType: "complete", _meta } });
  const told = heard.slice(1, -1);
  expect(new Set(told.map(({ method }) => method))).toEqual(new Set(["notifications/tasks"]));
  for (const [taskId, status] of [
    [slow, "cancelled"],
    [steps, "completed"],
  ]) {
    const last = told.findLast(({ params }) => params?.taskId === taskId)?.params;
    const { resultType: _, ...polled } = (await ask("tasks/get", { taskId })).result;
    expect(last).toMatchObject({ status, _meta });
    expect({ ...last, _meta: polled._meta }).toEqual(polled);
  }
});

it("a client hears of its own tasks only, needs the extension, and its streams end with the gateway", async () => {
  await start({ taskAfterMs: 1 }, null);
  const { taskId } = (await call("slow")).result;
  const other = await listen({ taskIds: [taskId] }, { as: "bob" });
  await other.ended;
  expect(other.heard.map(({ params, result }) => params?.notifications ?? result?.resultType)).toEqual([
    {},
    "complete",
  ]);
  const without = await ask(
    "subscriptions/listen",
    { notifications: { taskIds: [taskId] } },
    { more: { extensions: {} } },
  );
  expect(without.error).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
  });
  const own = await listen({ taskIds: [taskId] });
  await waitUntil(() => own.heard.length > 1);
  await gateway.close();
  await own.ended;
  expect(own.heard.at(-1)).toMatchObject({ id: 1, result: { resultType: "complete" } });
});
