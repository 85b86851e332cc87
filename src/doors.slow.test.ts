import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { NextRequest } from "next/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { POST as approvalLink } from "./app/api/approval-link/route";
import { GET as auditExport } from "./app/api/audit/export/route";
import { POST as authRoute } from "./app/api/auth/[...path]/route";
import { GET as trpcRead } from "./app/api/trpc/[trpc]/route";
import { GET as restRead } from "./app/api/v1/[...path]/route";
import { GET as scimRead } from "./app/scim/v2/[...path]/route";
import { GET as registryRead } from "./app/v0.1/[...path]/route";
import { proxy } from "./proxy";
import { OPEN_ACCESS } from "./server/features/accounts/access";
import { createOutsideGuard, decideAccountMode } from "./server/main/account-mode";
import { appRouter } from "./server/main/api/root";
import { type Container, createContainer } from "./server/main/container";
import { installContainer } from "./server/main/current-container";
import { installRouter } from "./server/main/current-router";
import { readEnv } from "./server/main/env";

const TOKEN = "a-token-for-automation-0123456789";
const PER_MINUTE = 20;
const AUTHORIZED = { authorization: `Bearer ${TOKEN}`, host: "localhost" };
const HOST = "http://localhost";

let container: Container;
let port: number;
let minute = 0;

beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-doors-"));
  const environment = {
    TOOLROOM_AUTH: "on",
    TOOLROOM_API_TOKEN: TOKEN,
    TOOLROOM_RATE_LIMIT: String(PER_MINUTE),
    DATABASE_URL: `file:${folder}/doors.db`,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
  };
  container = await installContainer(() => createContainer(readEnv(environment)));
  installRouter(async () => appRouter);
  const server = createServer((request, response) => {
    container.admitRequest(request);
    if (request.url?.startsWith("/mcp")) void container.gateway.handle(request, response);
    else container.liveEndpoint.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  return async () => {
    server.closeAllConnections();
    server.close();
  };
});
afterAll(() => container.close());

// The limits' clock stands still, and every test begins with full buckets.
beforeEach(() => {
  minute += 1;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1, 0, minute) });
  return () => void vi.useRealTimers();
});

const registry = (headers: Record<string, string>) => registryRead(new Request(`${HOST}/v0.1/servers`, { headers }));
const link = (headers: Record<string, string>) =>
  approvalLink(new Request(`${HOST}/api/approval-link`, { method: "POST", headers, body: '{"token":"forged"}' }));
const rest = (headers: Record<string, string>) => restRead(new Request(`${HOST}/api/v1/tools`, { headers }));
const trpc = (headers: Record<string, string>) => trpcRead(new Request(`${HOST}/api/trpc/tools.list`, { headers }));
const page = (headers: Record<string, string>) => proxy(new NextRequest(`${HOST}/tools`, { headers }));
const auth = (headers: Record<string, string>) =>
  authRoute(new Request(`${HOST}/api/auth/link`, { method: "POST", headers, body: "{}" }));
