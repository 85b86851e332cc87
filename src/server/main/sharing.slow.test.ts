import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import Sqlite from "../../../scripts/sqlite.mjs";
import type { Principal } from "../../lib/contract/access";
import { callRuleInputSchema, toRuleInput } from "../../lib/contract/call-rule";
import {
  LIMIT_ACTIONS,
  LIMIT_KEYS,
  LIMIT_MEASURES,
  RESULT_PRESETS,
  RULE_DECISIONS,
  RULE_EFFECTS,
  RULE_STATES,
} from "../../lib/contract/call-rule-words";
import type { CatalogFile, ImportDecision } from "../../lib/contract/catalog-file";
import { ruleCaseInputSchema } from "../../lib/contract/rule-case";
import type { ToolDefinition } from "../../lib/contract/tool-definition";
import { toolsetInputSchema, toToolsetInput } from "../../lib/contract/toolset";
import { parseWithDigits } from "../../lib/json/number-digits";
import { placeEmptyDatabase } from "../platform/db/database.test-support";
import { AjvValidator } from "../platform/workers/ajv-validator";
import { callAs } from "./api/call-as";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

const ADMIN: Principal = { id: "ada", name: "Ada", role: "admin", token: null };
const EDITOR: Principal = { ...ADMIN, id: "eve", role: "editor" };
const SECRETS = ["planted-env-1f", "planted-header-2f", "planted-arg-3f", "planted-url-4f", "planted-client-5f"];
const ALL = { format: "catalogue", tools: null, servers: null, toolsets: null, versions: true } as const;
const open: Container[] = [];

async function start(): Promise<{ container: Container; raw: Sqlite }> {
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), "toolroom-sharing-")), "test.db");
  await placeEmptyDatabase(file);
  const container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${file}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
    }),
  );
  open.push(container);
  return { container, raw: new Sqlite(file) };
}
const closeAll = () => Promise.all(open.splice(0).map((container) => container.close()));

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does what ${name} does`,
  type: "function",
  handler: name,
  parameters: { type: "object", properties: { who: { type: "string" } } },
  implementation: { type: "mock", mock_response: name },
  ...more,
});
const buildFile = (part: Record<string, unknown>): string =>
  JSON.stringify({ toolroom: 1, exportedAt: "2026-01-01T00:00:00.000Z", ...part });
const toEntry = (definition: unknown, more: Record<string, unknown> = {}) => ({ definition, enabled: true, ...more });
const remote = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  enabled: false,
  approval: null,
  settings: { transport: "http", url: "https://example.com/mcp", headers: [], ...more },
});

/** Everything that an import could change, in the database and in memory. */
function snapshot({ services }: Container, raw: Sqlite): string {
  const tables = [
    "Tool",
    "McpServer",
    "McpServerState",
    "ToolApprovalMode",
    "DisabledTool",
    "ToolLens",
    "Toolset",
  ].concat(["OwnSkill", "SkillVersion", "SkillFile", "SkillBlob"]);
  const rows = tables.map((table) => raw.prepare(`SELECT * FROM "${table}" ORDER BY 1`).all());
  const tools = services.tools.list().items.map(({ name }) => services.tools.get(name));
  const servers = services.servers.list().items.map(({ name }) => services.servers.get(name).settings);
  const toolsets = services.toolsets.list().map(({ name }) => services.toolsets.get(name));
  return JSON.stringify([rows, tools, servers, toolsets, services.ownSkills.list()], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

async function importText(
  { services }: Container,
  text: string,
  decide: (preview: Awaited<ReturnType<Container["services"]["sharing"]["preview"]>>) => ImportDecision[] = () => [],
  actor = ADMIN,
) {
  const preview = await services.sharing.preview(actor, text);
  return services.sharing.import(actor, { text, digest: preview.digest, decisions: decide(preview) });
}

async function fill({ services }: Container): Promise<void> {
  await services.tools.create(
    ADMIN,
    JSON.stringify(tool("alpha", { tags: ["a", "b"], extension: { kept: [1, null] } })),
  );
  await services.tools.create(ADMIN, JSON.stringify(tool("beta", { description: "Second" })));
  await services.tools.setEnabled(ADMIN, "beta", false);
  await services.tools.setApproval(ADMIN, "alpha", "always");
  await services.servers.create(
    ADMIN,
    {
      name: "local",
      transport: "stdio",
      command: "node",
      approval: "always",
      args: ["--api-key", `sk-${SECRETS[2]}`, "plain"],
      env: [
        { name: "API_KEY", value: SECRETS[0] },
        { name: "REGION", value: `\${REGION}` },
      ],
    },
    false,
  );
  const auth = { type: "client_credentials", clientId: "us", clientSecret: SECRETS[4] };
  const headers = [{ name: "X-Key", value: SECRETS[1] }];
  const url = `https://example.com/mcp?token=${SECRETS[3]}`;
  await services.servers.create(ADMIN, { name: "remote", transport: "http", url, headers, auth }, false);
}

