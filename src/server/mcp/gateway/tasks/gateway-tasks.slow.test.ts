import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  ProgressNotificationSchema,
  TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../gateway-container.test-support";

// A whole server with its database; its tools are those of the servers in `e2e/support/mcp-servers`, and own ones.
const SERVERS = ["asking", "tasking", "stateless-tasks"];
const PROTOCOL = "2026-07-28";
const EXTENSION = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const META = "io.modelcontextprotocol/";
const RELATED = `${META}related-task`;

let databaseUrl: string;
let running: GatewayContainer;

beforeAll(async () => {
  databaseUrl = await newDatabaseUrl();
  running = await startGatewayContainer(databaseUrl);
  const { servers } = running.container.services;
  for (const name of SERVERS) {
    const args = [path.resolve(`e2e/support/mcp-servers/${name}.mjs`)];
    await servers.create(LOCAL_PRINCIPAL, { name, transport: "stdio", command: process.execPath, args });
    await servers.reconnect(LOCAL_PRINCIPAL, name);
  }
}, 60_000);
afterAll(() => running.stop());

/** A client of the first SDK generation, which has tasks. */
async function connect(capabilities = {}, sessionId?: string) {
  const client = new FirstClient({ name: "first", version: "1" }, { capabilities });
  const transport = new FirstTransport(new URL(running.url), sessionId === undefined ? {} : { sessionId });
  await client.connect(transport as never);
  onTestFinished(() => client.close().catch(() => {}));
  return { client, tasks: client.experimental.tasks, transport };
}

type Tasks = FirstClient["experimental"]["tasks"];

/** Calls a tool as a task. @returns every message, the last is the result or the error */
async function stream(tasks: Tasks, name: string, args: object = {}, task: object = {}) {
  const messages: { type: string; [key: string]: unknown }[] = [];
  const options = { task } as never;
  for await (const message of tasks.callToolStream({ name, arguments: { ...args } }, undefined, options)) {
    messages.push(message as never);
  }
  return messages;
}

/** Starts a task and returns as soon as it is created. */
async function create(client: FirstClient, name: string, task: object = {}, _meta = {}) {
  const params = { name, arguments: {}, task, _meta };
  return (await client.request({ method: "tools/call", params }, CreateTaskResultSchema)).task;
}

const execution = async (toolName: string) => {
  const { items } = await running.container.services.executions.list({ tool: [toolName] }, undefined, 1);
  return await running.container.services.executions.get(items[0]?.id ?? "");
};

