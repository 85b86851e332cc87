import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Principal } from "../../lib/contract/access";
import type { ToolDefinition } from "../../lib/contract/tool-definition";
import { waitUntil } from "../../lib/wait-until.test-support";
import { placeEmptyDatabase } from "../platform/db/database.test-support";
import { createPostgresDatabase, HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";
import { OWN_TOOLS } from "./own-tools";

const ADA: Principal = { id: "ada", name: "Ada", role: "admin", token: null };
let folder: string;
let databaseUrl: string;
const open: Container[] = [];

async function start(more: Record<string, string> = {}): Promise<Container> {
  const container = await createContainer(
    readEnv({
      DATABASE_URL: databaseUrl,
      TOOLROOM_DATA: folder,
      TOOLROOM_SECRET_KEY: "the key of the server's tests",
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
      ...more,
    }),
    { ownTools: OWN_TOOLS },
  );
  open.push(container);
  return container;
}

const KINDS = ["SQLite", ...(HAS_POSTGRES ? ["PostgreSQL"] : [])];

const greeter: ToolDefinition = {
  name: "greet",
  description: "Greets a person by name",
  type: "function",
  handler: "greet",
  parameters: { type: "object", properties: { name: { type: "string", description: "Who" } }, required: ["name"] },
  implementation: { type: "mock", mock_response: "hello" },
};
const ODD_TEXTS = [
  ' { "b" : 1.0,\n  "a":1e2 } ',
  '{"a":"\\u0041\\/","__proto__":{"x":1}}',
  '{"a":1,"a":2,"big":12345678901234567890,"10":1,"9":2}',
];
const buildText = (part: Record<string, unknown> = {}): string => JSON.stringify({ ...greeter, ...part });

/** Gives each test an empty database of the kind. */
function prepareDatabases(kind: string): void {
  let removeDatabase = async (): Promise<void> => undefined;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-container-"));
    if (kind === "SQLite") {
      await placeEmptyDatabase(path.join(folder, "test.db"));
      databaseUrl = `file:${path.join(folder, "test.db")}`;
    } else ({ url: databaseUrl, remove: removeDatabase } = await createPostgresDatabase({ migrated: true }));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((container) => container.close()));
    await removeDatabase();
  });
}

// Nothing of it comes to a database, so one kind is enough.
describe("the server, before anything is stored", () => {
  prepareDatabases("SQLite");

  it("REG-02 what cannot be loaded is a problem of the catalog, and the server starts", async () => {
    const config = path.join(folder, "broken.json");
    await writeFile(config, JSON.stringify({ tools: { registry: [{ ...greeter, name: "bad name" }, greeter] } }));
    const { services } = await start({ TOOLROOM_CONFIG: config });
    const { items, problems } = services.tools.list();
    expect(items.map(({ name }) => name)).toEqual(["greet"]);
    expect(problems).toMatchObject([{ origin: "config", source: config, name: "bad name" }]);
  });

  it("REG-04 a definition is refused with every fault and nothing is stored", async () => {
    const { services } = await start();
    await expect(services.tools.create(ADA, "{")).rejects.toMatchObject({ code: "INVALID" });
    await expect(
      services.tools.create(ADA, buildText({ description: "", parameters: { type: "array" } })),
    ).rejects.toMatchObject({
      code: "INVALID",
      problems: [{ path: "description" }, { path: "parameters.type" }],
    });
    expect(services.tools.checkDefinition(buildText({ name: "echo" }), undefined).problems).toEqual([
      { path: "name", message: expect.stringContaining("already taken") },
    ]);
    expect(services.tools.find("greet")).toBeNull();
  });

  it("REG-03 a tool from the configuration cannot be changed or deleted in the console", async () => {
    const { services } = await start();
    await expect(services.tools.update(ADA, "echo", buildText({ name: "echo" }))).rejects.toMatchObject({
      code: "READ_ONLY",
    });
    await expect(services.tools.delete(ADA, "echo")).rejects.toMatchObject({ code: "READ_ONLY" });
  });

  it("REG-04 a definition that is nested too deep is refused before anything is stored", async () => {
    const { tools } = (await start()).services;
    let deep: unknown = 1;
    for (let level = 0; level < 3000; level += 1) deep = { deep };
    await expect(tools.create(ADA, buildText({ "x-deep": deep }))).rejects.toMatchObject({ code: "INVALID" });
    expect((await tools.create(ADA, buildText())).name).toBe("greet");
  });
});

