import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../../lib/contract/access";
import { startGateway } from "../gateway.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../gateway-container.test-support";
import type { GatewayContent } from "./content-port";

const SKILLED = path.resolve("e2e/support/mcp-servers/skilled.mjs");
const LISTS = ["tools/list", "resources/list", "resources/templates/list", "skills/list"];
const MINUTE = 60_000;

let running: GatewayContainer;
beforeAll(async () => {
  running = await startGatewayContainer(await newDatabaseUrl());
  const { servers } = running.container.services;
  const add = async (name: string, args: string[], more = {}): Promise<void> => {
    const command = process.execPath;
    await servers.create(LOCAL_PRINCIPAL, {
      name,
      transport: "stdio",
      command,
      args: [SKILLED, name, ...args],
      ...more,
    });
    await servers.reconnect(LOCAL_PRINCIPAL, name);
  };
  await add("silent", []);
  await add("shared", ["stateless", "public"], { listTtlMs: 5000 });
  await add("lasting", ["stateless"], { listTtlMs: 10 * MINUTE });
});
afterAll(() => running.stop());

describe.each([
  ["/silent", { ttlMs: MINUTE, cacheScope: "private" }],
  ["/shared", { ttlMs: 5000, cacheScope: "public" }],
  ["/lasting", { ttlMs: 10 * MINUTE, cacheScope: "private" }],
  // The list changes as soon as that of one server does.
  ["", { ttlMs: 5000, cacheScope: "private" }],
])("the lists of /mcp%s", (address, hints) => {
  it("say to stateless clients how long they stay fresh, and who may share them", async () => {
    const client = await rawClient(running.url + address, "2026-07-28");
    for (const method of LISTS) {
      const { result } = (await client.ask(method)).at(-1) ?? {};
      const scope = method === "resources/templates/list" ? { ttlMs: hints.ttlMs } : hints;
      expect([method, result]).toMatchObject([method, scope]);
    }
  });

  it("say nothing of it to clients of earlier revisions", async () => {
    const client = await rawClient(running.url + address, "2025-11-25");
    for (const method of LISTS) {
      const { result } = (await client.ask(method)).at(-1) ?? {};
      expect(Object.keys(result ?? {})).not.toContain("ttlMs");
      expect(Object.keys(result ?? {})).not.toContain("cacheScope");
    }
  });
});

const TOKEN = { id: "t", scopes: ["run"], tools: null, servers: null } as const;

it.each<[string, string, Principal]>([
  ["the only user of a Toolroom without accounts", "public", LOCAL_PRINCIPAL],
  ["a token", "private", { ...LOCAL_PRINCIPAL, token: TOKEN as never }],
  ["an account", "private", { ...LOCAL_PRINCIPAL, id: "ada" }],
])("for %s, a list that its server calls public is %s", async (_who, cacheScope, principal) => {
  const none = { resources: false, subscribe: false, prompts: false, completions: false, skills: false };
  const content = {
    declared: () => none,
    extensions: () => ({ server: null }),
    cacheOf: async () => ({ ttlMs: MINUTE, cacheScope: "public" }),
    listen: () => () => undefined,
  } as unknown as GatewayContent;
  const gateway = await startGateway({
    ports: { content, authenticate: () => principal, serverNames: () => ["shared"] },
  });
  const client = await rawClient(`${gateway.url}/shared`, "2026-07-28");
  expect((await client.ask("tools/list")).at(-1)).toMatchObject({ result: { cacheScope } });
  await gateway.close();
});