describe("a client of revision 2025-11-25", () => {
  it("calls a tool as a task: its own server's, one that has to be a task, and one of the console", async () => {
    const { client, tasks } = await connect();
    const { tools } = await client.listTools();
    expect(new Set(tools.map((tool) => tool.execution?.taskSupport))).toEqual(new Set(["optional"]));
    expect(client.getServerCapabilities()?.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
    for (const [name, text] of [
      ["tasking__steps", '{"a":1}'],
      ["stateless-tasks__job", '{"a":1}'],
      ["stateless-tasks__plain", "plain"],
    ] as const) {
      const messages = await stream(tasks, name, { a: 1 });
      expect(messages.map(({ type }) => type).filter((type) => type !== "taskStatus")).toEqual([
        "taskCreated",
        "result",
      ]);
      const { taskId } = (messages[0]?.task ?? {}) as { taskId: string };
      expect(taskId).toMatch(/^[\w-]{32}$/);
      expect(messages.at(-1)?.result).toMatchObject({
        content: [{ type: "text", text }],
        _meta: { [RELATED]: { taskId } },
      });
      expect((await tasks.getTask(taskId)).status).toBe("completed");
    }
    const recorded = await execution("tasking__steps");
    expect(recorded).toMatchObject({
      status: "succeeded",
      source: "gateway",
      taskId: expect.stringMatching(/^steps-/),
    });
    // Plainly as well, although the server demands a task.
    expect(await client.callTool({ name: "tasking__steps", arguments: { a: 2 } })).toMatchObject({
      content: [{ text: '{"a":2}' }],
    });
  });

  it("gets statuses, status notifications and the progress of its call while the task runs", async () => {
    const { client } = await connect();
    const statuses: unknown[] = [];
    const progress: unknown[] = [];
    client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void statuses.push(params));
    client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => void progress.push(params));
    const { taskId } = await create(client, "tasking__steps", {}, { progressToken: "mine" });
    await waitUntil(() => statuses.length > 0, { what: "a status" });
    expect(statuses).toEqual([expect.objectContaining({ taskId, status: "completed" })]);
    expect(progress).toContainEqual(
      expect.objectContaining({ progressToken: "mine", progress: 3, total: 3, _meta: { [RELATED]: { taskId } } }),
    );
  });

  it("is asked what the task's server asks when it asks for the result", async () => {
    const { client, tasks } = await connect({ elicitation: { form: {} } });
    let related: unknown;
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      related = params._meta?.[RELATED];
      return { action: "accept", content: { age: 41 } };
    });
    const messages = await stream(tasks, "asking__form");
    const created = messages[0]?.task as { taskId: string };
    expect(messages.map(({ task }) => (task as { status?: string } | undefined)?.status)).toContain("input_required");
    expect(JSON.stringify(messages.at(-1)?.result)).toContain('\\"age\\":41');
    expect(related).toEqual({ taskId: created.taskId });
    expect(await running.container.services.interactions.list()).toEqual([]);
  });

  it("has failures as failed tasks, and errors of the protocol as errors", async () => {
    const { client, tasks } = await connect();
    const refused = await create(client, "tasking__refuses");
    await waitUntil(async () => (await tasks.getTask(refused.taskId)).status === "failed", { what: "the failure" });
    expect(await tasks.getTaskResult(refused.taskId, CallToolResultSchema)).toMatchObject({
      isError: true,
      content: [{ text: "a refusal" }],
    });
    const { taskId } = await create(client, "stateless-tasks__fails");
    await waitUntil(async () => (await tasks.getTask(taskId)).status === "failed", { what: "the end" });
    await expect(tasks.getTaskResult(taskId, CallToolResultSchema)).rejects.toMatchObject({
      code: -32050,
      data: { free: 0 },
    });
    await expect(create(client, "nothing")).rejects.toMatchObject({ code: -32602 });
    await expect(create(client, "asking__hang", { ttl: "long" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("params.task must be an object, and its ttl a number of milliseconds"),
    });
  });

  it("cancels a task, whose execution and server's task end too; it stays cancelled", async () => {
    const { client, tasks } = await connect();
    const { taskId, ttl, status } = await create(client, "tasking__hang", { ttl: 1 });
    expect([status, ttl]).toEqual(["working", 60_000]);
    await waitUntil(async () => (await tasks.getTask(taskId)).statusMessage === "Task working", { what: "a poll" });
    expect(await tasks.cancelTask(taskId)).toMatchObject({ taskId, status: "cancelled" });
    expect(await execution("tasking__hang")).toMatchObject({ status: "cancelled" });
    expect((await tasks.getTask(taskId)).status).toBe("cancelled");
    await expect(tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 });
    expect(await tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({ isError: true });
    const sent = async () =>
      (await running.container.services.servers.messages("tasking", LOCAL_PRINCIPAL.id)).map(({ method }) => method);
    await waitUntil(async () => (await sent()).includes("tasks/cancel"), { what: "tasks/cancel" });
  });

  it("sees the tasks of its own session only, and loses them with it", async () => {
    const mine = await connect();
    const other = await connect();
    const { taskId } = await create(mine.client, "tasking__hang");
    expect((await mine.tasks.listTasks()).tasks.map((task) => task.taskId)).toEqual([taskId]);
    expect((await other.tasks.listTasks()).tasks).toEqual([]);
    for (const ask of [
      other.tasks.getTask(taskId),
      other.tasks.getTaskResult(taskId, CallToolResultSchema),
      other.tasks.cancelTask(taskId),
    ]) {
      await expect(ask).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("Task not found") });
    }
    const elsewhere = await rawClient(`${running.url}/tasking`, "2025-11-25");
    expect((await elsewhere.ask("tasks/get", { taskId })).at(-1)?.error).toMatchObject({ code: -32602 });
    const stateless = await ask("tasks/get", { taskId });
    expect(stateless.error).toMatchObject({ code: -32602 });
    await mine.transport.terminateSession();
    await waitUntil(async () => (await execution("tasking__hang")).status === "cancelled", { what: "the end" });
  });

  it("of an earlier revision is offered no tasks, and its calls are plain", async () => {
    const client = await rawClient(running.url, "2025-06-18");
    const { result } = (await client.ask("tools/list")).at(-1) ?? {};
    expect(JSON.stringify(result)).not.toContain("taskSupport");
    const called = await client.ask("tools/call", { name: "stateless-tasks__plain", arguments: {}, task: { ttl: 1 } });
    expect(called.at(-1)?.result).toMatchObject({ content: [{ text: "plain" }] });
  });
});

/** A stateless request of a client that knows the extension. */
async function ask(method: string, params: Record<string, unknown>, capabilities: object = EXTENSION) {
  const client = await rawClient(running.url, PROTOCOL);
  const messages = await client.ask(method, { ...params, _meta: { [`${META}clientCapabilities`]: capabilities } });
  return messages.at(-1) ?? {};
}

const call = (name: string, capabilities?: object) => ask("tools/call", { name, arguments: { a: 1 } }, capabilities);
const ended = async (taskId: unknown) => {
  await waitUntil(
    async () => !["working", "input_required"].includes(String((await ask("tasks/get", { taskId })).result?.status)),
  );
  return (await ask("tasks/get", { taskId })).result ?? {};
};

