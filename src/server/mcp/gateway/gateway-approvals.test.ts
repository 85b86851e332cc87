import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { ALICE, startServer, type TestServer } from "../../calls/approvals/approval.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { startGateway, type TestGateway } from "./gateway.test-support";

let scratch: ScratchDatabase;
let server: TestServer;
let gateway: TestGateway;
const clients: { close(): Promise<void> }[] = [];

async function start(limits: { approvalWaitMs?: number; approvalNoticeMs?: number } = {}): Promise<void> {
  gateway = await startGateway({
    ports: { executor: server.executions, tools: () => server.engine.registry.list(), limits },
  });
}
beforeEach(async () => {
  scratch = await createScratchDatabase();
  server = await startServer(scratch.db);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await server.stop();
  await gateway.close();
  await scratch.remove();
});

async function session(): Promise<FirstClient> {
  const client = new FirstClient({ name: "t", version: "1" });
  await client.connect(new FirstTransport(new URL(gateway.url)) as never);
  clients.push(client);
  return client;
}
async function stateless(): Promise<Client> {
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  clients.push(client);
  return client;
}
const WIPE = { name: "wipe", arguments: { folder: "/old" } };
const readText = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? "";
const items = async () => (await server.approvals.list("open", undefined, 10)).items;
/** The id of the call that waits. */
async function waiting(): Promise<string> {
  await waitUntil(async () => (await items()).length === 1, { what: "the request for approval" });
  return (await items())[0]?.executionId ?? "";
}

it("AGT-05 a client's call waits for a user and is then answered with the tool's result", async () => {
  await start();
  for (const client of [await session(), await stateless()]) {
    const call = client.callTool(WIPE);
    const id = await waiting();
    expect(await server.approvals.get(id)).toMatchObject({ source: "gateway", client: "t/1" });
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(JSON.parse(readText(await call))).toEqual({ wiped: "/old" });
  }
});

it("AGT-05 a client receives a rejection as a result with isError", async () => {
  await start();
  const call = (await session()).callTool(WIPE);
  await server.approvals.decide(ALICE, await waiting(), { approved: false, reason: "keep it" });
  expect(await call).toMatchObject({ isError: true, content: [{ text: "Error: Rejected by Alice: keep it" }] });
});

it("AGT-05 a client that asked for progress is notified repeatedly that its call waits", async () => {
  await start({ approvalNoticeMs: 20 });
  const first = await session();
  const second = await stateless();
  type Told = { progress: number; message?: string | undefined };
  const calls = [
    (onprogress: (told: Told) => void) => first.callTool(WIPE, undefined, { onprogress }),
    (onprogress: (told: Told) => void) => second.callTool(WIPE, { onprogress }),
  ];
  for (const begin of calls) {
    const heard: Told[] = [];
    const call = begin((told) => heard.push(told));
    const id = await waiting();
    await waitUntil(() => heard.length >= 3, { what: "three notices" });
    expect(heard.every(({ message }) => message === "Waiting for approval in Toolroom")).toBe(true);
    expect(heard.map(({ progress }) => progress)).toEqual(
      heard.map(({ progress }) => progress).sort((left, right) => left - right),
    );
    expect(heard.at(-1)?.progress).toBeLessThan(0.01);
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(readText(await call)).toContain("/old");
  }
});

it("AGT-05 after its wait a client learns what waits; the request stays, and runs once it is approved", async () => {
  await start({ approvalWaitMs: 50 });
  for (const client of [await session(), await stateless()]) {
    const result = await client.callTool(WIPE);
    const id = await waiting();
    expect(result.isError).toBe(true);
    for (const part of ["'wipe'", "Approvals", id, "do not call"]) expect(readText(result)).toContain(part);
    expect(await server.approvals.get(id)).toMatchObject({ status: "open", detached: true });
    await server.approvals.decide(ALICE, id, { approved: true, confirmed: true });
    await waitUntil(async () => (await server.executions.get(id)).status === "succeeded", { what: "the run" });
  }
  expect(server.wiped).toHaveLength(2);
});

it("AGT-05 a client that receives progress may wait ten times as long", async () => {
  await start({ approvalWaitMs: 40 });
  const begun = performance.now();
  const result = await (await session()).callTool(WIPE, undefined, { onprogress: () => {} });
  expect(performance.now() - begun).toBeGreaterThan(390);
  expect(readText(result)).toContain("waits for a user's approval");
});

it("AGT-05 a client's cancel withdraws the request", async () => {
  await start();
  const controller = new AbortController();
  const call = (await session()).callTool(WIPE, undefined, { signal: controller.signal });
  call.catch(() => {});
  const id = await waiting();
  controller.abort("the user pressed escape");
  await expect(call).rejects.toThrow();
  await waitUntil(async () => (await server.executions.get(id)).status === "cancelled", { what: "the cancel" });
  expect(await server.approvals.get(id)).toMatchObject({ status: "withdrawn" });
});

it("AGT-05 a client that only timed out leaves its request in the inbox", async () => {
  await start();
  const call = (await session()).callTool(WIPE, undefined, { timeout: 300 });
  await expect(call).rejects.toThrow(/timed out/i);
  const id = await waiting();
  await waitUntil(async () => (await server.approvals.get(id)).detached, { what: "the word that nobody listens" });
  expect(await server.executions.get(id)).toMatchObject({ status: "waiting", approval: { status: "open" } });
});

it("AGT-05 a lost connection leaves the request in the inbox", async () => {
  await start();
  const client = await stateless();
  const call = client.callTool(WIPE);
  call.catch(() => {});
  const id = await waiting();
  gateway.server.closeAllConnections();
  await waitUntil(async () => (await server.approvals.get(id)).detached, { what: "the word that nobody listens" });
  await server.approvals.decide(ALICE, id, { approved: true, confirmed: true });
  await waitUntil(async () => (await server.executions.get(id)).status === "succeeded", { what: "the run" });
});

it("AGT-05 tools/list says nothing of approvals", async () => {
  await start();
  const { tools } = await (await session()).listTools();
  expect(Object.keys(tools[0] ?? {}).sort()).toEqual(["annotations", "description", "inputSchema", "name"]);
});
