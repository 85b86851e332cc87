import { mkdtemp } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { NextRequest } from "next/server";
import { expect, it, onTestFinished } from "vitest";
import { POST as signIn } from "./app/api/auth/[...path]/route";
import { GET as trpcRead } from "./app/api/trpc/[trpc]/route";
import { GET as restRead } from "./app/api/v1/[...path]/route";
import { LOCAL_PRINCIPAL } from "./lib/contract/access";
import { proxy } from "./proxy";
import { appRouter } from "./server/main/api/root";
import { createContainer } from "./server/main/container";
import { installContainer } from "./server/main/current-container";
import { installRouter } from "./server/main/current-router";
import { readEnv } from "./server/main/env";

const CONTAINER = Symbol.for("toolroom.container");
const ADMIN = { ...LOCAL_PRINCIPAL, origin: { door: "console", address: null } } as const;
const PASSWORD = "correct horse battery";
const REFUSED = [303, 401, 401, 401];
const HOST = "http://localhost";
const NAMED = { "x-forwarded-user": "olivia@example.org" };
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
});

/** What the doors of a server that trusts 127.0.0.1 answer to requests from each of these addresses. */
async function start(...peers: string[]) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-proxy-users-"));
  const environment = {
    TOOLROOM_AUTH: "on",
    TOOLROOM_TRUSTED_PROXIES: "127.0.0.1",
    TOOLROOM_PROXY_USER_HEADER: "X-Forwarded-User",
    TOOLROOM_PROXY_DEFAULT_ROLE: "viewer",
    DATABASE_URL: `file:${folder}/users.db`,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
  };
  // Test files share a process, which has one container.
  const holder = globalThis as { [key: symbol]: unknown };
  const before = holder[CONTAINER];
  delete holder[CONTAINER];
  const container = await installContainer(() => createContainer(readEnv(environment)));
  installRouter(async () => appRouter);
  const cookies: string[] = [];
  const answer = async (request: IncomingMessage): Promise<number> => {
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const url = `${HOST}${request.url}`;
    if (request.url?.startsWith("/api/auth")) {
      const response = await signIn(new Request(url, { method: "POST", headers, body: await text(request) }));
      cookies.push(...response.headers.getSetCookie().map((each) => each.split(";", 1)[0] ?? ""));
      return response.status;
    }
    if (request.url?.startsWith("/api/trpc")) return (await trpcRead(new Request(url, { headers }))).status;
    if (request.url?.startsWith("/api/v1")) return (await restRead(new Request(url, { headers }))).status;
    return (await proxy(new NextRequest(url, { headers }))).status;
  };
  onTestFinished(async () => {
    await container.close();
    if (before === undefined) delete holder[CONTAINER];
    else holder[CONTAINER] = before;
  });
  async function listen(peer: string): Promise<string> {
    const server = createServer((request, response) => {
      container.admitRequest(request);
      if (request.url?.startsWith("/mcp")) void container.gateway.handle(request, response);
      else void answer(request).then((status) => response.writeHead(status).end());
    });
    server.on("connection", (socket) => void Object.defineProperty(socket, "remoteAddress", { value: peer }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  /** The statuses of a page, tRPC, REST and the gateway. */
  const knock = async (url: string, headers: Record<string, string>): Promise<number[]> => {
    const send = async (target: string, init: RequestInit = {}) =>
      (await fetch(`${url}${target}`, { redirect: "manual", ...init, headers: { ...headers, ...init.headers } }))
        .status;
    const types = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    return [
      await send("/tools"),
      await send("/api/trpc/servers.list"),
      await send("/api/v1/tools"),
      await send("/mcp", { method: "POST", headers: types, body: INITIALIZE }),
    ];
  };
  const urls = await Promise.all(peers.map(listen));
  const sendAuth = async (url: string, target: string, body: object): Promise<number> => {
    const headers = { "content-type": "application/json", origin: HOST };
    return (await fetch(`${url}/api/auth/${target}`, { method: "POST", headers, body: JSON.stringify(body) })).status;
  };
  /** Joins by a link without an address, and signs in. @returns the cookie */
  async function join(email: string): Promise<string> {
    const [url = ""] = urls;
    const invitation = { role: "editor", email: null, validDays: 1 } as const;
    const token = await container.services.people.invite(ADMIN, invitation);
    expect(await sendAuth(url, "link/use", { token, email, name: "Olivia", password: PASSWORD })).toBe(200);
    expect(await sendAuth(url, "sign-in/email", { email, password: PASSWORD })).toBe(204);
    return cookies.join("; ");
  }
  return { doors: urls.map((url) => (headers: Record<string, string>) => knock(url, headers)), join };
}

it("a user whom a trusted proxy names comes in at every door, and whom another address names at none", async () => {
  const {
    doors: [fromProxy, fromOther],
  } = await start("127.0.0.1", "203.0.113.7");
  expect(await fromProxy?.(NAMED)).toEqual([200, 200, 200, 200]);
  expect(await fromProxy?.({})).toEqual(REFUSED);
  expect(await fromProxy?.({ "x-forwarded-user": "evil@example.org, olivia@example.org" })).toEqual(REFUSED);
  const written = encodeURIComponent(JSON.stringify({ name: "olivia@example.org", groups: [] }));
  expect(await fromProxy?.({ "x-toolroom-proxy-user": `x ${written}` })).toEqual(REFUSED);
  for (const claim of ["x-forwarded-for", "x-real-ip", "x-toolroom-peer", "forwarded"]) {
    expect(await fromOther?.({ ...NAMED, [claim]: "127.0.0.1" })).toEqual(REFUSED);
  }
});

it("a user whom the proxy names is an account with a typed address once its owner has signed in to it through the proxy", async () => {
  const {
    doors: [fromProxy],
    join,
  } = await start("127.0.0.1");
  const cookie = await join("olivia@example.org");
  expect(await fromProxy?.({ ...NAMED, cookie })).toEqual([200, 200, 200, 200]);
  expect(await fromProxy?.(NAMED)).toEqual([200, 200, 200, 200]);
});

it("a user whom the proxy names by an address that another one typed is entered at no door", async () => {
  const {
    doors: [fromProxy],
    join,
  } = await start("127.0.0.1");
  await join("olivia@example.org");
  expect(await fromProxy?.(NAMED)).toEqual(REFUSED);
});
