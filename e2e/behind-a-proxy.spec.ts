import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import {
  hasProxy,
  listProxies,
  PUBLIC_HOST,
  PUBLIC_PATH,
  readPathBlock,
  readVariables,
  startProxy,
  startWith,
} from "./support/documented-proxies";
import { expect, test } from "./support/fixtures";

/** Registers a server whose command leaves a file, by each door that could, and asks each other door for something. */
function listDoors(marker: string): [method: string, target: string, body?: string][] {
  const args = ["-e", `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "")`];
  const settings = { transport: "stdio", name: "intruder", command: process.execPath, args };
  const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const info = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  return [
    ["GET", "/"],
    ["GET", "/tools"],
    ["GET", "/servers"],
    ["GET", "/settings/people"],
    ["GET", "/clients"],
    ["POST", "/api/trpc/servers.create", JSON.stringify({ json: settings })],
    ["POST", "/api/trpc/executions.run", JSON.stringify({ json: { name: "echo", argumentsText: "{}" } })],
    ["GET", "/api/trpc/servers.list"],
    ["POST", "/api/v1/servers", JSON.stringify(settings)],
    ["POST", "/api/v1/tools/echo/execute", JSON.stringify({ arguments: { message: "x" } })],
    ["GET", "/api/v1/executions"],
    ["GET", "/api/audit/export"],
    ["GET", "/api/live"],
    ["POST", "/mcp", rpc("initialize", info)],
    ["POST", "/mcp", rpc("tools/call", { name: "echo", arguments: { message: "x" } })],
    ["GET", "/metrics"],
    ["POST", "/api/auth/oauth2/consent", "{}"],
    ["GET", "/api/auth/oauth2/authorize?client_id=x"],
  ];
}

async function planMarker(): Promise<{ marker: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-proxied-"));
  return { marker: path.join(folder, "ran"), remove: () => rm(folder, { recursive: true }) };
}

for (const kind of listProxies()) {
  test(`behind ${kind} as documented, on the same machine, a request without a credential gets the sign-in and nothing else`, async ({
    startServer,
  }) => {
    const { marker, remove } = await planMarker();
    const server = await startServer({ env: { TOOLROOM_AUTH: "", ...readVariables() } });
    const proxy = await startProxy(kind, server.port);
    try {
      for (const [method, target, body] of listDoors(marker)) {
        const { status, location } = await proxy.send(method, target, body);
        const found = status === 303 ? location.replace(`https://${PUBLIC_HOST}`, "") : String(status);
        expect([method, target, found]).toEqual([method, target, expect.stringMatching(/^(?:401|\/sign-in.*)$/)]);
      }
      expect((await proxy.send("GET", "/readyz")).status).toBe(200);
      const metadata = await proxy.send("GET", "/.well-known/oauth-authorization-server/api/auth");
      expect(JSON.parse(metadata.body).issuer).toBe(`https://${PUBLIC_HOST}/api/auth`);
      // The first account, by the link in the log, whose address is the public one.
      const findLink = () => /https:\/\/tools\.example\.org\/join#(\S+)/.exec(server.output())?.[1];
      await expect.poll(findLink).toBeDefined();
      const account = { token: findLink(), name: "Olivia", email: "o@example.org", password: "correct horse battery" };
      const joined = await proxy.send("POST", "/api/auth/link/use", JSON.stringify(account));
      expect([joined.status, joined.body]).toEqual([200, expect.any(String)]);
      await server.stop();
      expect(existsSync(marker), "the command of the server ran").toBe(false);
    } finally {
      await proxy.close();
      await remove();
    }
  });
}