const local = (target: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${target}`, init);
const gateway = ({ authorization = "" }: Record<string, string>) =>
  local("/mcp", {
    method: "POST",
    headers: { ...(authorization && { authorization }), "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
const live = async ({ authorization = "" }: Record<string, string>) => {
  const response = await local("/api/live", { headers: authorization ? { authorization } : {} });
  if (response.ok) await response.body?.cancel();
  return response;
};

describe("a caller that sends more requests than it may", () => {
  it("is refused at every door with the time to wait, and only it", async () => {
    for (let sent = 0; sent < PER_MINUTE; sent += 1) expect((await rest(AUTHORIZED)).status).toBe(200);
    for (const [door, ask] of Object.entries({ rest, trpc, page, gateway, live, registry, link })) {
      const response = await ask(AUTHORIZED);
      expect([door, response.status, response.headers.get("retry-after")]).toEqual([door, 429, "3"]);
      expect([door, await response.text()]).toEqual([door, expect.stringContaining("Try again in 3 s")]);
    }
    expect(await (await rest(AUTHORIZED)).json()).toMatchObject({ error: { code: "TOO_MANY_REQUESTS" } });
    expect(await (await gateway(AUTHORIZED)).json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32_000 } });
    const { error } = (await (await trpc(AUTHORIZED)).json()) as { error: { json: { data: { code: string } } } };
    expect(error.json.data.code).toBe("TOO_MANY_REQUESTS");
    expect((await rest({ host: "localhost" })).status).toBe(401);
    vi.setSystemTime(Date.now() + 3000);
    expect((await rest(AUTHORIZED)).status).toBe(200);
  });

  it("without signing in is counted by its address, also with wrong tokens and at the sign-in", async () => {
    const from = (address: string) => ({ host: "localhost", "x-toolroom-peer": address });
    expect((await rest(from("192.0.2.1"))).status).toBe(401);
    expect((await rest({ ...from("192.0.2.1"), authorization: "Bearer wrong" })).status).toBe(401);
    for (const ask of [rest, trpc, page, auth]) {
      const response = await ask(from("192.0.2.1"));
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "30"]);
    }
    expect((await rest(from("192.0.2.2"))).status).toBe(401);
  });

  it("is not counted while accounts are off", async () => {
    for (let sent = 0; sent < PER_MINUTE + 1; sent += 1) {
      expect(await OPEN_ACCESS.enter(new Headers())).not.toBeNull();
    }
  });
});

it("requests of an identity provider come to a door of their own, which no other token opens", async () => {
  for (const headers of [{ host: "localhost" }, AUTHORIZED]) {
    const target = `${HOST}/scim/v2/Users`;
    expect((await proxy(new NextRequest(target, { method: "POST", headers }))).status).toBe(200);
    const response = await scimRead(new Request(target, { headers }));
    expect([response.status, response.headers.get("cache-control")]).toEqual([401, "no-store"]);
    expect(await response.json()).toMatchObject({ schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"] });
  }
});

it("answers of the API, refusals too, are stored nowhere", async () => {
  for (const [door, ask] of Object.entries({ rest, trpc })) {
    for (const headers of [AUTHORIZED, { host: "localhost" }]) {
      const response = await ask(headers);
      expect([door, response.headers.get("cache-control")]).toEqual([door, "no-store"]);
      await response.text();
    }
  }
});

it("without accounts a request that a proxy passed on is refused before any page, also by `next dev`, which writes headers of its own", async () => {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const outsideGuard = createOutsideGuard(decideAccountMode(readEnv({}), null), logger, () => undefined);
  const key = Symbol.for("toolroom.container");
  const before = Reflect.get(globalThis, key) as unknown;
  Reflect.set(globalThis, key, Promise.resolve({ ...container, access: OPEN_ACCESS, outsideGuard }));
  onTestFinished(() => void Reflect.set(globalThis, key, before));
  const own = { host: "localhost", "x-forwarded-host": "localhost", "x-forwarded-port": "3000" };
  const ask = (headers: object) => page({ ...own, "x-forwarded-proto": "http", ...headers });
  expect((await ask({ "x-forwarded-for": "::ffff:127.0.0.1" })).status).toBe(200);
  for (const header of ["forwarded", "via", "x-real-ip", "cf-connecting-ip", "x-forwarded-server", "x-forwarded-for"]) {
    const response = await ask({ [header]: "203.0.113.7" });
    expect([header, response.status, await response.text()]).toEqual([
      header,
      403,
      expect.stringContaining("TOOLROOM_AUTH=on"),
    ]);
  }
  expect((await ask({ "x-forwarded-for": "203.0.113.7, 127.0.0.1" })).status).toBe(403);
});

describe("a page of another site", () => {
  const FOREIGN = [
    { origin: "https://evil.example" },
    { "sec-fetch-site": "cross-site" },
    { origin: "null" },
    { origin: "http://localhost:1", "sec-fetch-site": "same-site" },
  ];
  it.each(["/api/trpc/tools.create", "/api/v1/tools/echo/execute", "/api/auth/sign-out", "/api/preferences"])(
    "changes nothing through %s, whatever cookie the browser adds",
    async (target) => {
      for (const headers of FOREIGN) {
        const request = new NextRequest(`${HOST}${target}`, {
          method: "POST",
          body: "{}",
          headers: { ...AUTHORIZED, cookie: "toolroom=x", "content-type": "application/json", ...(headers as object) },
        });
        expect([target, headers, (await proxy(request)).status]).toEqual([target, headers, 403]);
      }
    },
  );

  it("reaches neither the gateway nor the live events", async () => {
    for (const target of ["/mcp", "/api/live"]) {
      const response = await local(target, {
        ...(target === "/mcp" && { method: "POST", body: "{}" }),
        headers: { ...AUTHORIZED, "content-type": "application/json", origin: "https://evil.example" },
      });
      expect([target, response.status]).toEqual([target, 403]);
    }
  });

  it("cannot change anything by a link: what acts is not answered to GET", async () => {
    const input = encodeURIComponent(JSON.stringify({ json: { name: "echo" } }));
    const written = await trpcRead(
      new Request(`${HOST}/api/trpc/tools.delete?input=${input}`, { headers: AUTHORIZED }),
    );
    expect(written.status).toBe(405);
    const ran = await restRead(new Request(`${HOST}/api/v1/tools/echo/execute`, { headers: AUTHORIZED }));
    expect(ran.status).toBe(405);
  });
});

/** The first account, signed in once. */
let adasCookie = "";
async function signInAda(): Promise<string> {
  if (adasCookie !== "") return adasCookie;
  const send = (target: string, body: object) => {
    const headers = { host: "localhost", origin: HOST, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return authRoute(new Request(`${HOST}/api/auth/${target}`, init));
  };
  const account = { email: "ada@example.org", password: "correct horse battery" };
  const token = (await container.setupPath())?.split("#")[1];
  expect((await send("link/use", { token, name: "Ada", ...account })).status).toBe(200);
  const signedIn = await send("sign-in/email", account);
  expect(signedIn.status).toBe(204);
  adasCookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return adasCookie;
}

it("an export of the audit log says whether it came by the console or by a token", async () => {
  const session = { host: "localhost", cookie: await signInAda() };
  for (const headers of [session, AUTHORIZED]) {
    const response = await auditExport(new Request(`${HOST}/api/audit/export`, { headers }));
    expect([response.status, (await response.text()).length > 0]).toEqual([200, true]);
  }
  const ada = await container.access.authenticate(new Headers(session));
  const exports = { action: ["auditLog.export"] };
  const { items } = await container.services.auditLog.list(ada as never, exports, undefined, 2);
  expect(items.map(({ door, token, actor }) => [door, token, actor.name])).toEqual([
    ["api", "TOOLROOM_API_TOKEN", "Automation"],
    ["console", null, "Ada"],
  ]);
});

it("a token that is limited to tools opens no page, and is told where it works", async () => {
  const cookie = await signInAda();
  const ada = await container.access.authenticate(new Headers({ cookie }));
  const limits = { tools: ["echo"], servers: null, toolsets: null, validDays: 1 };
  const { text } = await container.services.tokens.create(ada as never, { name: "l", scopes: ["run"], ...limits });
  const headers = { authorization: `Bearer ${text}`, host: "localhost" };
  for (const target of ["/tools/echo", "/oauth/consent", "/", "/executions/none"]) {
    const response = await proxy(new NextRequest(`${HOST}${target}`, { headers }));
    expect([target, response.status, await response.text()]).toEqual([target, 403, expect.stringContaining("/api/v1")]);
  }
  const run = new NextRequest(`${HOST}/api/v1/tools/echo/execute`, { headers, method: "POST" });
  expect((await proxy(run)).status).toBe(200);
});