describe("an export", () => {
  afterEach(closeAll);

  it("gives the same definitions, switches and settings to an empty installation, and names the secrets to enter", async () => {
    const { container: from } = await start();
    await fill(from);
    const { text, tools, servers } = await from.services.sharing.export(ADMIN, ALL);
    expect({ tools: tools > 2, servers }).toEqual({ tools: true, servers: 2 });
    const { container: to } = await start();
    const { imported } = await importText(to, text);
    expect(imported.map(({ name }) => name).sort()).toEqual(["alpha", "beta", "local", "remote"]);
    for (const name of ["alpha", "beta"]) {
      const was = from.services.tools.get(name);
      const is = to.services.tools.get(name);
      expect(JSON.stringify(is.definition)).toBe(JSON.stringify(was.definition));
      expect([is.enabled, is.approval.mode]).toEqual([was.enabled, was.approval.mode]);
    }
    expect(imported.find(({ name }) => name === "local")).toMatchObject({ enabled: false, secrets: ["env.API_KEY"] });
    expect(imported.find(({ name }) => name === "remote")?.secrets).toEqual(["headers.X-Key", "auth.clientSecret"]);
    expect(to.services.servers.get("local").settings.approval).toBe("always");
    expect((await to.services.sharing.export(ADMIN, ALL)).text).toBe(text);
    expect((await to.services.sharing.preview(ADMIN, text)).entries.every(({ status }) => status === "same")).toBe(
      true,
    );
  });

  it("is fit for git: the same bytes elsewhere whatever the order of creation, and one line for an edit of one word", async () => {
    const { container: from } = await start();
    await fill(from);
    await from.services.servers.setEnabled(ADMIN, "remote", true);
    await from.services.tools.create(ADMIN, JSON.stringify(tool("Zeta", { description: "Sends one mail" })));
    await from.services.tools.create(ADMIN, JSON.stringify(tool("aardvark")));
    await from.services.tools.setLens(ADMIN, "remote__b", "items[].id").catch(() => undefined);
    const toolset = toolsetInputSchema.parse({ name: "mail", tools: ["aardvark"], servers: ["remote"] });
    await from.services.toolsets.create(ADMIN, toolset);
    const choice = { ...ALL, versions: false };
    const { text } = await from.services.sharing.export(ADMIN, choice);
    expect(text).not.toMatch(/exportedAt|versions/);
    const names = (JSON.parse(text) as CatalogFile).tools.map(({ definition }) => definition.name);
    expect(names).toEqual([...names].sort());
    const { container: to } = await start();
    const { tools, ...rest } = JSON.parse(text) as CatalogFile;
    // The same entries in another order, with a server that waits for its secrets.
    await importText(
      to,
      JSON.stringify({ ...rest, tools: [...tools].reverse(), servers: [...rest.servers].reverse() }),
    );
    expect((await to.services.sharing.export(ADMIN, choice)).text).toBe(text);
    expect(to.services.servers.get("remote").state).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("enter headers.X-Key, auth.clientSecret"),
    });
    await to.services.tools.update(ADMIN, "Zeta", JSON.stringify(tool("Zeta", { description: "Sends one letter" })));
    const before = text.split("\n");
    const after = (await to.services.sharing.export(ADMIN, choice)).text.split("\n");
    expect(after.filter((line, index) => line !== before[index])).toEqual([expect.stringContaining("one letter")]);
    expect(after).toHaveLength(before.length);
    const timed = JSON.parse((await to.services.sharing.export(ADMIN, { ...choice, exportedAt: true })).text);
    expect(Date.parse(timed.exportedAt)).toBeGreaterThan(0);
  });

  it("brings skills of the team along with all of their files, replaces and renames them, and names what is wrong with one of a file", async () => {
    const { container: from } = await start();
    const files = [
      { path: "SKILL.md", text: "---\nname: steps\ndescription: How to\n---\n\nOne.\n" },
      { path: "data.bin", base64: Buffer.from([0, 255, 254]).toString("base64") },
      { path: "references/ü.md", text: "Grüße" },
    ];
    await from.services.ownSkills.create(ADMIN, files);
    const { text, skills } = await from.services.sharing.export(ADMIN, { ...ALL, skills: null });
    expect(skills).toBe(1);
    expect((await from.services.sharing.export(ADMIN, ALL)).text).not.toContain('"skills"');
    const { container: to } = await start();
    await importText(to, text, undefined, EDITOR);
    const first = await from.services.ownSkills.get("steps");
    expect(await to.services.ownSkills.get("steps")).toMatchObject({
      digest: first.digest,
      files: first.files,
      updatedBy: "Ada",
    });
    expect((await to.services.sharing.export(ADMIN, { ...ALL, skills: null })).text).toBe(text);

    const changed = text.replace("One.", "Two.").replace("Grüße", "Gruß");
    const preview = await to.services.sharing.preview(EDITOR, changed);
    const [entry] = preview.entries.filter(({ kind }) => kind === "skill");
    expect(entry).toMatchObject({ status: "change", details: ["SKILL.md changed", "references/ü.md changed"] });
    const decide = (action: "replace" | "rename", name?: string) => ({
      kind: "skill" as const,
      position: 0,
      action,
      ...(name !== undefined && { name }),
    });
    const { digest } = preview;
    await to.services.sharing.import(EDITOR, { text: changed, digest, decisions: [decide("rename", "more-steps")] });
    expect((await to.services.ownSkills.get("more-steps")).files[0]?.text).toContain("name: more-steps\n");
    const again = await to.services.sharing.preview(EDITOR, changed);
    await to.services.sharing.import(EDITOR, { text: changed, digest: again.digest, decisions: [decide("replace")] });
    expect(await to.services.ownSkills.versions("steps")).toMatchObject([
      { version: 2, cause: "imported", by: "Ada" },
      { version: 1, cause: "imported" },
    ]);
    for (const [right, wrong, path] of [
      ["references/ü.md", "../ü.md", "../ü.md"],
      ["name: steps", "name: other", "name"],
      ['"path": "data.bin",', '"path": "data.bin", "text": "x",', 'files: "data.bin"'],
    ] as const) {
      const { entries } = await to.services.sharing.preview(ADMIN, text.replace(right, wrong));
      const [refused] = entries.filter(({ kind }) => kind === "skill");
      expect(refused).toMatchObject({ status: "invalid", problems: [{ path }] });
    }
  });

  it("brings the rules for calls along in their order, within the rights of who imports them", async () => {
    const { container: from } = await start();
    const rules = [
      { name: "Z first", condition: "args.who == 'x'", effect: { kind: "deny", reason: "no" } },
      { name: "A second", state: "record", scope: { tools: ["al*"] }, effect: { kind: "ask" } },
    ].map((rule) => callRuleInputSchema.parse(rule));
    for (const rule of rules) await from.services.rules.create(ADMIN, rule);
    const { text } = await from.services.sharing.export(ADMIN, { ...ALL, rules: null });
    const { container: to } = await start();
    await importText(to, text, undefined, EDITOR);
    expect((await to.services.rules.list()).map(({ name }) => name)).toEqual(["Z first", "A second"]);
    expect((await to.services.sharing.export(ADMIN, { ...ALL, rules: null })).text).toBe(text);
    const allowing = text.replace('"kind": "deny",', '"kind": "allow"').replace(/\s*"reason": "no"/, "");
    const [changed] = (await to.services.sharing.preview(EDITOR, allowing)).entries.filter(
      ({ kind }) => kind === "rule",
    );
    expect(changed).toMatchObject({ status: "change", details: ["effect changed"], needs: "administer" });
    expect(changed?.denied).toContain("admin");
    const broken = text.replace("args.who == 'x'", "args.who ==");
    const [refused] = (await to.services.sharing.preview(ADMIN, broken)).entries.filter(({ kind }) => kind === "rule");
    expect(refused).toMatchObject({ status: "invalid", problems: [{ path: "condition" }] });
  });

  it("brings rules that limit, price, ask hooks, route and search results along as they are, and names what is wrong with one of a file", async () => {
    const { container: from } = await start();
    const limits = LIMIT_MEASURES.flatMap((measure) =>
      LIMIT_ACTIONS.map((action) => ({
        kind: "limit",
        measure,
        action,
        most: measure === "money" ? 0.25 : 10,
        minutes: 44_640,
        per: [...LIMIT_KEYS],
        approver: "other_admin",
        waitSeconds: 3_600,
      })),
    );
    const others = [
      { kind: "price", price: "0.02" },
      { kind: "price", price: "result.structured.tokens * 0.001 + (count(60) > 5 ? 1.0 : 0.0)" },
      {
        kind: "redact",
        paths: ["result.items[*].email"],
        presets: [...RESULT_PRESETS],
        patterns: ["INV-[0-9]{6}, or so"],
      },
      { kind: "block", reason: "no", presets: ["card"], patterns: ["a\\d+"] },
      { kind: "block", reason: "as it is" },
      { kind: "hook", url: "https://hooks.example.com/calls", arguments: "none", onFailure: "allow" },
      { kind: "route", tool: "get_weather" },
    ];
    const all = [...limits, ...others].map((effect, index) =>
      callRuleInputSchema.parse({ name: `Rule ${index}`, state: RULE_STATES[index % 3], fallback: "match", effect }),
    );
    expect(new Set(all.map(({ effect }) => effect.kind))).toEqual(
      new Set(RULE_EFFECTS.filter((kind) => !RULE_DECISIONS.some((decision) => decision === kind))),
    );
    for (const rule of all) await from.services.rules.create(ADMIN, rule);
    const { text } = await from.services.sharing.export(ADMIN, { ...ALL, rules: null });
    const { container: to } = await start();
    await importText(to, text, undefined, ADMIN);
    expect((await to.services.rules.list()).map(toRuleInput)).toEqual(all);
    expect((await to.services.sharing.export(ADMIN, { ...ALL, rules: null })).text).toBe(text);
    for (const [right, wrong, path] of [
      ['"price": "0.02"', '"price": "args."', "effect.price"],
      ["INV-[0-9]{6}, or so", "INV-[0-9", "effect.patterns[0]"],
      ["result.items[*].email", "items[", "effect.paths[0]"],
      ['"most": 0.25', '"most": -1', "effect.most"],
      ['"minutes": 44640', '"minutes": 44641', "effect.minutes"],
    ] as const) {
      expect(text).toContain(right);
      const { entries } = await to.services.sharing.preview(ADMIN, text.replace(right, wrong));
      const [refused] = entries.filter(({ kind, status }) => kind === "rule" && status === "invalid");
      expect(refused?.problems.map((problem) => problem.path)).toEqual([path]);
    }
  });

  it("brings the cases of rules along, with all digits, beside the rules that are imported under another name", async () => {
    const { container: from } = await start();
    const denial = {
      name: "No 42",
      condition: "args.id == 9054686819491029395",
      effect: { kind: "deny", reason: "no" },
    };
    await from.services.rules.create(ADMIN, callRuleInputSchema.parse(denial));
    const call = parseWithDigits('{"tool":"alpha","arguments":{"id":9054686819491029395,"rate":1.0},"source":"api"}');
    const cases = [
      { name: "Zero", call: { tool: "alpha" }, expect: { outcome: "none" } },
      { name: "An id", call, expect: { outcome: "deny", rule: "No 42" } },
    ].map((each) => ruleCaseInputSchema.parse(each));
    for (const each of cases) await from.services.ruleCases.create(ADMIN, each);
    const { text } = await from.services.sharing.export(ADMIN, { ...ALL, rules: null });
    expect(text).toContain('"id": 9054686819491029395,\n          "rate": 1.0');
    const part = JSON.parse((await from.services.sharing.export(ADMIN, { ...ALL, rules: ["no 42"] })).text);
    expect(part.ruleCases.map(({ name }: { name: string }) => name)).toEqual(["An id"]);

    const { container: to } = await start();
    await importText(to, text, undefined, EDITOR);
    expect((await to.services.sharing.export(ADMIN, { ...ALL, rules: null })).text).toBe(text);
    const again = await to.services.sharing.preview(EDITOR, text.replace('"rate": 1.0', '"rate": 1.00'));
    expect(again.entries.flatMap(({ kind, details }) => (kind === "case" ? details : []))).toEqual(["call changed"]);

    const { container: other } = await start();
    await other.services.rules.create(ADMIN, callRuleInputSchema.parse({ ...denial, condition: "" }));
    await importText(other, text, () => [{ kind: "rule", position: 0, action: "rename", name: "No 43" }], EDITOR);
    expect(other.services.ruleCases.findNamed("an ID")?.expect).toEqual({ outcome: "deny", rule: "No 43" });

    const masked = JSON.stringify({
      toolroom: 1,
      ruleCases: [{ ...cases[0], call: { tool: "alpha", arguments: { who: "[masked:0123456789ab]" } } }, 7],
    });
    const refused = await to.services.sharing.preview(EDITOR, masked);
    expect(refused.entries.map(({ status, problems }) => [status, problems[0]?.path])).toEqual([
      ["invalid", "call.arguments.who"],
      ["invalid", ""],
    ]);
  });

  it("brings the history of a new tool along, under the name it gets, and leaves a known tool's history alone", async () => {
    const { container: from } = await start();
    const gamma = (description: string) => JSON.stringify(tool("gamma", { description }));
    await from.services.tools.create(ADMIN, gamma("First"));
    await from.services.tools.update(ADMIN, "gamma", gamma("Second"));
    await from.services.tools.update(ADMIN, "gamma", JSON.stringify(tool("delta", { description: "Third" })));
    const { text } = await from.services.sharing.export(ADMIN, { ...ALL, tools: ["delta"], servers: [] });
    const { container: to } = await start();
    const preview = await to.services.sharing.preview(EDITOR, text);
    expect(preview.entries[0]?.notes).toEqual(["2 earlier versions will be in its history"]);
    await importText(to, text, () => [{ kind: "tool", position: 0, action: "rename", name: "epsilon" }], EDITOR);
    const { items } = await to.services.tools.versions("epsilon", null);
    expect(items.map(({ number, cause, actor }) => [number, cause, actor?.id])).toEqual([
      ...[3, 2, 1].map((number) => [number, "imported", EDITOR.id]),
    ]);
    const was = await from.services.tools.versions("delta", null);
    expect(items.at(-1)?.at).toBe(was.items.at(-1)?.at);
    expect((await to.services.tools.version("epsilon", 1, null)).definition.description).toBe("First");

    const changed = text.replaceAll("Third", "Fourth");
    await importText(from, changed, () => [{ kind: "tool", position: 0, action: "replace" }]);
    const after = await from.services.tools.versions("delta", null);
    expect(after.items.map(({ cause }) => cause)).toEqual(["imported", "edited", "edited", "created"]);
  });

  it("carries lenses with their tools and servers, and a file without one leaves the lens as it is", async () => {
    const { container: from } = await start();
    await fill(from);
    await from.services.tools.setLens(ADMIN, "alpha", "items[].id");
    const exported = JSON.parse((await from.services.sharing.export(ADMIN, ALL)).text) as CatalogFile;
    expect(exported.tools.map(({ lens }) => lens)).toContain("items[].id");
    for (const server of exported.servers) server.lenses = { list: "rows[].name" };
    const { container: to } = await start();
    await importText(to, JSON.stringify(exported));
    expect(to.services.tools.getLens("alpha")).toMatchObject({ expression: "items[].id", by: { id: ADMIN.id } });
    expect(to.services.tools.getLens("local__list")?.expression).toBe("rows[].name");
    const changed = buildFile({ tools: [toEntry(tool("alpha", { description: "Changed" }), { approval: "always" })] });
    const { entries } = await to.services.sharing.preview(ADMIN, changed);
    expect(entries[0]?.details.some((detail) => detail.includes("lens"))).toBe(false);
    await importText(to, changed, () => [{ kind: "tool", position: 0, action: "replace" }]);
    expect(to.services.tools.getLens("alpha")?.expression).toBe("items[].id");
    const broken = buildFile({ tools: [toEntry(tool("new"), { lens: "items[" })] });
    expect((await to.services.sharing.preview(ADMIN, broken)).entries[0]).toMatchObject({
      status: "invalid",
      problems: [{ path: "lens" }],
    });
  });

  it("carries toolsets, which follow the new names of tools and servers that the file brings", async () => {
    const { container: from } = await start();
    await fill(from);
    await from.services.toolsets.create(ADMIN, {
      name: "support",
      title: "Support",
      description: "",
      discovery: true,
      askReason: true,
      tools: ["alpha", "local__read", "get_weather"],
      servers: ["local"],
      patterns: ["local__*"],
      contents: ["local"],
      pinned: ["alpha"],
      overrides: [{ tool: "alpha", name: "first", arguments: [{ name: "who", mode: "fixed", value: "Ada" }] }],
    });
    const { text, toolsets } = await from.services.sharing.export(ADMIN, ALL);
    expect(toolsets).toBe(1);
    const { container: to, raw } = await start();
    await importText(to, text);
    const original = toToolsetInput(from.services.toolsets.get("support"));
    expect(to.services.toolsets.get("support")).toMatchObject(original);
    expect((await to.services.sharing.preview(ADMIN, text)).entries.every(({ status }) => status === "same")).toBe(
      true,
    );
    const file = JSON.parse(text) as CatalogFile;
    const [alpha] = file.tools.filter(({ definition }) => definition.name === "alpha");
    const [local] = file.servers;
    const renames = buildFile({
      tools: [{ ...alpha, definition: { ...alpha?.definition, description: "Another" } }],
      servers: [{ ...local, settings: { ...local?.settings, title: "Another" } }],
      toolsets: file.toolsets,
    });
    await importText(to, renames, () => [
      { kind: "tool", position: 0, action: "rename", name: "alpha_2" },
      { kind: "server", position: 0, action: "rename", name: "local-2" },
      { kind: "toolset", position: 0, action: "skip" },
    ]);
    const again = renames.replaceAll('"Support"', '"Support 2"');
    const before = snapshot(to, raw);
    raw.exec(`CREATE TRIGGER fail BEFORE UPDATE ON "Toolset" BEGIN SELECT RAISE(ABORT, 'injected'); END`);
    const decisions: ImportDecision[] = [
      { kind: "tool", position: 0, action: "rename", name: "alpha_3" },
      { kind: "server", position: 0, action: "rename", name: "local-3" },
      { kind: "toolset", position: 0, action: "replace" },
    ];
    await expect(importText(to, again, () => decisions)).rejects.toThrow(/injected/);
    expect(snapshot(to, raw)).toBe(before);
    raw.exec("DROP TRIGGER fail");
    await importText(to, again, () => decisions);
    expect(to.services.toolsets.get("support")).toMatchObject({
      title: "Support 2",
      servers: ["local-3"],
      contents: ["local-3"],
      patterns: ["local-3__*"],
      tools: ["alpha_3", "local-3__read", "get_weather"],
      pinned: ["alpha_3"],
      overrides: [{ tool: "alpha_3", name: "first" }],
    });
  });

  it("refuses a file whose servers have more than 10,000 lenses together", async () => {
    const { container } = await start();
    const lenses = Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`tool_${index}`, "a"]));
    const servers = ["one", "two"].map((name) => ({ name, settings: { transport: "stdio", command: "node" }, lenses }));
    const { entries, problems } = await container.services.sharing.preview(
      ADMIN,
      JSON.stringify({ toolroom: 1, servers }),
    );
    expect(entries).toEqual([]);
    expect(problems).toEqual(["servers: have 10002 lenses, more than the 10000 allowed: remove some"]);
  });

  it("a preview tells how many of the entries it has compared, and ends where nobody reads it any more", async () => {
    const { container } = await start();
    const properties = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`p${index}`, { type: "string", pattern: `^[a-z]{1,${index + 1}}$` }]),
    );
    const tools = Array.from({ length: 200 }, (_, index) =>
      toEntry(tool(`t${index}`, { parameters: { type: "object", properties } })),
    );
    const { preview } = container.services.sharing;
    const counts: number[] = [];
    const { entries } = await preview(ADMIN, buildFile({ tools }), ({ done, total }) => {
      expect(total).toBe(200);
      counts.push(done);
    });
    expect(entries.map(({ status }) => status)).toEqual(tools.map(() => "add"));
    expect(counts.length).toBeGreaterThan(1);
    expect(counts).toEqual([...counts].sort((one, other) => one - other));
    const left = preview(ADMIN, buildFile({ tools }), () => {
      throw new Error("The caller disconnected");
    });
    await expect(left).rejects.toThrow("The caller disconnected");
  });

  it("has at most 20 earlier versions of a tool, and an import leaves out what is no definition", async () => {
    const { container } = await start();
    for (let number = 0; number <= 25; number += 1) {
      const text = JSON.stringify(tool("often", { description: `Edit ${number}` }));
      await (number === 0
        ? container.services.tools.create(ADMIN, text)
        : container.services.tools.update(ADMIN, "often", text));
    }
    const choice = { ...ALL, tools: ["often"], servers: [] };
    const { text, notes } = await container.services.sharing.export(ADMIN, choice);
    const [entry] = (JSON.parse(text) as CatalogFile).tools;
    expect(entry?.versions?.map(({ definition }) => definition.description)).toEqual(
      Array.from({ length: 20 }, (_, index) => `Edit ${index + 5}`),
    );
    expect(notes).toEqual(["A file holds 20 earlier versions of a tool: older ones were left out"]);
    const broken = [
      { definition: { name: 1, parameters: [] }, at: 5 },
      { definition: tool("x"), at: 9e15 },
    ];
    const file = buildFile({ tools: [toEntry(tool("new_one"), { versions: broken })] });
    const { entries } = await container.services.sharing.preview(ADMIN, file);
    expect(entries[0]?.notes).toEqual([
      "1 earlier version will be in its history",
      "1 earlier version will be left out: no valid definition",
    ]);
    await importText(container, file);
    const { items } = await container.services.tools.versions("new_one", null);
    expect(items).toHaveLength(2);
    expect(Math.max(...items.map(({ at }) => at))).toBeLessThanOrEqual(Date.now());
    const many = Array.from({ length: 101 }, (_, index) =>
      toEntry(tool(`t${index}`), { versions: Array(20).fill({ definition: tool("x"), at: 1 }) }),
    );
    expect((await container.services.sharing.preview(ADMIN, buildFile({ tools: many }))).problems).toEqual([
      "tools: have 2020 earlier versions, more than the 2000 allowed: remove some",
    ]);
  });

  it("holds no secret of a server in either format; references take their places", async () => {
    const { container } = await start();
    await fill(container);
    for (const format of ["catalogue", "mcp"] as const) {
      const { text } = await container.services.sharing.export(ADMIN, { ...ALL, format });
      for (const secret of SECRETS) expect(text).not.toContain(secret);
    }
    const { text } = await container.services.sharing.export(ADMIN, { ...ALL, format: "mcp" });
    const { mcpServers } = JSON.parse(text);
    expect(mcpServers.local.env).toEqual({ API_KEY: `\${API_KEY}`, REGION: `\${REGION}` });
    expect(mcpServers.remote.headers).toEqual({ "X-Key": `\${REMOTE_X_KEY}` });
    const { entries, format } = await container.services.sharing.preview(ADMIN, text);
    expect(format).toBe("servers");
    expect(entries.map(({ name, status }) => [name, status])).toEqual([
      ["local", "change"],
      ["remote", "change"],
    ]);
  });
});

