import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { freePort } from "../../lib/free-port.test-support";
import { waitUntil } from "../../lib/wait-until.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";

// The reference server runs `simulate-research-query` as a task only: about four seconds in four stages.
const FILE = path.resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const TOOL = "simulate-research-query";

let running: GatewayContainer;
let web: ChildProcess;

beforeAll(async () => {
  running = await startGatewayContainer(await newDatabaseUrl());
  const port = await freePort();
  web = spawn(process.execPath, [FILE, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: "pipe",
  });
  await new Promise((resolve) => web.stderr?.once("data", resolve));
  const { servers } = running.container.services;
  await servers.create(LOCAL_PRINCIPAL, {
    name: "stdio",
    transport: "stdio",
    command: process.execPath,
    args: [FILE, "stdio"],
  });
  await servers.create(LOCAL_PRINCIPAL, { name: "web", transport: "http", url: `http://127.0.0.1:${port}/mcp` });
  for (const name of ["stdio", "web"]) await servers.reconnect(LOCAL_PRINCIPAL, name);
}, 60_000);
afterAll(async () => {
  await running.stop();
  web.kill("SIGKILL");
});

const run = (server: string, args: object, more: { timeoutMs?: number; waitMs?: number } = {}) =>
  running.container.services.executions.run(LOCAL_PRINCIPAL, {
    tool: `${server}__${TOOL}`,
    argumentsText: JSON.stringify(args),
    waitMs: 30_000,
    ...more,
  });

it.each(["stdio", "web"])(
  "a tool that only runs as a task runs like any other, and asks a user (%s)",
  async (server) => {
    const { interactions } = running.container.services;
    const calling = run(server, { topic: "python", ambiguous: true });
    const asked = async () => (await interactions.list()).find((each) => each.server === server);
    await waitUntil(async () => (await asked()) !== undefined, { what: "the question" });
    const question = await asked();
    expect(question?.request).toMatchObject({ kind: "form", message: expect.stringContaining('"python"') });
    await interactions.answer(LOCAL_PRINCIPAL, question?.id ?? "", {
      action: "accept",
      content: { interpretation: "snake" },
    });
    const detail = await calling;
    expect(detail).toMatchObject({ status: "succeeded", taskId: expect.stringMatching(/\w/), error: null });
    expect(detail.resultText).toContain("Research Report: python (snake)");
    expect(detail.resultText).not.toContain("related-task");
    const lines = detail.logs.map(({ message }) => message);
    expect(lines).toEqual(
      expect.arrayContaining([`Runs as the task ${detail.taskId} of the server`, "Task working: Gathering sources..."]),
    );
    expect(lines.at(-1)).toMatch(/^Task completed/);
  },
);

it("the timeout of a tool ends its task, and says how far it was", async () => {
  const detail = await run("stdio", { topic: "time" }, { timeoutMs: 1500 });
  expect(detail).toMatchObject({ status: "timed_out", taskId: expect.stringMatching(/\w/) });
  expect(detail.error).toMatch(/Its task was last reported as working: \w+/);
  const { servers } = running.container.services;
  const sent = async () => (await servers.messages("stdio", LOCAL_PRINCIPAL.id)).map(({ method }) => method);
  await waitUntil(async () => (await sent()).includes("tasks/cancel"), { what: "tasks/cancel" });
});

it("an execution that is cancelled cancels its task", async () => {
  const { executions, servers } = running.container.services;
  const sent = async () => (await servers.messages("web", LOCAL_PRINCIPAL.id)).map(({ method }) => method);
  const calling = run("web", { topic: "cancel" });
  const current = async () => (await executions.list({ status: ["running"] }, undefined, 1)).items[0];
  await waitUntil(async () => (await current()) !== undefined && (await sent()).at(-1) === "tasks/get", {
    what: "a poll",
  });
  await executions.cancel(LOCAL_PRINCIPAL, (await current())?.id ?? "");
  expect(await calling).toMatchObject({ status: "cancelled", taskId: expect.stringMatching(/\w/) });
  await waitUntil(async () => (await sent()).includes("tasks/cancel"), { what: "tasks/cancel" });
});
