import { expect, test } from "./support/fixtures";

const ENV = {
  TOOLROOM_AUTH: "on",
  TOOLROOM_PROXY_USER_HEADER: "X-Forwarded-User",
  TOOLROOM_PROXY_DEFAULT_ROLE: "viewer",
};
const NAMED = { "x-forwarded-user": "olivia@example.org" };
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "journey", version: "1" } },
});
const ACCEPT = { accept: "application/json, text/event-stream", "content-type": "application/json" };

/** The status of each door, for a request with these headers. */
async function knock(url: string, headers: Record<string, string>): Promise<number[]> {
  const send = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${url}${path}`, { redirect: "manual", ...init, headers: { ...headers, ...init.headers } })).status;
  return [
    await send("/"),
    await send("/api/trpc/tools.list?input=%7B%22json%22%3A%7B%7D%7D"),
    await send("/api/v1/tools"),
    await send("/mcp", { method: "POST", headers: ACCEPT, body: INITIALIZE }),
  ];
}

test("a trusted proxy names users at every door, and nobody else does", async ({ startServer }) => {
  test.setTimeout(120_000);
  const trusting = await startServer({ env: { ...ENV, TOOLROOM_TRUSTED_PROXIES: "127.0.0.1" } });
  expect(await knock(trusting.url, NAMED)).toEqual([200, 200, 200, 200]);
  expect(await knock(trusting.url, {})).toEqual([303, 401, 401, 401]);
  expect(await knock(trusting.url, { "x-toolroom-proxy-user": "x %7B%22name%22%3A%22a%40b.c%22%7D" })).toEqual([
    303, 401, 401, 401,
  ]);
  const other = await startServer({ env: { ...ENV, TOOLROOM_TRUSTED_PROXIES: "10.9.9.9" } });
  const claims: Record<string, string>[] = [{}, { "x-forwarded-for": "10.9.9.9" }, { "x-real-ip": "10.9.9.9" }];
  for (const more of claims) {
    expect(await knock(other.url, { ...NAMED, ...more })).toEqual([303, 401, 401, 401]);
  }
});
