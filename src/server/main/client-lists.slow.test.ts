import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import Sqlite from "../../../scripts/sqlite.mjs";
import type { Principal, Role } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { type GatewayContainer, rawClient, startGatewayContainer } from "../mcp/gateway/gateway-container.test-support";

const user = (id: string, role: Role): Principal => ({ id, name: id, role, token: null });
const ADA = user("ada", "admin");
const BOB = user("bob", "viewer");
const EVE = user("eve", "operator");
const sample = (name: string): string => path.resolve(`e2e/support/mcp-servers/${name}.mjs`);
const buildMock = (name: string) => ({
  type: "function",
  name,
  handler: name,
  description: "A tool of the test.",
  parameters: { type: "object" },
  implementation: { type: "mock", mock_response: "done" },
});

let server: GatewayContainer;
const services = () => server.container.services;
const tokens: Record<string, { id: string; value: string }> = {};

async function createToken(owner: Principal, name: string, limits: object = {}): Promise<void> {
  const whole = { scopes: ["run" as const], tools: null, servers: null, toolsets: null, validDays: 1 };
  const { token, text } = await services().tokens.create(owner, { ...whole, name, ...limits });
  tokens[name] = { id: token.id, value: text };
}

/** A client that says its token's name, and reads a list. */
async function connect(token: string, { address = "", protocol = "2025-11-25" as "2025-11-25" | "2026-07-28" } = {}) {
  const { value = "" } = tokens[token] ?? {};
  const client = await rawClient(server.url + address, protocol, { name: token, token: value });
  const list = async (): Promise<string[]> => {
    const { result = {} } = (await client.ask("tools/list")).at(-1) ?? {};
    return (result.tools as { name: string }[]).map(({ name }) => name);
  };
  return { ...client, list };
}

const DAY_MS = 86_400_000;
const explain = (client: string, tool: string) => services().clients.explain(client, tool);

beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-clients-"));
  const config = path.join(folder, "toolroom.json");
  const file = path.join(folder, "test.db");
  const personal = { mode: "personal", slots: [{ name: "API_TOKEN", label: "Token" }] };
  const own = { command: process.execPath, args: [sample("echo")] };
  const mcpServers = {
    own: { ...own, credentials: personal },
    unread: { ...own, credentials: personal },
    evolving: { command: process.execPath, args: [sample("evolving")], changedTools: "review" },
    away: { command: path.join(folder, "no-such-program") },
  };
  const tools = { registry: [{ ...buildMock("broken"), parameters: { type: "nothing" } }] };
  await writeFile(config, JSON.stringify({ mcpServers, tools }));
  server = await startGatewayContainer(`file:${file}`, 0, { TOOLROOM_CONFIG: config, TOOLROOM_AUTH: "on" });
  const raw = new Sqlite(file);
  const add = raw.prepare(
    `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES (?, ?, ? || '@x.test', ?, 0, 0)`,
  );
  for (const { id, role } of [ADA, BOB, EVE]) add.run(id, id, id, role);
  raw.close();
  for (const name of ["kept", "off", "other"]) await services().tools.create(ADA, JSON.stringify(buildMock(name)));
  await services().tools.setEnabled(ADA, "off", false);
  await services().credentials.save(ADA, "own", { API_TOKEN: "adas-own-secret" });
  await services().credentials.test(ADA, "own");
  const has = (name: string) =>
    services()
      .tools.list()
      .items.some((item) => item.name === name);
  await waitUntil(() => has("own__echo") && has("evolving__read"));
  await services().executions.run(ADA, { tool: "evolving__evolve", argumentsText: "{}" });
  await waitUntil(() => services().servers.heldChanges("evolving").total === 3);
  await createToken(ADA, "whole");
  await createToken(BOB, "reader", { scopes: ["read"] });
  await createToken(EVE, "limited", { tools: ["kept"] });
  await createToken(EVE, "eve");
  await createToken(EVE, "revoked");
});
afterAll(() => server.stop());

