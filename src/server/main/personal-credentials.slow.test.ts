import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import Database from "../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract/access";
import { AUTOMATION } from "../../lib/contract/actor";
import { runSettingsSchema } from "../../lib/contract/run";
import { waitUntil } from "../../lib/wait-until.test-support";
import { placeEmptyDatabase } from "../platform/db/database.test-support";
import { createContainer } from "./container";
import { readEnv } from "./env";

const SERVER = path.resolve("e2e/support/mcp-servers/echo.mjs");
const user = (id: string): Principal => ({ id, name: id, role: "admin", token: null });
const ADA = user("ada");
const BOB = user("bob");
const ADAS = "adas-own-secret";
const BOBS = "bobs-own-secret";
/** Tool `who` answers with the second: too short to be masked as a secret. */
const buildValues = (token: string) => ({ API_TOKEN: token, SERVER_NAME: token.slice(0, 3) });

/** A server with accounts, two users, and an MCP server for which each has a credential. */
async function openServer(approval: "always" | "never" = "never") {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-personal-"));
  const config = path.join(folder, "toolroom.json");
  const file = path.join(folder, "test.db");
  const credentials = { mode: "personal", slots: [{ name: "API_TOKEN", label: "Token" }, { name: "SERVER_NAME" }] };
  const echo = { command: process.execPath, args: [SERVER], credentials, approval };
  await writeFile(config, JSON.stringify({ mcpServers: { echo } }));
  const env = { DATABASE_URL: `file:${file}`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config };
  await placeEmptyDatabase(file);
  const container = await createContainer(
    readEnv({ ...env, TOOLROOM_AUTH: "on", TOOLROOM_PUBLIC_URL: "https://tools.example.org/" }),
  );
  const { services, servicesFor, live } = container;
  onTestFinished(container.close);
  const raw = new Database(file);
  onTestFinished(() => void raw.close());
  const add = raw.prepare(
    `INSERT INTO "User" (id, name, email, role, "createdAt", "updatedAt") VALUES (?, ?, ? || '@x.test', 'admin', 0, 0)`,
  );
  for (const { id } of [ADA, BOB]) add.run(id, id, id);
  await services.credentials.save(ADA, "echo", buildValues(ADAS));
  await services.credentials.test(ADA, "echo");
  await waitUntil(() => services.tools.list().items.some(({ name }) => name === "echo__who"));
  const run = (actor: Principal) => services.executions.run(actor, { tool: "echo__who", argumentsText: "{}" });
  return { services, servicesFor, live, run, raw };
}

it("a call and its replay run with the credential of the user they run for", async () => {
  const { services, run } = await openServer();
  const adas = await run(ADA);
  expect(adas).toMatchObject({ status: "succeeded", credential: "personal" });
  expect(adas.resultText).toContain("ada");
  const missing = await services.executions.replay(BOB, adas.id);
  expect(missing).toMatchObject({
    errorKind: "sign_in_needed",
    error: "Connect your account for 'echo' first: https://tools.example.org/servers/echo",
    credential: null,
  });
  await services.credentials.save(BOB, "echo", buildValues(BOBS));
  const bobs = await services.executions.replay(BOB, adas.id);
  expect(bobs.resultText).toContain("bob");
  expect(bobs.resultText).not.toContain("ada");
  expect(await run({ ...LOCAL_PRINCIPAL, ...AUTOMATION })).toMatchObject({
    errorKind: "sign_in_needed",
    error: expect.stringContaining("runs for no user"),
  });
});

it("an approved call runs with the credential of its requester, whoever approves it", async () => {
  const { services, run } = await openServer("always");
  const { id, status } = await run(ADA);
  expect(status).toBe("waiting");
  await services.approvals.decide(BOB, id, { approved: true });
  await waitUntil(async () => (await services.executions.get(id)).status === "succeeded");
  const ran = await services.executions.get(id);
  expect(ran).toMatchObject({ credential: "personal", actor: { id: "ada" } });
  expect(ran.resultText).toContain("ada");
});

/** Everything that a reader is told of some calls, as text. */
async function readAll(services: Awaited<ReturnType<typeof openServer>>["services"], id: string): Promise<string> {
  const lists = [
    services.executions.list({}, undefined, 50),
    services.executions.list({ q: id }, undefined, 50),
    services.executions.list({ q: "ada-argument" }, undefined, 50),
    services.executions.count({ q: "ada-argument" }),
    services.executions.get(id),
    services.approvals.list("open", undefined, 50),
    services.approvals.list("decided", undefined, 50),
    services.lenses.example(id, "content").catch(String),
  ];
  return JSON.stringify(await Promise.all(lists));
}

