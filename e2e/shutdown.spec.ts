import { connect } from "node:net";
import { expect, test } from "@playwright/test";
import { authorize } from "./support/accounts";
import { callApi, runTool } from "./support/api";
import { launchServer } from "./support/server";

/** Longer than any limit of connections that a stopping server has beside its grace. */
const CALL_MS = 8_000;
const META = "io.modelcontextprotocol/";
const EVENTS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

type OwnedServer = Awaited<ReturnType<typeof launchServer>>;

interface Row {
  id: string;
  status: string;
  error: string | null;
}

/** What a caller got, as text; null where its connection was cut. */
type Answer = Promise<string | null>;

const read = (response: Promise<Response>): Answer => response.then((each) => each.text()).catch(() => null);

const postJson = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: "POST", headers: { ...EVENTS, ...authorize(url), ...headers }, body: JSON.stringify(body) });

/** One call of a tool by each route. */
async function callOnEveryRoute({ url }: OwnedServer, args: object): Promise<Map<string, Answer>> {
  const mcp = `${url}/mcp`;
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const begun = await postJson(mcp, { jsonrpc: "2.0", id: 1, method: "initialize", params });
  await begun.text();
  const session = {
    "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25",
  };
  const call = { name: "slow_report", arguments: args };
  const stateless = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": call.name };
  const envelope = {
    [`${META}protocolVersion`]: "2026-07-28",
    [`${META}clientInfo`]: params.clientInfo,
    [`${META}clientCapabilities`]: {},
  };
  const message = (id: number, more: object = {}) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { ...call, ...more },
  });
  return new Map([
    ["REST", read(postJson(`${url}/api/v1/tools/slow_report/execute`, { arguments: args, waitMs: 60_000 }))],
    ["tRPC", runTool(url, "slow_report", args, { waitMs: 60_000 }).then(JSON.stringify, () => null)],
    ["a session", read(postJson(mcp, message(2), session))],
    ["a session's stream", read(postJson(mcp, message(3, { _meta: { progressToken: "p" } }), session))],
    ["a stateless call", read(postJson(mcp, message(4, { _meta: envelope }), stateless))],
  ]);
}

const listCalls = async ({ url }: Pick<OwnedServer, "url">): Promise<Row[]> =>
  (await callApi<{ items: Row[] }>(url, "executions.list", { filter: {}, limit: 50 }, "GET")).items;

async function waitForCalls(server: OwnedServer, count: number): Promise<void> {
  await expect.poll(async () => (await listCalls(server)).length).toBe(count);
}

/** Whether the server takes a new connection. */
const takesConnection = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

test("TIME-03 after SIGTERM every call that ends within the grace is answered, on every route, and new connections are refused at once", async () => {
  test.setTimeout(90_000);
  const server = await launchServer({ env: { TOOLROOM_SHUTDOWN_GRACE_MS: "60000" } });
  try {
    const answers = await callOnEveryRoute(server, { steps: 8, step_ms: CALL_MS / 8 });
    await waitForCalls(server, answers.size);
    const stopped = server.stop();
    await expect.poll(() => takesConnection(server.url)).toBe(false);
    expect(server.hasEnded()).toBe(false);
    for (const [route, answer] of answers) expect(await answer, route).toContain("8 steps of 1000 ms");
    expect(await stopped).toBe(0);
    const again = await launchServer({ databaseFile: server.databaseFile });
    try {
      expect((await listCalls(again)).map(({ status }) => status)).toEqual([...answers.keys()].map(() => "succeeded"));
    } finally {
      await again.dispose();
    }
  } finally {
    await server.dispose();
  }
});

test("TIME-03 a call beyond the grace is recorded as interrupted, and its caller is answered, within one grace", async () => {
  test.setTimeout(90_000);
  const server = await launchServer({ env: { TOOLROOM_SHUTDOWN_GRACE_MS: "1000" } });
  try {
    const answers = await callOnEveryRoute(server, { steps: 60, step_ms: 1000 });
    await waitForCalls(server, answers.size);
    const stopped = server.stop();
    for (const [route, answer] of answers) expect(await answer, route).toMatch(/interrupted|stopp/);
    expect(await stopped).toBe(0);
    const again = await launchServer({ databaseFile: server.databaseFile });
    try {
      const rows = await listCalls(again);
      expect(rows.map(({ status }) => status)).toEqual([...answers.keys()].map(() => "interrupted"));
    } finally {
      await again.dispose();
    }
  } finally {
    await server.dispose();
  }
});

test("TIME-03 a call whose REST caller has left is recorded with that in its log", async () => {
  const server = await launchServer();
  try {
    const leaving = new AbortController();
    const { url } = server;
    const left = fetch(`${url}/api/v1/tools/slow_report/execute`, {
      method: "POST",
      headers: { ...EVENTS, ...authorize(url) },
      body: JSON.stringify({ arguments: { steps: 2, step_ms: 1000 }, waitMs: 60_000 }),
      signal: leaving.signal,
    }).catch(() => null);
    await waitForCalls(server, 1);
    leaving.abort();
    await left;
    await expect.poll(async () => (await listCalls(server))[0]?.status).toBe("succeeded");
    const [call] = await listCalls(server);
    const { logs } = await callApi<{ logs: { message: string }[] }>(url, "executions.get", { id: call?.id }, "GET");
    expect(logs.at(-1)?.message).toContain("client disconnected before the response");
  } finally {
    await server.dispose();
  }
});
