import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import Database from "../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { runSettingsSchema } from "../../lib/contract/run";
import { toolsetInputSchema } from "../../lib/contract/toolset";
import { transcriptSettingsSchema } from "../../lib/contract/transcript";
import { waitUntil } from "../../lib/wait-until.test-support";
import { callAs } from "./api/call-as";
import { createContainer } from "./container";
import { readEnv } from "./env";

const BROKEN = "{broken";
/** Tables with a sound row, and what its copies have instead, by column. */
const DAMAGES: Record<string, Record<string, readonly string[]>> = {
  ModelProvider: { kind: ["hologram"], settings: [BROKEN, "[]"] },
  McpServer: {
    settings: [BROKEN, "null", "[]", '{"name":"x","transport":"pigeon"}', '{"name":"x","transport":"http"}'],
  },
  Toolset: { settings: [BROKEN, "null", '{"tools":5}'] },
  Tool: { definition: [BROKEN, "null", '{"name":"x"}', '{"name":"x","implementation":{"type":"hologram"}}'] },
  Run: { status: ["unknown"], source: ["unknown"], settings: [BROKEN, "{}"] },
  Execution: {
    status: ["unknown"],
    source: ["unknown"],
    errorKind: ["unknown"],
    faults: [BROKEN],
    logs: ["5"],
    firedLimit: ["[]"],
  },
  Transcript: { status: ["unknown"], settings: [BROKEN], progress: [BROKEN] },
  SuiteRun: { status: ["unknown"], items: [BROKEN], attempts: [BROKEN] },
  Eval: { settings: [BROKEN, "null"] },
  ToolDeprecation: { deprecated: [BROKEN] },
  ToolApprovalMode: { mode: ["unknown"] },
  McpServerState: { tools: [BROKEN], changes: [BROKEN], protocol: ["unknown"] },
  ApiToken: { scopes: [BROKEN], tools: [BROKEN] },
  Setting: { value: [BROKEN] },
};

/** Copies the first row of a table, once for each damage. @returns how many */
function damage(raw: Database, table: string, columns: Record<string, readonly string[]>): number {
  const row = raw.prepare(`SELECT * FROM "${table}" LIMIT 1`).get() as Record<string, unknown> | undefined;
  if (row === undefined) return 0;
  let made = 0;
  for (const [column, values] of Object.entries(columns)) {
    for (const value of values) {
      made += 1;
      const copy: Record<string, unknown> = { ...row, [column]: value };
      for (const key of ["id", "name", "toolName", "key", "hash", "idHash"]) {
        if (key in copy && key !== column) copy[key] = `${String(copy[key])}${made}`;
      }
      delete copy.seq;
      const names = Object.keys(copy);
      raw
        .prepare(
          `INSERT INTO "${table}" (${names.map((each) => `"${each}"`).join()}) VALUES (${names.map(() => "?").join()})`,
        )
        .run(...Object.values(copy));
    }
  }
  return made;
}