it("each of the seven reasons why a client does not see a tool is named, with the way out", async () => {
  for (const name of ["whole", "reader", "limited", "eve", "revoked"]) await (await connect(name)).list();
  expect(await explain("whole", "kept")).toMatchObject({ verdict: "listed", tool: "kept" });
  expect(await explain("whole", "off")).toMatchObject({ verdict: "disabled", link: "/tools/off" });
  const held = services()
    .servers.heldChanges("evolving")
    .items.find(({ kind }) => kind === "added");
  expect(await explain("whole", held?.catalogName ?? "")).toMatchObject({ verdict: "held", link: "/servers/evolving" });
  expect(await explain("whole", "broken")).toMatchObject({ verdict: "unusable" });
  expect(await explain("whole", "away__anything")).toMatchObject({
    verdict: "not_connected",
    link: "/servers/away",
    answer: expect.stringContaining("The tools of the server away are not known yet"),
  });
  expect(await explain("limited", "other")).toMatchObject({
    verdict: "limit",
    answer: "The token limited is limited to other tools.",
  });
  expect(await explain("reader", "kept")).toMatchObject({
    verdict: "role",
    answer: expect.stringContaining("Its calls are refused"),
  });
  await services().tokens.revoke(EVE, tokens.revoked?.id ?? "");
  expect(await explain("revoked", "kept")).toMatchObject({
    verdict: "role",
    answer: expect.stringContaining("was revoked"),
  });
  expect(await explain("eve", "own__echo")).toMatchObject({
    verdict: "credentials",
    answer: expect.stringContaining("has not given any"),
    link: "/servers/own",
  });
  expect(await explain("eve", "unread__echo")).toMatchObject({ verdict: "credentials", link: "/servers/unread" });
});

it("a tool that came after the list was fetched is named as such, until the client fetches the list again", async () => {
  const client = await connect("whole");
  await client.list();
  await services().tools.create(ADA, JSON.stringify(buildMock("late")));
  expect(await explain("whole", "late")).toMatchObject({
    verdict: "fetch",
    answer: expect.stringContaining("keeps no stream open"),
  });
  expect((await services().clients.get("whole")).changes).toMatchObject({ added: ["late"], removed: [] });
  expect(await client.list()).toContain("late");
  expect(await explain("whole", "late")).toMatchObject({ verdict: "listed" });
  expect((await services().clients.get("whole")).changes).toEqual({ added: [], removed: [], changed: [] });
  await services().tools.delete(ADA, "late");
  expect(await explain("whole", "late")).toMatchObject({
    verdict: "unknown",
    answer: expect.stringContaining("was given this tool"),
  });
});

it("a tool that exists nowhere is answered with the names that are like it; a server's own name is enough", async () => {
  await (await connect("whole")).list();
  expect(await explain("whole", "evolving__raed")).toMatchObject({
    verdict: "unknown",
    nearest: expect.arrayContaining(["evolving__read"]),
  });
  expect(await explain("whole", "echo")).toMatchObject({ tool: "own__echo" });
});

it("stateless requests of one program, token and address are one session; its list and what it left out are kept", async () => {
  const client = await connect("eve", { protocol: "2026-07-28", address: "/evolving" });
  const names = await client.list();
  await client.list();
  const { items } = await services().clients.get("eve");
  const session = items.find(({ era }) => era === "stateless");
  expect(session).toMatchObject({ address: "/mcp/evolving", listings: [{ tools: names.length, count: 2 }] });
  expect(items.filter(({ era }) => era === "stateless")).toHaveLength(1);
  const { lastList } = await services().clients.get("eve");
  expect(lastList?.tools.map(({ name }) => name)).toEqual(names);
  expect(lastList?.leftOut).toMatchObject([{ kind: "tool", reason: "held" }]);
  // Of a client that has not listed yet, its session is known.
  await createToken(EVE, "mute");
  await connect("mute", { protocol: "2026-07-28" });
  await connect("mute");
  const mute = await services().clients.get("mute");
  expect(mute).toMatchObject({ user: { id: "eve" }, listedAt: null, lastList: null });
  expect(mute.items.map(({ era, listings }) => [era, listings.length]).sort()).toEqual([
    ["session", 0],
    ["stateless", 0],
  ]);
  await expect(services().clients.get("nobody")).rejects.toThrow("not found");
});