it("a call with a personal credential is read by its user, its approvers and admins", async () => {
  const { services, servicesFor } = await openServer("always");
  const request = { tool: "echo__echo", argumentsText: '{"note":"ada-argument"}' };
  const viewer = { ...user("vera"), role: "viewer" as const };
  const operator = { ...user("olga"), role: "operator" as const };
  const ada = { ...ADA, role: "operator" as const };
  const { id } = await servicesFor(ada).executions.run(ada, request);
  const readers = async () => {
    const who = [viewer, operator, ada, BOB];
    const texts = await Promise.all(who.map((each) => readAll(servicesFor(each), id)));
    return who.filter((_, at) => texts[at]?.includes("ada-argument")).map((each) => each.id);
  };
  // Any operator may approve it.
  expect(await readers()).toEqual(["olga", "ada", "bob"]);
  await services.approvals.decide(BOB, id, { approved: true });
  await waitUntil(async () => (await services.executions.get(id)).status === "succeeded");
  expect(await readers()).toEqual(["ada", "bob"]);
  expect(await servicesFor(viewer).executions.get(id)).toMatchObject({ restricted: true, resultText: null, logs: [] });
  expect(await servicesFor(operator).executions.count({ q: "ada-argument" })).toMatchObject({ count: 0 });
  expect(await servicesFor(ada).executions.count({ q: "ada-argument" })).toMatchObject({ count: 1 });
  await expect(servicesFor(operator).executions.replay(operator, id)).rejects.toMatchObject({ code: "DENIED" });
});

it("a run with such a call is read by its owner, its callers and admins, also while it goes on", async () => {
  const { servicesFor, live, raw } = await openServer();
  const ada = { ...ADA, role: "operator" as const };
  const olga = { ...user("olga"), role: "operator" as const };
  const heard = { ada: "", olga: "" };
  for (const reader of [ada, olga]) {
    const write = (message: Buffer): boolean => {
      heard[reader.id as "ada" | "olga"] += message;
      return true;
    };
    live.open(null, { write, end: () => undefined }, reader);
  }
  const settings = runSettingsSchema.parse({
    provider: "demo",
    model: "demo",
    tools: { mode: "none" },
  });
  const { id } = await servicesFor(ada).runs.start(ada, { settings, text: "Call a tool" });
  await waitUntil(async () => (await servicesFor(ada).runs.get(id)).status === "succeeded");
  const add = raw.prepare(`UPDATE "Execution" SET "runId" = ? WHERE id = ?`);
  const called = await servicesFor(ada).executions.run(ada, { tool: "echo__who", argumentsText: "{}" });
  add.run(id, called.id);
  await waitUntil(() =>
    servicesFor(olga)
      .runs.get(id)
      .then(
        () => false,
        () => true,
      ),
  );
  const denied = { code: "DENIED" };
  await expect(servicesFor(olga).runs.messages(id, 1, 0)).rejects.toMatchObject(denied);
  await expect(servicesFor(olga).runs.send(olga, id, "And now?", undefined)).rejects.toMatchObject(denied);
  await expect(servicesFor(olga).runs.rerun(olga, { id, fromStep: 1, results: "recorded" })).rejects.toMatchObject(
    denied,
  );
  expect(await servicesFor(ada).runs.get(id)).toMatchObject({ id });
  await servicesFor(ada).runs.send(ada, id, "A second message", undefined);
  await waitUntil(() => heard.ada.includes("A second message"));
  await waitUntil(async () => (await servicesFor(ada).runs.get(id)).status === "succeeded");
  // Events come in order: with this one olga has all that came before.
  const later = await servicesFor(ada).executions.run(ada, { tool: "echo__who", argumentsText: "{}" });
  await waitUntil(() => heard.olga.includes(later.id));
  expect(heard.olga).not.toContain("A second message");
});

