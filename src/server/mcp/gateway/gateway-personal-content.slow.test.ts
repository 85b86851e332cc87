import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import Database from "../../../../scripts/sqlite.mjs";
import type { Principal } from "../../../lib/contract/access";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type GatewayContainer, newDatabaseUrl, startGatewayContainer } from "./gateway-container.test-support";

const OFFERING = path.resolve("e2e/support/mcp-servers/offering.mjs");
const PEOPLE = ["ada", "bob", "cy", "dan", "eve", "flo"] as const;
const principal = (id: string): Principal => ({ id, name: id, role: "admin", token: null });
const SHARED = "shared://document";

/**
 * Each of Ada and Bob has a connection of their own to one server, Flo one to an account with tools only; that of Eve has not
 * opened yet; Cy and Dan have entered nothing.
 */
let running: GatewayContainer;
beforeAll(async () => {
  const databaseUrl = await newDatabaseUrl();
  running = await startGatewayContainer(databaseUrl, 0, { TOOLROOM_AUTH: "on" });
  const { servers, credentials, tools } = running.container.services;
  const raw = new Database(databaseUrl.slice("file:".length));
  const add = raw.prepare(
    `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES (?, ?, ? || '@x.test', 'admin', 0, 0)`,
  );
  for (const id of PEOPLE) add.run(id, id, id);
  raw.close();
  await servers.create(principal("ada"), {
    name: "own",
    transport: "stdio",
    command: process.execPath,
    args: [OFFERING],
    credentials: { mode: "personal", slots: [{ name: "OFFER" }] },
  });
  for (const id of ["ada", "bob", "eve"]) await credentials.save(principal(id), "own", { OFFER: `of-${id}` });
  await credentials.save(principal("flo"), "own", { OFFER: "of-nothing" });
  for (const id of ["ada", "bob", "flo"]) await credentials.test(principal(id), "own");
  await waitUntil(() => tools.list().items.some(({ name }) => name === "own__touch"));
});
afterAll(() => running.stop());

async function connect(id: string) {
  const { tokens } = running.container.services;
  const limits = { tools: null, servers: null, validDays: 1 };
  const { text } = await tokens.create(principal(id), { name: "t", scopes: ["run"], ...limits });
  const heard: { method: string; params?: Record<string, unknown> }[] = [];
  const client = new Client({ name: id, version: "1" });
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification as never);
  const requestInit = { headers: { authorization: `Bearer ${text}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url), { requestInit }));
  const of = (method: string) => heard.filter((each) => each.method === `notifications/${method}`);
  return { client, heard, of, call: (name: string, args = {}) => client.callTool({ name, arguments: args }) };
}

it("lists, templates, reads and completions of a user's connection are that user's alone", async () => {
  const ada = await connect("ada");
  const bob = await connect("bob");
  const listUris = async ({ client }: typeof ada) => (await client.listResources()).resources.map(({ uri }) => uri);
  expect(await listUris(ada)).toEqual(expect.arrayContaining(["of-ada://only", SHARED]));
  expect(await listUris(bob)).toContain("of-bob://only");
  expect((await listUris(bob)).join()).not.toContain("of-ada");
  const { resourceTemplates } = await bob.client.listResourceTemplates();
  expect(JSON.stringify(resourceTemplates)).not.toContain("of-ada");
  const readText = async ({ client }: typeof ada, uri: string) => {
    const [body] = (await client.readResource({ uri })).contents;
    return body !== undefined && "text" in body ? body.text : null;
  };
  expect([await readText(ada, SHARED), await readText(bob, SHARED)]).toEqual([
    "shared, from of-ada",
    "shared, from of-bob",
  ]);
  await expect(bob.client.readResource({ uri: "of-ada://only" })).rejects.toThrow(/not found/i);
  const ref = { type: "ref/prompt", name: "own__greet" } as const;
  const { completion } = await bob.client.complete({ ref, argument: { name: "who", value: "A" } });
  expect(completion.values).toEqual(["of-bob greet A"]);
  // Servers that a result of Ada's named are known for Ada.
  await ada.call("own__links");
  expect(await readText(ada, "of-ada://hidden")).toBe("hidden");
  await expect(bob.client.readResource({ uri: "of-ada://hidden" })).rejects.toThrow(/not found/i);
  await Promise.all([ada.client.close(), bob.client.close()]);
});

it("updates, changed lists and log messages of a user's connection go to that user's sessions alone", async () => {
  const ada = await connect("ada");
  const bob = await connect("bob");
  for (const { client } of [ada, bob]) {
    await client.subscribeResource({ uri: SHARED });
    await client.setLoggingLevel("debug");
  }
  await ada.call("own__touch", { uri: SHARED });
  await ada.call("own__grow");
  await ada.call("own__log_later");
  await waitUntil(() =>
    ["resources/updated", "resources/list_changed", "message"].every((each) => ada.of(each).length > 0),
  );
  expect(bob.heard).toEqual([]);
  // Bob's own reach him: nothing of Ada's was merely late.
  await bob.call("own__touch", { uri: SHARED });
  await bob.call("own__log_later");
  await waitUntil(() => bob.of("message").length > 0);
  expect(bob.of("resources/updated")).toHaveLength(1);
  expect(bob.of("message")).toHaveLength(1);
  expect(bob.of("resources/list_changed")).toEqual([]);
  expect(ada.of("resources/updated")).toHaveLength(1);
  await Promise.all([ada.client.close(), bob.client.close()]);
});

it("a user without a credential reads nothing of others' connections", async () => {
  const cy = await connect("cy");
  expect((await cy.client.listResources()).resources).toEqual([]);
  expect((await cy.client.listPrompts().catch(() => ({ prompts: [] }))).prompts).toEqual([]);
  await expect(cy.client.readResource({ uri: "of-ada://only" })).rejects.toThrow(/not found|Connect your account/i);
  await expect(cy.client.subscribeResource({ uri: SHARED })).rejects.toThrow(/not found|Connect your account/i);
  await cy.client.close();
});

it("a client that connects before its user's connection opens gets its lists, whatever others' connections declare", async () => {
  const flo = await connect("flo");
  const eve = await connect("eve");
  const declared = ({ client }: typeof eve) => Object.keys(client.getServerCapabilities() ?? {});
  expect(declared(eve)).toEqual(expect.arrayContaining(["resources", "prompts", "completions"]));
  // Flo's own connection is open, and others' say nothing of it.
  expect(declared(flo).filter((name) => name === "prompts" || name === "completions")).toEqual([]);
  const { resources } = await eve.client.listResources();
  expect(resources.map(({ uri }) => uri)).toContain("of-eve://only");
  expect((await eve.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["own__greet"]);
  await Promise.all([eve.client.close(), flo.client.close()]);
});

it("a client whose lists were empty hears of them once its user has connected, and no other client does", async () => {
  const { credentials } = running.container.services;
  const dan = await connect("dan");
  const cy = await connect("cy");
  for (const { client } of [dan, cy]) {
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listPrompts()).prompts).toEqual([]);
  }
  await credentials.save(principal("dan"), "own", { OFFER: "of-dan" });
  await credentials.test(principal("dan"), "own");
  await waitUntil(() => ["resources", "prompts"].every((list) => dan.of(`${list}/list_changed`).length > 0));
  expect((await dan.client.listResources()).resources.map(({ uri }) => uri)).toContain("of-dan://only");
  expect(cy.heard).toEqual([]);
  await Promise.all([dan.client.close(), cy.client.close()]);
});