describe.each(KINDS)("the server on %s", (kind) => {
  prepareDatabases(kind);

  describe("the catalog", () => {
    it("REG-01 tools of the configuration and of the database are there after a start", async () => {
      const first = await start();
      await first.services.tools.create(ADA, buildText());
      await first.close();
      const second = await start();
      const { items } = second.services.tools.list();
      expect(items.map(({ name, origin }) => [name, origin])).toContainEqual(["get_weather", "config"]);
      expect(items.map(({ name, origin }) => [name, origin])).toContainEqual(["greet", "console"]);
      const ran = await second.services.executions.run(ADA, { tool: "greet", argumentsText: '{"name":"Bo"}' });
      expect(ran).toMatchObject({ status: "succeeded", resultText: '"hello"', modelView: { text: "hello" } });
    });

    it("REG-03 a name that is taken is refused in the console, whatever it belongs to", async () => {
      const { services } = await start();
      await services.tools.create(ADA, buildText());
      await expect(services.tools.create(ADA, buildText())).rejects.toMatchObject({ code: "CONFLICT" });
      await expect(services.tools.create(ADA, buildText({ name: "get_weather" }))).rejects.toMatchObject({
        code: "CONFLICT",
      });
      const twice = await Promise.allSettled([
        services.tools.create(ADA, buildText({ name: "x" })),
        services.tools.create(ADA, buildText({ name: "x" })),
      ]);
      expect(twice.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    });

    it("REG-03 edit, rename, switch off, delete and undo keep catalog and database together", async () => {
      const first = await start();
      const { tools, executions } = first.services;
      await tools.create(ADA, buildText());
      await tools.update(ADA, "greet", buildText({ name: "welcome", description: "Welcomes a person" }));
      expect(tools.find("greet")).toBeNull();
      await tools.setEnabled(ADA, "welcome", false);
      await tools.setEnabled(ADA, "echo", false);
      expect((await executions.run(ADA, { tool: "welcome", argumentsText: '{"name":"x"}' })).error).toBe(
        "Tool 'welcome' not found",
      );
      await tools.update(ADA, "welcome", buildText({ name: "welcome", description: "Welcomes someone" }));
      expect(tools.get("welcome").enabled).toBe(false);
      const { id } = await tools.delete(ADA, "welcome");
      expect(tools.find("welcome")).toBeNull();
      expect((await tools.restore(ADA, id)).description).toBe("Welcomes someone");
      await expect(tools.restore(ADA, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await first.close();
      const again = (await start()).services.tools;
      expect(again.get("welcome").enabled).toBe(false);
      expect(again.get("echo").enabled).toBe(false);
      await again.setEnabled(ADA, "welcome", true);
      expect(again.get("welcome").enabled).toBe(true);
    });
  });

  describe("the execution list", () => {
    it("EXE-06 a call is found again with its arguments, result, time, actor and source", async () => {
      const { services } = await start();
      const ran = await services.executions.run(ADA, { tool: "get_weather", argumentsText: '{ "location": "Oslo" }' });
      expect(ran).toMatchObject({
        status: "succeeded",
        source: "console",
        actor: { id: ADA.id, name: ADA.name },
        argumentsText: '{ "location": "Oslo" }',
      });
      const page = await services.executions.list({ q: "oslo" }, undefined, 10);
      expect(page.items.map(({ id }) => id)).toEqual([ran.id]);
      expect((await services.executions.get(ran.id)).definition).toMatchObject({ name: "get_weather" });
    });

    it("EXE-06 the console's arguments are stored and replayed exactly as sent, however they are written", async () => {
      const { services } = await start();
      for (const argumentsText of ODD_TEXTS) {
        const ran = await services.executions.run(ADA, { tool: "echo", argumentsText });
        expect(ran).toMatchObject({ status: "succeeded", argumentsText });
        const replay = await services.executions.replay(ADA, ran.id);
        expect(replay).toMatchObject({ argumentsText, resultText: ran.resultText });
      }
    });

    it("EXE-06 a replay points to its original, which lists it", async () => {
      const { services } = await start();
      const original = await services.executions.run(ADA, { tool: "echo", argumentsText: '{"message":[1,null,""]}' });
      const replay = await services.executions.replay(ADA, original.id);
      expect(replay).toMatchObject({
        source: "replay",
        argumentsText: original.argumentsText,
        parent: { id: original.id },
      });
      expect((await services.executions.get(original.id)).children.map(({ id }) => id)).toEqual([replay.id]);
      await expect(services.executions.replay(ADA, "exec_nope12345")).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    it("EXE-06 a definition that has changed since is reported, and the snapshot is kept", async () => {
      const { services } = await start();
      await services.tools.create(ADA, buildText());
      const ran = await services.executions.run(ADA, { tool: "greet", argumentsText: '{"name":"x"}' });
      expect(ran.definitionChanged).toBe(false);
      await services.tools.update(ADA, "greet", buildText({ description: "Another description" }));
      const later = await services.executions.get(ran.id);
      expect(later).toMatchObject({ definitionChanged: true, definition: { description: "Greets a person by name" } });
    });

    it("TIME-03 a running call is reported as running, published live, cancelled, and recorded as cancelled", async () => {
      const { services, live } = await start();
      let heard = "";
      live.open(null, {
        write: (message) => {
          heard += message.toString();
          return true;
        },
        end: () => undefined,
      });
      const id = "exec_cancelme1234";
      const shown = await services.executions.run(ADA, {
        tool: "slow_report",
        argumentsText: '{"steps":50,"step_ms":20}',
        executionId: id,
        waitMs: 60,
      });
      expect(shown.status).toBe("running");
      await waitUntil(() => expect(heard).toContain("execution_progress"));
      expect(await services.executions.cancel(ADA, id)).toEqual({ cancelled: true });
      expect(await services.executions.get(id)).toMatchObject({ status: "cancelled", errorKind: "cancelled" });
      expect(await services.executions.cancel(ADA, id)).toEqual({ cancelled: false });
      await waitUntil(() => expect(heard).toContain('"status":"cancelled"'));
      for (const said of ['"status":"running"', "execution_log", "execution_progress"]) expect(heard).toContain(said);
      expect((await services.executions.get(id)).logs.length).toBeGreaterThan(0);
    });

    it("TIME-03 closing the server records what still runs as interrupted and refuses new calls", async () => {
      const first = await start();
      const { executions } = first.services;
      const running = executions.run(ADA, {
        tool: "slow_report",
        argumentsText: '{"steps":60,"step_ms":1000}',
        executionId: "exec_interrupted1",
        waitMs: 50,
      });
      expect((await running).status).toBe("running");
      await first.close();
      await expect(executions.run(ADA, { tool: "echo", argumentsText: "{}" })).rejects.toMatchObject({
        code: "UNAVAILABLE",
      });
      const again = await start();
      expect(await again.services.executions.get("exec_interrupted1")).toMatchObject({
        status: "interrupted",
        errorKind: "interrupted",
      });
    });

    it("EXE-03 broken JSON and used ids are refused before anything is recorded", async () => {
      const { services } = await start();
      await expect(services.executions.run(ADA, { tool: "echo", argumentsText: "{oops" })).rejects.toMatchObject({
        code: "INVALID",
      });
      const id = "exec_onlyonce123";
      await services.executions.run(ADA, { tool: "echo", argumentsText: "{}", executionId: id });
      await expect(
        services.executions.run(ADA, { tool: "echo", argumentsText: "{}", executionId: id }),
      ).rejects.toMatchObject({ code: "CONFLICT" });
      expect((await services.executions.list({}, undefined, 10)).items).toHaveLength(1);
    });
  });

  describe("requests that meet", () => {
    it("REG-03 changes of one tool at once leave memory and database agreed", async () => {
      const first = await start();
      const { tools } = first.services;
      await tools.create(ADA, buildText());
      await Promise.allSettled([
        tools.setEnabled(ADA, "greet", false),
        tools.update(ADA, "greet", buildText({ description: "Changed by another edit" })),
      ]);
      const [one, two] = await Promise.allSettled([tools.delete(ADA, "echo2"), tools.delete(ADA, "greet")]);
      expect(one).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
      expect(two.status).toBe("fulfilled");
      await expect(tools.delete(ADA, "greet")).rejects.toMatchObject({ code: "NOT_FOUND" });
      await tools.create(ADA, buildText());
      await Promise.all([
        tools.setEnabled(ADA, "greet", false),
        tools.update(ADA, "greet", buildText({ description: "Changed by another edit" })),
      ]);
      expect(tools.get("greet")).toMatchObject({ enabled: false, description: "Changed by another edit" });
      await first.close();
      expect((await start()).services.tools.get("greet")).toMatchObject({
        enabled: false,
        description: "Changed by another edit",
      });
    });

    it("EXE-06 of two calls with one id, one runs and can be cancelled, the other is refused", async () => {
      const { executions } = (await start()).services;
      const request = {
        tool: "slow_report",
        argumentsText: '{"steps":50,"step_ms":50}',
        executionId: "exec_twice123456",
        waitMs: 100,
      };
      const answers = await Promise.allSettled([executions.run(ADA, request), executions.run(ADA, request)]);
      expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(answers.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "CONFLICT" } });
      expect(await executions.cancel(ADA, "exec_twice123456")).toEqual({ cancelled: true });
    });
  });

  describe("internal handlers", () => {
    it("IMPL-06 the product's own services are tools: catalog, executions, statistics", async () => {
      const { services } = await start();
      const define = (name: string) =>
        services.tools.create(
          ADA,
          buildText({ name, parameters: { type: "object" }, implementation: { type: "internal", handler: name } }),
        );
      for (const name of ["search_executions", "get_execution", "execution_stats"]) await define(name);
      const call = async (tool: string, args: object) => {
        const done = await services.executions.run(ADA, { tool, argumentsText: JSON.stringify(args) });
        return done.resultText === null ? done.error : JSON.parse(done.resultText);
      };
      const weather = await services.executions.run(ADA, { tool: "get_weather", argumentsText: '{"location":"Lima"}' });
      expect(await call("search_tools", { query: "weather" })).toMatchObject({
        count: 1,
        tools: [{ name: "get_weather" }],
      });
      expect(await call("search_executions", { tool: ["get_weather"] })).toMatchObject({
        count: 1,
        executions: [{ id: weather.id }],
      });
      expect(await call("search_executions", { nonsense: 1 })).toContain("nonsense");
      expect(await call("get_execution", { id: weather.id })).toMatchObject({
        id: weather.id,
        argumentsText: '{"location":"Lima"}',
      });
      expect(await call("get_execution", { id: "exec_nope12345" })).toContain("not found");
      expect(await call("execution_stats", { tool: "get_weather" })).toMatchObject({
        tool: "get_weather",
        calls: 1,
        failed: 0,
      });
      expect(await call("execution_stats", {})).toMatchObject({ totals: { failed: 2 } });
    });
  });
});