it("a start and every list go on without rows that cannot be read, and Settings names them", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-damaged-"));
  const file = path.join(folder, "test.db");
  const env = readEnv({
    DATABASE_URL: `file:${file}`,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: path.join(folder, "none.json"),
  });
  const by = LOCAL_PRINCIPAL;
  const first = await createContainer(env);
  const { services } = first;
  const provider = {
    name: "acme",
    kind: "openai",
    baseUrl: "http://127.0.0.1:9/v1",
    apiKey: "k-123456",
    models: ["m"],
    prices: [],
  } as const;
  await services.models.createProvider(by, { ...provider, models: [...provider.models], prices: [] });
  await services.servers.create(by, { name: "files", transport: "stdio", command: "node", args: ["-e", "0"] }, false);
  const definition = {
    name: "own",
    description: "Own",
    parameters: { type: "object" },
    implementation: { type: "mock", mock_response: 1 },
  };
  await services.tools.create(by, JSON.stringify({ ...definition, type: "function", handler: "own" }));
  const talk = transcriptSettingsSchema.parse({ title: "Talk", provider: "demo", model: "demo" });
  await services.transcripts.create(by, talk);
  await services.tools.setApproval(by, "own", "always");
  await services.tools.setApproval(by, "own", null);
  await services.toolsets.create(by, toolsetInputSchema.parse({ name: "set", tools: ["own"] }));
  await services.executions.run(by, { tool: "own", argumentsText: "{}" });
  const settings = runSettingsSchema.parse({ provider: "demo", model: "demo", tools: { mode: "none" } });
  const { id: run } = await services.runs.start(by, { settings, text: "Hello" });
  await waitUntil(async () => (await services.runs.get(run)).status === "succeeded");
  await first.close();

  const raw = new Database(file);
  raw.pragma("foreign_keys = OFF");
  raw.prepare(`INSERT INTO "Setting" (key, value, "updatedAt") VALUES ('unknown', '${BROKEN}', 0)`).run();
  raw.prepare(`INSERT INTO "ToolDeprecation" ("toolName", deprecated) VALUES ('files__read', '{}')`).run();
  raw.prepare(`INSERT INTO "McpServerState" (name, tools, "listedAt") VALUES ('files', '[]', 1)`).run();
  const made = Object.entries(DAMAGES).map(([table, columns]) => [table, damage(raw, table, columns)] as const);
  raw.prepare(`UPDATE "RunEvent" SET body = ? WHERE "index" = 1`).run(BROKEN);
  raw.prepare(`UPDATE "ToolVersion" SET definition = ?`).run(BROKEN);
  raw.prepare(`UPDATE "Run" SET status = 'running' WHERE source = 'unknown' OR settings = ?`).run(BROKEN);
  raw.close();
  expect(made.filter(([, count]) => count > 0).length).toBeGreaterThanOrEqual(9);

  const second = await createContainer(env);
  onTestFinished(second.close);
  const read = second.services;
  expect(read.models.providers().items.map(({ name }) => name)).toContain("acme");
  expect(read.servers.list().items.map(({ name }) => name)).toEqual(["files"]);
  expect(read.toolsets.list().map(({ name }) => name)).toEqual(["set"]);
  expect(read.tools.list().items.map(({ name }) => name)).toContain("own");
  expect((await read.runs.list({}, undefined, 50)).items.map(({ id }) => id)).toEqual([run]);
  expect(await read.runs.get(run)).toMatchObject({ id: run });
  const { items } = await read.executions.list({}, undefined, 50);
  // Rows with a damaged status or source are skipped, the others are shown without what is damaged.
  expect(items.map(({ toolName }) => toolName)).toHaveLength(5);
  for (const { id } of items) expect(await read.executions.get(id)).toMatchObject({ id });
  await read.interactions.list();
  await read.approvals.list("open", undefined, 50);
  await read.suites.runs({});
  await read.suites.list();
  await read.tools.update(
    by,
    "own",
    JSON.stringify({ ...definition, description: "Newer", type: "function", handler: "own" }),
  );
  const { items: problems } = read.system.problems(0);
  const named = problems.map(({ error }) => /stored ([\w ]+) cannot be read/.exec(error)?.[1] ?? "tool");
  for (const kind of ["model provider", "server", "toolset", "tool", "run", "execution", "deprecation"]) {
    expect(named).toContain(kind);
  }
  expect(problems.find(({ error }) => error.includes("kind 'hologram'"))?.error).toContain("not known");

  // An admin deletes those of the kinds that have a name, and nothing else.
  const damaged = problems.flatMap(({ damaged: kind, name }) => (kind && name !== null ? [{ kind, name }] : []));
  expect(new Set(damaged.map(({ kind }) => kind)).size).toBe(4);
  for (const row of damaged) await callAs(second, by).system.deleteDamaged(row);
  await expect(read.system.deleteDamaged(by, damaged[0] as never)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(read.system.deleteDamaged(by, { kind: "toolset", name: "set" })).rejects.toThrow("is damaged");
  await expect(read.system.deleteDamaged(by, { kind: "tool", name: "own" })).rejects.toThrow("is damaged");
  expect(read.system.problems(0).items.filter((problem) => problem.damaged !== undefined)).toEqual([]);
  const { items: entries } = await read.auditLog.list(by, { action: ["system.deleteDamaged"] }, undefined, 50);
  expect(entries.length).toBeGreaterThanOrEqual(damaged.length);
  await second.close();
  const third = await createContainer(env);
  onTestFinished(third.close);
  expect(third.services.system.problems(0).items.filter((problem) => problem.damaged !== undefined)).toEqual([]);
  expect(third.services.toolsets.list().map(({ name }) => name)).toEqual(["set"]);
  expect(third.services.servers.list().items.map(({ name }) => name)).toEqual(["files"]);
  expect(third.services.models.providers().items.map(({ name }) => name)).toContain("acme");
});