it("a client that only calls tools is known by its calls, and was last seen at its last one", async () => {
  await createToken(EVE, "caller");
  const asked = await connect("caller");
  const [{ seenAt: atFirst = 0 } = {}] = (await services().clients.get("caller")).items;
  await waitUntil(() => Date.now() > atFirst);
  await asked.ask("tools/call", { name: "kept", arguments: {} });
  const [{ seenAt = 0 } = {}] = (await services().clients.get("caller")).items;
  expect(seenAt).toBeGreaterThan(atFirst);
  const prefix = "io.modelcontextprotocol/";
  const _meta = {
    [`${prefix}protocolVersion`]: "2026-07-28",
    [`${prefix}clientCapabilities`]: {},
    [`${prefix}clientInfo`]: { name: "caller", version: "1" },
  };
  const response = await fetch(server.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "kept",
      authorization: `Bearer ${tokens.caller?.value}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "kept", arguments: {}, _meta },
    }),
  });
  expect(await response.text()).toContain("done");
  const { items } = await services().clients.get("caller");
  expect(items.map(({ era }) => era).sort()).toEqual(["session", "stateless"]);
});

it("the calls of a client are counted for each transport and address, and its newest one is known, in both eras", async () => {
  await createToken(EVE, "both");
  const { value = "" } = tokens.both ?? {};
  const bridge = { "toolroom-stdio": "1" };
  for (const protocol of ["2025-11-25", "2026-07-28"] as const) {
    const http = await rawClient(server.url, protocol, { name: "both", token: value });
    await rawClient(`${server.url}/own`, protocol, { name: "both", token: value, more: bridge });
    const stdio = await rawClient(server.url, protocol, { name: "both", token: value, more: bridge });
    const call = { name: "kept", arguments: {} };
    await http.ask("tools/call", call);
    await stdio.ask("tools/call", call);
    await stdio.ask("tools/call", { ...call, name: "unheard_of" });
  }
  const { uses, calls, lastCall, items } = await services().clients.get("both");
  const counted = uses.map((use) => [use.transport, use.address, use.calls, use.lastCall?.tool ?? null]);
  expect(counted.sort()).toEqual([
    ["http", "/mcp", 2, "kept"],
    ["stdio", "/mcp", 4, "unheard_of"],
    ["stdio", "/mcp/own", 0, null],
  ]);
  expect(items.map(({ era, transport }) => `${era} ${transport}`).sort()).toEqual([
    "session http",
    "session stdio",
    "session stdio",
    "stateless http",
    "stateless stdio",
    "stateless stdio",
  ]);
  expect([calls, lastCall?.tool]).toEqual([6, "unheard_of"]);
  expect(await services().executions.get(lastCall?.id ?? "")).toMatchObject({
    toolName: "unheard_of",
    client: "both/1",
  });
});

it("each list that a client was given can be opened as it was sent, found by its day, and compared with another one", async () => {
  await createToken(ADA, "archivist");
  const { ask } = await connect("archivist");
  const fetchTools = async () => {
    const { result = {} } = (await ask("tools/list")).at(-1) ?? {};
    // What the revision 2025-11-25 adds for tasks is the same for every list.
    const tools = result.tools as { name: string; description: string; execution?: unknown }[];
    return tools.map(({ execution: _execution, ...tool }) => tool);
  };
  const first = await fetchTools();
  await services().tools.create(ADA, JSON.stringify(buildMock("later")));
  await services().tools.update(ADA, "other", JSON.stringify({ ...buildMock("other"), description: "Other words." }));
  await services().tools.setEnabled(ADA, "kept", false);
  await waitUntil(async () => (await fetchTools()).some(({ description }) => description === "Other words."));
  const second = await fetchTools();
  const now = Date.now();
  const lists = await services().clients.lists("archivist", { since: now - DAY_MS, until: now + DAY_MS });
  expect(lists.length).toBeGreaterThanOrEqual(2);
  const newest = lists[0]?.hash ?? "";
  const oldest = lists.at(-1)?.hash ?? "";
  const opened = await services().clients.readList("archivist", oldest);
  expect(opened.tools.map(({ entry }) => entry)).toEqual(first);
  expect((await services().clients.readList("archivist", newest.slice(0, 12))).tools.map(({ entry }) => entry)).toEqual(
    second,
  );
  expect(opened).toMatchObject({ hash: oldest, addresses: ["/mcp"], count: 1 });
  expect(await services().clients.compareLists("archivist", oldest, newest)).toMatchObject({
    added: ["later"],
    removed: ["kept"],
    changed: [{ name: "other", kind: "wording", details: ["the description changed"], after: { name: "other" } }],
  });
  expect(await services().clients.lists("archivist", { until: now - DAY_MS })).toEqual([]);
  // A list of another client is not one of this client.
  await expect(services().clients.readList("mute", newest)).rejects.toThrow("not found");
  const { lastList } = await services().clients.get("archivist");
  expect(lastList?.hash).toBe(newest);
});