describe("a preview", () => {
  afterEach(closeAll);

  it("tells additions, changes with what breaks, conflicts and invalid entries by path", async () => {
    const { container } = await start();
    await fill(container);
    const parameters = { type: "object", properties: { who: { type: "integer" } }, required: ["who"] };
    const weather = { ...container.services.tools.get("get_weather").definition, description: "Another one" };
    const text = buildFile({
      tools: [
        toEntry(tool("gamma")),
        toEntry(tool("beta", { parameters })),
        toEntry(weather),
        toEntry({ ...tool("bad"), parameters: { type: "string" } }),
        toEntry(tool("gamma")),
        { definition: tool("extra"), owner: "x" },
      ],
    });
    const { entries } = await container.services.sharing.preview(ADMIN, text);
    expect(entries.map(({ status }) => status)).toEqual(["add", "change", "conflict", "invalid", "invalid", "invalid"]);
    expect(entries[1]).toMatchObject({ breaking: true });
    expect(entries[1]?.details).toContain("it is enabled");
    expect(entries[2]?.conflict).toMatch(/toolroom\.example\.json/);
    expect(entries[3]?.problems[0]?.path).toBe("definition.parameters.type");
    expect(entries[4]?.problems[0]?.message).toMatch(/more than once/);
    expect(entries[5]?.problems[0]?.message).toMatch(/owner/);
  });

  it("refuses other versions and unknown sections of the file, and names them", async () => {
    const { container } = await start();
    const { sharing } = container.services;
    expect((await sharing.preview(ADMIN, '{"toolroom":2}')).problems[0]).toMatch(/update Toolroom/);
    expect((await sharing.preview(ADMIN, buildFile({ cassettes: [] }))).problems[0]).toMatch(/^cassettes: /);
    expect((await sharing.preview(ADMIN, buildFile({ tools: {} }))).problems[0]).toMatch(/^tools: must be a list/);
    expect((await sharing.preview(ADMIN, '{"toolroom":1,"tools":[')).problems[0]).toMatch(/not JSON/);
    await expect(importText(container, buildFile({ cassettes: [] }))).rejects.toThrow(/cassettes/);
  });

  it("says which entries an editor may not import, and the import refuses them", async () => {
    const { container, raw } = await start();
    const text = buildFile({
      tools: [toEntry(tool("plain"))],
      servers: [remote("web"), remote("vars", { url: `https://\${HOST}/mcp` })],
    });
    const { entries } = await container.services.sharing.preview(EDITOR, text);
    expect(entries.map(({ denied }) => denied === null)).toEqual([true, true, false]);
    const before = snapshot(container, raw);
    await expect(importText(container, text, () => [], EDITOR)).rejects.toMatchObject({ code: "DENIED" });
    expect(snapshot(container, raw)).toBe(before);
    const unasked = buildFile({ toolsets: [{ name: "free", overrides: [{ tool: "alpha", approval: "never" }] }] });
    const refused = (await container.services.sharing.preview(EDITOR, unasked)).entries[0];
    expect([refused?.needs, refused?.denied === null]).toEqual(["administer", false]);
    expect(refused?.notes).toEqual(["approval: calls of 'alpha' will not require approval"]);
    await expect(importText(container, unasked, () => [], EDITOR)).rejects.toMatchObject({ code: "DENIED" });
    const unknown = buildFile({ toolsets: [{ name: "new", overrides: [{ tool: "alpha", quota: 5 }] }] });
    expect((await container.services.sharing.preview(ADMIN, unknown)).entries[0]?.problems[0]?.message).toMatch(
      /quota/,
    );
    await importText(container, text, () => [{ kind: "server", position: 1, action: "skip" }], EDITOR);
    expect(container.services.servers.list().items.map(({ name }) => name)).toEqual(["web"]);
  });
});