it("the first call of a run is hidden from others while the model writes it, and so is the title from then on", async () => {
  const { servicesFor, live, raw } = await openServer("always");
  const ada = { ...ADA, role: "operator" as const };
  const vera = { ...user("vera"), role: "viewer" as const };
  const heard = { ada: "", vera: "" };
  for (const reader of [ada, vera]) {
    const write = (message: Buffer): boolean => {
      heard[reader.id as "ada" | "vera"] += message;
      return true;
    };
    live.open(null, { write, end: () => undefined }, reader);
  }
  const settings = runSettingsSchema.parse({
    provider: "demo",
    model: "demo",
    tools: { mode: "some", tools: ["echo__echo"], servers: [] },
  });
  const start = (text: string) => servicesFor(ada).runs.start(ada, { settings, text });
  const { id } = await start('echo__echo {"note":"ada-argument"}');
  await waitUntil(async () => (await servicesFor(ada).runs.get(id)).status === "waiting");
  await waitUntil(() => heard.ada.includes('"model_finished"') && heard.vera.includes('"status":"waiting"'));
  expect(heard.ada).toContain('"run_call"');
  expect(heard.vera).not.toMatch(/"run_call"|"model_finished"/);
  const titles = async (reader: Principal, q?: string) =>
    (await servicesFor(reader).runs.list({ q }, undefined, 50)).items.map(({ title }) => title);
  expect(await titles(ada, "ada-argument")).toHaveLength(1);
  expect(await titles(vera)).toEqual(["Private run: it uses another user's credential"]);
  expect(await titles(vera, "ada-argument")).toEqual([]);
  // Between the complete response and the record of the call, and where the call is never made.
  raw.prepare(`UPDATE "Execution" SET "runId" = NULL`).run();
  await start("Nothing private");
  await expect(servicesFor(vera).runs.get(id)).rejects.toMatchObject({ code: "DENIED" });
  expect(await titles(vera)).toContain("Nothing private");
});

it("who may approve a waiting call, and so read it, follows from the setting kept with it and the one now", async () => {
  const { services, servicesFor } = await openServer("always");
  const olga = { ...user("olga"), role: "operator" as const };
  const shows = async (id: string) => (await readAll(servicesFor(olga), id)).includes("ada-argument");
  await services.tools.setApproval(BOB, "echo__echo", "admin");
  const request = { tool: "echo__echo", argumentsText: '{"note":"ada-argument"}' };
  const { id } = await services.executions.run(ADA, request);
  await services.tools.setApproval(BOB, "echo__echo", null);
  expect(await shows(id)).toBe(false);
  const later = await services.executions.run(ADA, request);
  expect(await shows(later.id)).toBe(true);
  await services.tools.setApproval(BOB, "echo__echo", "admin");
  expect(await shows(later.id)).toBe(false);
});

it("values are shown to nobody, and whoever was switched off or removed has no connection any more", async () => {
  const { services, run } = await openServer();
  await services.credentials.save(BOB, "echo", buildValues(BOBS));
  const seen = JSON.stringify([
    await services.credentials.own(ADA, "echo"),
    await services.credentials.list(ADA),
    await services.credentials.holders(BOB, "echo"),
    services.servers.get("echo", BOB.id),
  ]);
  expect(seen).toContain('"stored":true');
  expect(seen).not.toMatch(/own-secret/);
  await services.people.setDisabled(BOB, ADA.id, true);
  expect(services.servers.get("echo", ADA.id).state.status).toBe("idle");
  expect(await run(ADA)).toMatchObject({ errorKind: "sign_in_needed" });
  await services.people.remove(BOB, ADA.id);
  expect((await services.credentials.holders(BOB, "echo")).map(({ name }) => name)).toEqual(["bob"]);
});

it("refuses values that a process or header cannot take, and a server without slots", async () => {
  const { services } = await openServer();
  const save = (values: Record<string, string>) => services.credentials.save(BOB, "echo", values);
  await expect(save({})).rejects.toMatchObject({
    problems: [
      { path: "values.API_TOKEN", message: "is required" },
      { path: "values.SERVER_NAME", message: "is required" },
    ],
  });
  await expect(save({ ...buildValues(BOBS), API_TOKEN: "a\0b" })).rejects.toMatchObject({ code: "INVALID" });
  await expect(services.credentials.own(BOB, "other")).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(
    services.credentials.save({ ...LOCAL_PRINCIPAL, ...AUTOMATION }, "echo", { API_TOKEN: "x" }),
  ).rejects.toMatchObject({ message: expect.stringContaining("Only people") });
});

