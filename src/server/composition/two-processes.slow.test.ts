import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type {
  ApprovalOutcome,
  ExecutionDetail,
  LiveEvent,
  ModelProviderSummary,
  PendingInteraction,
  RunDetail,
  ServerSummary,
  ToolDetail,
  TranscriptDetail,
} from "../../lib/contract";
import { newExecutionId } from "../../lib/execution-id";
import { waitUntil } from "../../lib/wait-until.test-support";
import { POLL_MS } from "../db/sqlite/coordination/write-notices";
import type { Condition } from "./server-process.test-support";

/** Two seconds, counted in a process's own looks at the database, which a busy machine cannot turn into more. */
const MAX_LOOKS = 2000 / POLL_MS;
const CHILD = path.resolve("src/server/composition/server-process.test-support.ts");

let folder: string;
let one: ServerProcess;
let two: ServerProcess;

class ServerProcess {
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>();
  #calls = 0;

  constructor(readonly child: ChildProcess) {
    child.on("message", (message: { id: number; value?: unknown; error?: string }) => {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error === undefined) pending?.resolve(message.value);
      else pending?.reject(new Error(message.error));
    });
  }

  call<T>(procedure: string, input: unknown): Promise<T> {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.child.send({ id, procedure, input });
    });
  }
}

async function startProcess(): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["--import", "tsx", CHILD], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      ...process.env,
      DATABASE_URL: `file:${path.join(folder, "shared.db")}`,
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
    },
  });
  const failed = once(child, "exit").then(() => Promise.reject(new Error("The process ended while it started")));
  await Promise.race([once(child, "message"), failed]);
  return new ServerProcess(child);
}

async function end({ child }: ServerProcess): Promise<void> {
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-two-"));
  one = await startProcess();
  two = await startProcess();
}, 400_000);
afterAll(async () => {
  await Promise.all([end(one), end(two)]);
  await rm(folder, { recursive: true, force: true });
});

const greeter = (response: string): string =>
  JSON.stringify({
    name: "greet",
    description: "Greets a person by name",
    type: "function",
    handler: "greet",
    parameters: { type: "object", properties: { name: { type: "string", description: "Who" } }, required: ["name"] },
    implementation: { type: "mock", mock_response: response },
  });
const run = (server: ServerProcess, tool: string, args: object, more: object = {}) =>
  server.call<ExecutionDetail>("executions.run", { tool, argumentsText: JSON.stringify(args), ...more });
const statusOf = async (server: ServerProcess, id: string) =>
  (await server.call<ExecutionDetail>("executions.get", { id })).status;