describe("an import", () => {
  afterEach(closeAll);

  it("changes who approves the calls of a name for admins alone, with an audit entry of its own", async () => {
    const { container } = await start();
    const { services } = container;
    await services.tools.create(ADMIN, JSON.stringify(tool("wire")));
    await services.tools.create(ADMIN, JSON.stringify(tool("gone")));
    for (const name of ["wire", "gone"]) await services.tools.setApproval(ADMIN, name, "admin");
    await services.tools.delete(EDITOR, "gone");
    const text = (approval: string | null, ...names: string[]) =>
      buildFile({ tools: names.map((name) => toEntry(tool(name, { title: "New" }), { approval })) });
    const replace = (action: ImportDecision["action"], name?: string) => (): ImportDecision[] => [
      { kind: "tool", position: 0, action, ...(name === undefined ? {} : { name }) },
    ];
    const attempts: [string, ReturnType<typeof replace>][] = [
      [text(null, "wire"), replace("replace")],
      [text("never", "gone"), replace("add")],
      [text(null, "free"), replace("rename", "gone")],
      [text("other_admin", "free"), replace("add")],
    ];
    for (const [given, decide] of attempts) {
      await expect(importText(container, given, decide, EDITOR)).rejects.toMatchObject({ code: "DENIED" });
    }
    const { entries } = await services.sharing.preview(EDITOR, text(null, "wire", "gone", "free"));
    expect(entries.map(({ needs, denied }) => [needs, denied === null])).toEqual([
      ["administer", false],
      ["administer", false],
      ["edit", true],
    ]);
    expect(entries[1]?.details).toEqual(["the approval setting of the name changes from admin to default"]);
    await importText(container, text("admin", "gone"), replace("add"), EDITOR);
    expect(services.tools.get("gone").approval.mode).toBe("admin");
    const lifted = text(null, "wire");
    const { digest } = await services.sharing.preview(ADMIN, lifted);
    await callAs(container, ADMIN).sharing.import({ text: lifted, digest, decisions: replace("replace")() });
    expect(services.tools.get("wire").approval.mode).toBeNull();
    const { items } = await services.auditLog.list(ADMIN, { action: ["tools.setApproval"] }, undefined, 10);
    expect(items[0]).toMatchObject({ target: { name: "wire" }, outcome: "done" });
    expect(JSON.parse(items[0]?.before ?? "null")).toEqual({ approval: { mode: "admin" } });
  });

  it("keeps the approvers of a deleted server's tools when it brings a server of its name", async () => {
    const { container, raw } = await start();
    const write = raw.prepare('INSERT INTO "ToolApprovalMode" (name, mode, "setAt") VALUES (?, ?, 1)');
    for (const [name, mode] of Object.entries({ bank__wire: "other_admin", bank__read: "never" }))
      write.run(name, mode);
    await importText(container, buildFile({ servers: [remote("bank")] }), () => [], EDITOR);
    expect(container.services.tools.keptApprovals()).toEqual([{ name: "bank__wire", mode: "other_admin" }]);
  });

  it("replaces and renames as decided, keeps stored secrets, and calls run the new definition", async () => {
    const { container } = await start();
    await fill(container);
    const { settings } = container.services.servers.get("local");
    const { name: _name, approval: _approval, ...kept } = settings;
    const text = buildFile({
      tools: [
        toEntry(tool("alpha", { implementation: { type: "mock", mock_response: "new" } })),
        toEntry({ ...container.services.tools.get("get_weather").definition, description: "Mine" }),
      ],
      servers: [{ name: "local", enabled: false, approval: null, settings: { ...kept, title: "Renewed" } }],
    });
    await expect(importText(container, text)).rejects.toThrow(/tools\.alpha: decide.*servers\.local: decide/s);
    const outcome = await importText(container, text, () => [
      { kind: "tool", position: 0, action: "replace" },
      { kind: "tool", position: 1, action: "rename", name: "my_weather" },
      { kind: "server", position: 0, action: "replace" },
    ]);
    expect(outcome.imported.map(({ name, action }) => [name, action])).toEqual([
      ["alpha", "replaced"],
      ["my_weather", "added"],
      ["local", "replaced"],
    ]);
    expect(outcome.imported[2]?.secrets).toEqual([]);
    const newest = async (name: string) => (await container.services.tools.versions(name, null)).items[0];
    expect(await newest("alpha")).toMatchObject({ number: 2, cause: "imported", actor: { id: ADMIN.id } });
    expect(await newest("my_weather")).toMatchObject({ number: 1, cause: "imported", actor: { id: ADMIN.id } });
    expect(container.services.tools.get("my_weather").owner?.id).toBe(ADMIN.id);
    expect(container.services.servers.get("local").settings.title).toBe("Renewed");
    await container.services.tools.setApproval(ADMIN, "alpha", "never");
    const ran = await container.services.executions.run(ADMIN, { tool: "alpha", argumentsText: "{}" });
    expect(ran.resultText).toBe('"new"');
  });

  it("is refused when file or catalog changed since the preview", async () => {
    const { container, raw } = await start();
    await fill(container);
    const text = buildFile({ tools: [toEntry(tool("beta", { description: "Imported" }))] });
    const { digest } = await container.services.sharing.preview(ADMIN, text);
    const decisions = [{ kind: "tool", position: 0, action: "replace" }] as const;
    await container.services.tools.update(ADMIN, "beta", JSON.stringify(tool("beta", { description: "Edited" })));
    const before = snapshot(container, raw);
    const refused = container.services.sharing.import(ADMIN, { text, digest, decisions });
    await expect(refused).rejects.toThrow(/changed since the preview/);
    const fresh = await container.services.sharing.preview(ADMIN, text);
    // Another process changed the row: memory does not know yet.
    raw.prepare(`UPDATE "Tool" SET definition = ? WHERE name = 'beta'`).run(JSON.stringify(tool("beta")));
    const changed = snapshot(container, raw);
    const outdated = container.services.sharing.import(ADMIN, { text, digest: fresh.digest, decisions });
    await expect(outdated).rejects.toMatchObject({ code: "CONFLICT" });
    expect(snapshot(container, raw)).toBe(changed);
    expect(changed).not.toBe(before);
  });

  it("leaves everything as it was when a write in the middle of the transaction fails", async () => {
    const { container, raw } = await start();
    await fill(container);
    raw.exec(`CREATE TRIGGER fail BEFORE INSERT ON "Tool" WHEN NEW.name = 'third'
      BEGIN SELECT RAISE(ABORT, 'injected'); END`);
    const before = snapshot(container, raw);
    const names = ["first", "second", "third", "fourth"];
    const text = buildFile({
      tools: [
        ...names.map((name) => toEntry(tool(name), { approval: "never" })),
        toEntry(tool("beta", { title: "B" })),
      ],
      servers: [remote("early")],
    });
    const replace: ImportDecision[] = [{ kind: "tool", position: 4, action: "replace" }];
    await expect(importText(container, text, () => replace)).rejects.toThrow(/injected/);
    expect(snapshot(container, raw)).toBe(before);
    raw.exec("DROP TRIGGER fail");
    const { imported } = await importText(container, text, () => replace);
    expect(imported).toHaveLength(6);
    expect(container.services.tools.get("third").approval.mode).toBe("never");
  });
});