describe("a client of 2026-07-28 with the extension", () => {
  it("gets a task at once for a tool that its server runs as one, and the result with a poll", async () => {
    const { result } = await call("tasking__steps");
    expect(result).toMatchObject({ resultType: "task", status: "working", ttlMs: 3_600_000, pollIntervalMs: 1000 });
    expect(await ended(result?.taskId)).toMatchObject({
      resultType: "complete",
      status: "completed",
      result: { content: [{ type: "text", text: '{"a":1}' }] },
    });
    expect((await call("stateless-tasks__plain")).result).toMatchObject({ resultType: "complete" });
  });

  it("gets a task for a call that takes long, answers its questions, and cancels it", async () => {
    const capabilities = { ...EXTENSION, elicitation: { form: {} } };
    const { result } = await call("asking__hang", capabilities);
    expect(result).toMatchObject({ resultType: "task", status: "working" });
    expect((await ask("tasks/cancel", { taskId: result?.taskId })).result).toMatchObject({ resultType: "complete" });
    expect((await ended(result?.taskId)).status).toBe("cancelled");
    // A question inside a task: the tool asks at once, and the task is one from the start.
    const asking = await call("tasking__asks", capabilities);
    const { taskId } = asking.result ?? {};
    const questions = async () =>
      (await ask("tasks/get", { taskId })).result?.inputRequests as Record<string, unknown> | undefined;
    await waitUntil(async () => (await questions()) !== undefined, { what: "the question" });
    const [[key = "", question] = []] = Object.entries((await questions()) ?? {});
    expect(question).toMatchObject({ method: "elicitation/create", params: { message: "Who?" } });
    const inputResponses = { [key]: { action: "accept", content: { name: "Ada" } } };
    expect((await ask("tasks/update", { taskId, inputResponses })).result).toMatchObject({ resultType: "complete" });
    expect(JSON.stringify(await ended(taskId))).toContain("Ada");
  });

  it("has errors of the protocol as failed tasks, and needs the extension for each request", async () => {
    const { taskId } = (await call("stateless-tasks__fails", EXTENSION)).result ?? {};
    expect(taskId).toBeUndefined();
    const job = (await call("tasking__fails")).result;
    expect(await ended(job?.taskId)).toMatchObject({ status: "failed", error: { code: -32000, message: "no space" } });
    expect((await ask("tasks/get", { taskId: job?.taskId }, {})).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: EXTENSION },
    });
    expect((await call("tasking__steps", {})).result).toMatchObject({
      resultType: "complete",
      content: [{ text: '{"a":1}' }],
    });
  });
});

it("a client of the second SDK generation, which has no tasks, calls a tool that its server only runs as one", async () => {
  const client = new Client({ name: "second", version: "1" }, { versionNegotiation: { mode: "auto" } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
  const progress: unknown[] = [];
  const onprogress = ({ message }: { message?: string | undefined }): void => void progress.push(message);
  const result = await client.callTool({ name: "tasking__steps", arguments: { a: 3 } }, { onprogress });
  expect(result).toMatchObject({ content: [{ text: '{"a":3}' }] });
  expect(progress).toContain("step 1");
});

it("tasks survive a restart: what ended is read from the record, what ran is a failure", async () => {
  const session = await connect();
  const done = await create(session.client, "tasking__steps");
  await waitUntil(async () => (await session.tasks.getTask(done.taskId)).status === "completed");
  const cut = await create(session.client, "tasking__hang");
  const stateless = (await call("tasking__steps")).result?.taskId;
  await ended(stateless);
  const cutStateless = (await call("tasking__hang")).result?.taskId;
  const { port } = running;
  await running.stop();
  running = await startGatewayContainer(databaseUrl, port);
  const { sessionId } = session.transport;
  const ask2025 = async (method: string, params: object) =>
    await (
      await fetch(running.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-session-id": sessionId ?? "",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 77, method, params }),
      })
    ).json();
  expect((await ask2025("tasks/get", { taskId: done.taskId })).result).toMatchObject({
    status: "completed",
    ttl: 3_600_000,
  });
  expect((await ask2025("tasks/result", { taskId: done.taskId })).result).toMatchObject({
    content: [{ type: "text", text: "{}" }],
    _meta: { [RELATED]: { taskId: done.taskId } },
  });
  expect((await ask2025("tasks/get", { taskId: cut.taskId })).result).toMatchObject({
    status: "failed",
    statusMessage: "Toolroom was restarted while this call ran: its result is unknown",
  });
  expect((await ask2025("tasks/result", { taskId: cut.taskId })).result).toMatchObject({ isError: true });
  expect((await ask2025("tasks/list", {})).result.tasks).toHaveLength(2);
  const why = "Toolroom was restarted while this call ran: its result is unknown";
  expect(await ended(cutStateless)).toMatchObject({
    status: "failed",
    statusMessage: why,
    error: { code: -32603, message: why },
  });
  const { content } = (await ask2025("tasks/result", { taskId: cut.taskId })).result;
  expect(content[0].text).toMatch(/interrupted|restarted|stopped/i);
  expect(await ended(stateless)).toMatchObject({ status: "completed", result: { content: [{ text: '{"a":1}' }] } });
});