it("a reader learns nothing of a colleague's result from the sizes that a lens preview reports", async () => {
  const { servicesFor } = await openServer();
  const ada = { ...ADA, role: "operator" as const };
  const vera = { ...user("vera"), role: "viewer" as const };
  const { id } = await servicesFor(ada).executions.run(ada, {
    tool: "echo__echo",
    argumentsText: '{"note":"ada-argument"}',
  });
  const preview = async (reader: Principal, guess: string) =>
    (
      await servicesFor(reader).lenses.preview(
        "echo__echo",
        `contains(to_string(@), '${guess}') && 'yes' || 'a longer no'`,
        null,
      )
    ).items;
  expect((await preview(ada, "ada-argument")).map((row) => row.executionId)).toEqual([id]);
  expect(await preview(vera, "ada-argument")).toEqual([]);
});

it("a private run hides its other calls too: arguments, results, sizes, titles and what a search or an order by size tells", async () => {
  const { servicesFor, raw } = await openServer();
  const ada = { ...ADA, role: "operator" as const };
  const olga = { ...user("olga"), role: "operator" as const };
  const settings = runSettingsSchema.parse({ provider: "demo", model: "demo", tools: { mode: "none" } });
  const { id } = await servicesFor(ada).runs.start(ada, { settings, text: "merger title" });
  await waitUntil(async () => (await servicesFor(ada).runs.get(id)).status === "succeeded");
  const run = (tool: string, note: string) =>
    servicesFor(ada).executions.run(ada, { tool, argumentsText: JSON.stringify({ note }) });
  const own = await run("echo__echo", "ada-argument");
  const shared = await run("shared", "repeats ada-argument");
  raw.prepare(`UPDATE "Execution" SET "runId" = ?, "resultBytes" = 7777 WHERE id IN (?, ?)`).run(id, own.id, shared.id);
  const read = async (reader: Principal) => {
    const { executions } = servicesFor(reader);
    const texts = [
      executions.get(own.id),
      executions.get(shared.id),
      executions.list({}, undefined, 50),
      executions.list({}, undefined, 1, { by: "size", descending: true }),
      executions.list({ q: "ada-argument" }, undefined, 50),
      executions.count({ q: "ada-argument" }),
    ];
    return JSON.stringify(await Promise.all(texts));
  };
  await waitUntil(async () => !(await read(olga)).includes("ada-argument"));
  expect(await read(olga)).not.toMatch(/merger|7777|"count":[^0]/);
  expect(await read(olga)).toContain('"restricted":true');
  for (const reader of [ada, BOB]) expect(await read(reader)).toMatch(/merger.*7777.*"count":2/s);
});

it("a search in titles of runs tells a reader nothing of those that are hidden", async () => {
  const { servicesFor, raw } = await openServer();
  const ada = { ...ADA, role: "operator" as const };
  const olga = { ...user("olga"), role: "operator" as const };
  const settings = runSettingsSchema.parse({ provider: "demo", model: "demo", tools: { mode: "none" } });
  const start = async (actor: Principal, text: string) =>
    (await servicesFor(actor).runs.start(actor, { settings, text })).id;
  const own = await start(olga, "merger olga");
  const hidden = await start(ada, "merger ada");
  for (const id of [own, hidden])
    await waitUntil(async () => (await servicesFor(BOB).runs.get(id)).status === "succeeded");
  const called = await servicesFor(ada).executions.run(ada, { tool: "echo__who", argumentsText: "{}" });
  raw.prepare(`UPDATE "Execution" SET "runId" = ? WHERE id = ?`).run(hidden, called.id);
  await waitUntil(() =>
    servicesFor(olga)
      .runs.get(hidden)
      .then(
        () => false,
        () => true,
      ),
  );
  const { items, nextCursor } = await servicesFor(olga).runs.list({ q: "merger" }, undefined, 1);
  expect([items.map(({ id }) => id), nextCursor]).toEqual([[own], null]);
});

it("the address of a model provider is shown by its origin to those who do not administer it", async () => {
  const { services, servicesFor } = await openServer();
  const baseUrl = "https://models.example.org/planted-account/v1";
  await services.models.createProvider(ADA, {
    name: "acme",
    kind: "openai",
    baseUrl,
    apiKey: "sk-0123456789",
    models: ["m"],
    prices: [],
  });
  const readAddress = (role: Principal["role"]) =>
    servicesFor({ ...user("reader"), role })
      .models.providers()
      .items.find(({ name }) => name === "acme")?.baseUrl;
  expect(readAddress("admin")).toBe(baseUrl);
  for (const role of ["viewer", "operator", "editor"] as const) {
    expect(readAddress(role)).toBe("https://models.example.org");
  }
});