describe("random and hostile files", () => {
  let container: Container;
  let raw: Sqlite;
  beforeAll(async () => {
    ({ container, raw } = await start());
    await fill(container);
  });
  afterAll(closeAll);

  const names = fc.constantFrom("alpha", "beta", "get_weather", "n1", "n2", "constructor", "__proto__", "bad name", "");
  const part = fc.oneof(fc.jsonValue(), fc.constant({ type: "object", properties: {} }));
  const tools = fc.record({
    definition: fc.oneof(
      { weight: 4, arbitrary: names.map((name) => tool(name)) },
      fc.record({ name: names, description: fc.string(), parameters: part, implementation: part, tags: part }),
      fc.jsonValue(),
    ),
    enabled: fc.oneof({ weight: 5, arbitrary: fc.boolean() }, fc.jsonValue()),
    approval: fc.constantFrom("always", "never", null, "x"),
  });
  const toolsets = fc.oneof(
    names.map((name) => ({ name, tools: [name] })),
    fc.record({ name: names, overrides: part, patterns: part, unknown: part }),
    fc.jsonValue(),
  );
  const skills = fc.oneof(
    fc.constantFrom("alpha", "n1", "n2", "Bad name").map((name) => ({
      name,
      files: [
        { path: "SKILL.md", text: `---\nname: ${name}\ndescription: x\n---\n` },
        { path: "more.bin", base64: "AP8=" },
      ],
    })),
    fc.record({ name: names, files: fc.array(fc.record({ path: fc.string(), text: fc.string() }), { maxLength: 3 }) }),
    fc.jsonValue(),
  );
  const servers = fc.oneof(
    names.map((name) => remote(name)),
    fc.record({ name: names, settings: fc.jsonValue() }),
  );
  const decision = fc.record({
    kind: fc.constantFrom("tool" as const, "server" as const, "toolset" as const, "skill" as const),
    position: fc.nat(5),
    action: fc.constantFrom("skip" as const, "add" as const, "replace" as const, "rename" as const),
    name: names,
  });

  it("are imported whole as decided, or change nothing in database and memory", async () => {
    let accepted = 0;
    const files = fc.record({
      tools: fc.array(tools, { maxLength: 4 }),
      servers: fc.array(servers, { maxLength: 2 }),
      toolsets: fc.array(toolsets, { maxLength: 2 }),
      skills: fc.array(skills, { maxLength: 2 }),
    });
    const property = fc.asyncProperty(files, fc.array(decision, { maxLength: 8 }), async (file, decisions) => {
      const text = buildFile(file);
      const before = snapshot(container, raw);
      try {
        const { imported } = await importText(container, text, () => decisions);
        accepted += 1;
        for (const { kind, name } of imported) {
          if (kind === "skill") expect(container.services.ownSkills.has(name)).toBe(true);
          else if (kind !== "case") expect(container.services[`${kind}s`].get(name)).toBeDefined();
        }
        if (imported.length === 0) expect(snapshot(container, raw)).toBe(before);
      } catch (error) {
        expect(error).toMatchObject({ name: "AppError" });
        expect(snapshot(container, raw)).toBe(before);
      }
    });
    await fc.assert(property, { numRuns: 150 });
    expect(accepted).toBeGreaterThan(0);
  });

  it("of any text change nothing, pollute nothing and are refused with a reason", async () => {
    const before = snapshot(container, raw);
    const hostile = [
      "",
      "[".repeat(200_000),
      `{"toolroom":1,"tools":${"[".repeat(150_000)}${"]".repeat(150_000)}}`,
      '{"toolroom":1,"__proto__":{"polluted":1}}',
      '{"toolroom":1,"tools":[{"definition":{"__proto__":{"name":"x"}},"__proto__":1}]}',
      `{"toolroom":1,"tools":[${Array.from({ length: 2001 }, () => "{}").join(",")}]}`,
      buildFile({ tools: [toEntry(JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`))] }),
    ];
    for (const text of hostile) {
      const { entries, problems } = await container.services.sharing.preview(ADMIN, text);
      expect(problems.length > 0 || entries.every(({ status }) => status === "invalid")).toBe(true);
      if (entries.length > 0) await expect(importText(container, text)).rejects.toMatchObject({ name: "AppError" });
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), async (text) => {
        const { digest, entries } = await container.services.sharing.preview(ADMIN, text);
        if (entries.length === 0)
          await container.services.sharing.import(ADMIN, { text, digest, decisions: [] }).catch(() => 0);
      }),
      { numRuns: 60 },
    );
    expect(snapshot(container, raw)).toBe(before);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

it("a preview compiles no schema, since thousands of them take a minute, and names a wrong one", async () => {
  const { container } = await start();
  const checks = vi.spyOn(AjvValidator.prototype, "checkSchema");
  const parameters = { type: "object", properties: { code: { type: "string", pattern: "^[a-z]{3}$" } } };
  const wrong = { type: "object", properties: { code: { type: "text" } } };
  const tools = [toEntry(tool("right", { parameters })), toEntry(tool("wrong", { parameters: wrong }))];
  const { entries } = await container.services.sharing.preview(ADMIN, buildFile({ tools, servers: [] }));
  expect(entries.map(({ name, status }) => [name, status])).toEqual([
    ["right", "add"],
    ["wrong", "invalid"],
  ]);
  expect(checks.mock.calls.length).toBeGreaterThanOrEqual(2);
  expect(checks.mock.calls.filter(([, options]) => options?.compile === true)).toEqual([]);
  checks.mockRestore();
  await closeAll();
});