for (const kind of listProxies()) {
  test(`behind ${kind} as documented under a path, pages, doors and metadata are below it`, async ({ startServer }) => {
    test.skip(!(await hasProxy(kind)), `this machine has no ${kind}`);
    const base = `https://${PUBLIC_HOST}${PUBLIC_PATH}`;
    const env = { TOOLROOM_AUTH: "", ...readVariables(), TOOLROOM_PUBLIC_URL: base };
    const server = await startServer({ env });
    const proxy = await startWith(kind, readPathBlock(kind), server.port, PUBLIC_PATH);
    try {
      for (const [method, target, body] of listDoors("unused")) {
        const { status, location } = await proxy.send(method, PUBLIC_PATH + target, body);
        const found = status === 303 ? location.replace(`https://${PUBLIC_HOST}`, "") : String(status);
        const expected = expect.stringMatching(/^(?:401|\/toolroom\/sign-in.*)$/);
        expect([method, target, found]).toEqual([method, target, expected]);
      }
      const known = ["oauth-authorization-server/toolroom/api/auth", "oauth-protected-resource/toolroom/mcp"];
      for (const each of known) {
        const { body } = await proxy.send("GET", `/.well-known/${each}`);
        expect(JSON.parse(body)).toEqual(expect.objectContaining({ scopes_supported: expect.any(Array) }));
        expect(body).toContain(`"${base}/${each.endsWith("mcp") ? "mcp" : "api/auth"}"`);
      }
      const beside = (await proxy.send("GET", "/toolroom-b/tools").catch(() => null))?.status ?? 404;
      expect([200, 400, 404, 503], "another program's path is not passed on").toContain(beside);
      expect((await proxy.send("GET", `${PUBLIC_PATH}/v0.1/servers/a%2Fb`)).body).toContain('"error"');
    } finally {
      await proxy.close();
    }
  });
}

test("without accounts a request that a proxy passed on is refused at every door, and the answer says what to set", async ({
  startServer,
}) => {
  const { marker, remove } = await planMarker();
  const { port, stop } = await startServer({ env: { TOOLROOM_AUTH: "" } });
  const ask = (method: string, target: string, body: string, header: string) =>
    new Promise<[number, string]>((resolve, reject) => {
      const headers = { [header]: "203.0.113.7", "content-type": "application/json", accept: "text/event-stream, */*" };
      const options = { method, headers, agent: false };
      const sent = http.request(`http://127.0.0.1:${port}${target}`, options, (response) => {
        text(response).then((answered) => resolve([response.statusCode ?? 0, answered]), reject);
      });
      sent.on("error", reject).end(body);
    });
  for (const header of ["x-forwarded-for", "forwarded", "via", "x-real-ip", "cf-connecting-ip"]) {
    for (const [method, target, body] of listDoors(marker)) {
      const answer = await ask(method, target, body ?? "", header);
      const refusal = [403, expect.stringContaining("TOOLROOM_AUTH")];
      expect([method, target, header, ...answer]).toEqual([method, target, header, ...refusal]);
    }
  }
  // As nginx asks without further settings.
  const bare = connect(port, "127.0.0.1", () => bare.end("GET /api/v1/tools HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n"));
  expect(await text(bare)).toMatch(/^HTTP\/1\.1 403 [\s\S]*TOOLROOM_AUTH/);
  expect((await ask("GET", "/readyz", "", "via"))[0], "a balancer's check is answered").toBe(200);
  await stop();
  expect(existsSync(marker), "the command of the server ran").toBe(false);
  await remove();
});

test("with TOOLROOM_AUTH=off behind a proxy every page and the log warn", async ({
  page,
  startServer,
  allowProblems,
}) => {
  allowProblems(/api\/approval-link/, /not-a-page/);
  const env = { TOOLROOM_AUTH: "off", TOOLROOM_PUBLIC_URL: "https://tools.example.org" };
  const { url, output } = await startServer({ env });
  expect(output()).toContain("TOOLROOM_AUTH=off, and others reach this server");
  for (const target of [
    "/",
    "/tools",
    "/executions",
    "/settings/people",
    "/approve",
    "/oauth/consent",
    "/not-a-page",
  ]) {
    await page.goto(`${url}${target}`);
    await expect(page.getByText("Everyone who reaches this server may do everything"), target).toBeVisible();
  }
});