describe("two server processes on one database", () => {
  it("what changes in one is used in the other within two seconds of looks at the database", async () => {
    const looks: Record<string, number> = {};
    async function change(what: string, procedure: string, input: unknown, used: Condition): Promise<void> {
      await one.call(procedure, input);
      looks[what] = await two.call<number>("test.looksUntil", used);
    }
    const greet = (text: string): Condition => ({ procedure: "tools.get", input: { name: "greet" }, text });
    await change("tool made", "tools.create", { definitionText: greeter("hello") }, greet("hello"));
    const update = { name: "greet", definitionText: greeter("welcome") };
    await change("tool changed", "tools.update", update, greet("welcome"));
    const off = { name: "greet", enabled: false };
    await change("tool switched off", "tools.setEnabled", off, greet('"enabled":false'));
    const always = { name: "greet", mode: "always" };
    await change("approval mode set", "tools.setApproval", always, greet('"mode":"always"'));
    await change("tool deleted", "tools.delete", { name: "greet" }, greet("not found"));
    await one.call("tools.liftApproval", { name: "greet" });
    const settings = { name: "notes", transport: "http", url: "http://127.0.0.1:1/mcp" };
    const servers = { procedure: "servers.list", text: '"notes"' };
    await change("server added", "servers.create", { settings }, servers);
    await change("server deleted", "servers.delete", { name: "notes" }, { ...servers, isAbsent: true });
    const provider = { name: "late", kind: "openai", apiKey: "sk-test", models: ["m"] };
    const providers = { procedure: "models.providers", text: '"late"' };
    await change("provider made", "models.createProvider", { provider }, providers);
    await change("provider deleted", "models.deleteProvider", { name: "late" }, { ...providers, isAbsent: true });
    const executionId = newExecutionId();
    // Its arguments are invalid: it is recorded once, with its end.
    const call = { tool: "calculator", argumentsText: "{}", executionId };
    await change("call recorded", "executions.run", call, { procedure: "test.heard", text: executionId });
    expect(Object.keys(looks)).toHaveLength(10);
    expect(Object.entries(looks).filter(([, count]) => count > MAX_LOOKS)).toEqual([]);
  });

  it("EXE-06 the pages of one hear of calls, runs, tools and models that the other changes", async () => {
    const heard = () => two.call<LiveEvent[]>("test.heard", undefined);
    const executionId = newExecutionId();
    const slow = { steps: 20, step_ms: 10_000 };
    await run(one, "slow_report", slow, { executionId, waitMs: 0, timeoutMs: 600_000 });
    const execution = { id: executionId, toolName: "slow_report", source: "console", parentId: null };
    await waitUntil(async () =>
      expect(await heard()).toContainEqual({ type: "execution", execution: { ...execution, status: "running" } }),
    );
    await one.call("executions.cancel", { id: executionId });
    await waitUntil(async () =>
      expect(await heard()).toContainEqual({ type: "execution", execution: { ...execution, status: "cancelled" } }),
    );
    const settings = { provider: "demo", model: "demo", instructions: "", tools: { mode: "all" } };
    const { id } = await one.call<{ id: string }>("runs.start", { settings, text: "What is 2 + 2?" });
    const ended = { id, source: "agent", transcriptId: null, status: "succeeded" };
    await waitUntil(async () => expect(await heard()).toContainEqual({ type: "run", run: ended }));
    const read = (server: ServerProcess) => server.call<RunDetail>("runs.get", { id });
    expect((await read(two)).events).toEqual((await read(one)).events);
    const before = (await heard()).length;
    await one.call("tools.setEnabled", { name: "echo", enabled: false });
    await one.call("tools.setEnabled", { name: "echo", enabled: true });
    await one.call("models.createProvider", {
      provider: { name: "brief", kind: "openai", apiKey: "k", models: ["m"] },
    });
    await one.call("models.deleteProvider", { name: "brief" });
    await waitUntil(async () => {
      const types = (await heard()).slice(before).map(({ type }) => type);
      expect(types).toEqual(expect.arrayContaining(["tools", "models"]));
    });
  });

  it("REG-03 a tool made, changed, switched off or deleted in one is so in the other", async () => {
    await one.call("tools.create", { definitionText: greeter("hello") });
    await waitUntil(async () => expect((await run(two, "greet", { name: "Bo" })).resultText).toBe('"hello"'));
    await two.call("tools.update", { name: "greet", definitionText: greeter("welcome") });
    await waitUntil(async () => expect((await run(one, "greet", { name: "Bo" })).resultText).toBe('"welcome"'));
    for (const name of ["greet", "echo"]) await one.call("tools.setEnabled", { name, enabled: false });
    const enabled = async (name: string) => (await two.call<ToolDetail>("tools.get", { name })).enabled;
    await waitUntil(async () => expect([await enabled("greet"), await enabled("echo")]).toEqual([false, false]));
    await two.call("tools.setEnabled", { name: "echo", enabled: true });
    await one.call("tools.delete", { name: "greet" });
    await waitUntil(() => expect(two.call("tools.get", { name: "greet" })).rejects.toThrow("not found"));
    await waitUntil(async () => expect((await run(one, "echo", { text: "a" })).status).toBe("succeeded"));
  });

  it("MCP-01 a server added, renamed or deleted in one is so in the other", async () => {
    const server = {
      transport: "stdio",
      command: process.execPath,
      args: [path.resolve("e2e/support/mcp-servers/echo.mjs")],
    };
    await one.call("servers.create", { settings: { ...server, name: "files" } });
    await waitUntil(async () => expect((await run(two, "files__echo", { text: "hi" })).status).toBe("succeeded"));
    await two.call("servers.update", { name: "files", settings: { ...server, name: "papers" } });
    await waitUntil(async () => expect((await run(one, "papers__echo", { text: "hi" })).status).toBe("succeeded"));
    expect((await run(one, "files__echo", { text: "hi" })).status).toBe("failed");
    await one.call("servers.delete", { name: "papers" });
    const names = async () =>
      (await two.call<{ items: ServerSummary[] }>("servers.list", undefined)).items.map(({ name }) => name);
    await waitUntil(async () => expect(await names()).not.toContain("papers"));
  });

  it("a model provider made or deleted in one is so in the other", async () => {
    const provider = { name: "mine", kind: "openai", apiKey: "sk-test", models: ["m"] };
    await one.call("models.createProvider", { provider });
    const names = async () =>
      (await two.call<{ items: ModelProviderSummary[] }>("models.providers", undefined)).items.map(({ name }) => name);
    await waitUntil(async () => expect(await names()).toContain("mine"));
    await one.call("models.deleteProvider", { name: "mine" });
    await waitUntil(async () => expect(await names()).not.toContain("mine"));
  });

  it("a cancel in one ends the call that runs in the other", async () => {
    const executionId = newExecutionId();
    const started = await run(
      one,
      "slow_report",
      { steps: 20, step_ms: 10_000 },
      { executionId, waitMs: 0, timeoutMs: 600_000 },
    );
    expect(started.status).toBe("running");
    expect(await two.call("executions.cancel", { id: executionId })).toEqual({ cancelled: true });
    expect(await statusOf(one, executionId)).toBe("cancelled");
    expect(await two.call("executions.cancel", { id: executionId })).toEqual({ cancelled: false });
  });

  it("AGT-05 an approval mode set in one asks in the other, and a decision in one lets the call in the other run", async () => {
    await one.call("tools.setApproval", { name: "echo", mode: "always" });
    const approval = async () => (await two.call<ToolDetail>("tools.get", { name: "echo" })).approval.required;
    await waitUntil(async () => expect(await approval()).toBe(true));
    const executionId = newExecutionId();
    expect((await run(two, "echo", { text: "hi" }, { executionId })).status).toBe("waiting");
    const decision = { executionId, decision: { approved: true } };
    expect((await one.call<ApprovalOutcome>("approvals.decide", decision)).decided).toBe(true);
    await waitUntil(async () => expect(await statusOf(one, executionId)).toBe("succeeded"));
    await two.call("tools.setApproval", { name: "echo", mode: null });
  });

  it("a question of an MCP server to a call in one is answered in the other", async () => {
    const args = [path.resolve("e2e/support/mcp-servers/asking.mjs")];
    const settings = { name: "asking", transport: "stdio", command: process.execPath, args };
    await one.call("servers.create", { settings });
    const asked = run(one, "asking__form", {});
    const list = () => two.call<PendingInteraction[]>("interactions.list", undefined);
    await waitUntil(async () => expect(await list()).toMatchObject([{ server: "asking", toolName: "asking__form" }]));
    const [question] = await list();
    const heard = () => two.call<LiveEvent[]>("test.heard", undefined);
    await waitUntil(async () => expect(await heard()).toContainEqual({ type: "interactions" }));
    const answer = { action: "accept", content: { age: 7 } };
    expect(await two.call("interactions.answer", { id: question?.id, answer })).toEqual({ answered: true });
    expect((await asked).resultText).toContain('\\"age\\":7');
    await one.call("servers.delete", { name: "asking" });
  });

  it("AGT-13 one of them posts an answer to the webhook, again after a failure that may pass", async () => {
    const posts: string[] = [];
    const receiver = createServer((request, response) => {
      request.resume().on("end", () => {
        posts.push(request.url ?? "");
        response.writeHead(posts.length === 1 ? 503 : 200).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/told`;
    const settings = { title: "Meeting", provider: "demo", model: "demo", webhookUrl, silenceMs: 200 };
    const { id } = await one.call<TranscriptDetail>("transcripts.create", { settings });
    await two.call("transcripts.append", { id, segments: [{ text: "Hey Toolroom, what is 2 + 2?" }] });
    const webhook = async () => (await two.call<TranscriptDetail>("transcripts.get", { id })).queries[0]?.webhook;
    await waitUntil(async () => expect(await webhook()).toMatchObject({ state: "delivered", attempts: 2 }));
    expect(posts).toHaveLength(2);
  });
});
