import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import type { ReviewedChange } from "../../lib/contract/change-review";
import type { ServerSettingsInput } from "../../lib/contract/server";
import { waitUntil } from "../../lib/wait-until.test-support";
import { runWords, serveRest } from "../cli/commands.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";
import { callAs } from "./api/call-as";
import { createRestClient } from "./api/rest/rest.test-support";

type Tool = Record<string, unknown> & { name: string; inputSchema: Schema; outputSchema?: Schema };
interface Schema {
  properties: Record<string, Record<string, unknown>>;
  required?: string[];
}

const COPY = path.resolve("e2e/support/mcp-servers/changed-copy.mjs");
const SERVERS = "node_modules/@modelcontextprotocol";

let toolroom: GatewayContainer;
let folder: string;
const services = () => toolroom.container.services;
const run = async (tool: string, args: object) =>
  await services().executions.run(LOCAL_PRINCIPAL, { tool, argumentsText: JSON.stringify(args) });

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "changed-"));
  writeFileSync(path.join(folder, "a.txt"), "Apples");
  writeFileSync(path.join(folder, "b.txt"), "Bananas");
  toolroom = await startGatewayContainer(await newDatabaseUrl());
});
afterAll(() => toolroom.stop());

const toSettings = (name: string, args: string[], changedTools = "review") =>
  ({
    name,
    transport: "stdio",
    command: process.execPath,
    args,
    changedTools,
    approval: "never",
  }) as ServerSettingsInput;
const isConnected = (name: string) => services().servers.get(name).state.status === "connected";

async function add(name: string, args: string[]): Promise<void> {
  await services().servers.create(LOCAL_PRINCIPAL, toSettings(name, args));
  await waitUntil(() => isConnected(name) && services().servers.get(name).toolCount > 0);
}

/** The list as the server sent it, by name. */
function readTools(name: string): Map<string, Tool> {
  const { items } = services().servers.tools(name, "", 0);
  return new Map(
    items.map(({ position }) => {
      const tool = JSON.parse(services().servers.toolJson(name, position, null).text) as Tool;
      return [tool.name, tool];
    }),
  );
}

interface Copy {
  file: string;
  tools: Tool[];
  /** Calls that the copy got. */
  calls: () => string[];
}

/** A changed copy takes the place of a server, under its name. */
async function replace(name: string, edit: (tools: Map<string, Tool>) => void, policy = "review"): Promise<Copy> {
  const tools = readTools(name);
  edit(tools);
  const file = path.join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ tools: [...tools.values()] }));
  await services().servers.update(LOCAL_PRINCIPAL, name, toSettings(name, [COPY, file], policy));
  return {
    file,
    tools: [...tools.values()],
    calls: () => (existsSync(`${file}.calls`) ? readFileSync(`${file}.calls`, "utf8").trim().split("\n") : []),
  };
}

const rename = (schema: Schema | undefined, from: string, to: string): void => {
  if (schema === undefined) throw new Error("The tool has no such schema");
  const { [from]: renamed, ...rest } = schema.properties;
  schema.properties = { ...rest, [to]: renamed ?? {} };
  if (schema.required) schema.required = schema.required.map((each) => (each === from ? to : each));
};

async function readVerdicts(name: string): Promise<Record<string, ReviewedChange>> {
  const review = () => services().changes.review(name);
  await waitUntil(async () => {
    const { items } = await review();
    return items.length > 0 && items.every(({ kind, traffic }) => kind === "added" || traffic !== null);
  });
  return Object.fromEntries((await review()).items.map((item) => [item.tool, item]));
}

it("recorded calls of server-filesystem are checked by a changed copy behind its name, which gets no call", async () => {
  await add("files", [path.resolve(`${SERVERS}/server-filesystem/dist/index.js`), folder]);
  for (const file of ["a.txt", "b.txt"]) await run("files__read_text_file", { path: path.join(folder, file) });
  await run("files__read_text_file", { path: path.join(folder, "a.txt"), head: 1 });
  for (const sortBy of ["name", "size"]) await run("files__list_directory_with_sizes", { path: folder, sortBy });
  for (const file of ["a.txt", "b.txt"]) await run("files__get_file_info", { path: path.join(folder, file) });
  await run("files__list_allowed_directories", {});
  await run("files__search_files", { path: folder, pattern: "*.txt" });

  const copy = await replace("files", (tools) => {
    tools.get("read_text_file")?.inputSchema.required?.push("head");
    const sorted = tools.get("list_directory_with_sizes")?.inputSchema.properties.sortBy;
    if (sorted !== undefined) sorted.enum = ["name"];
    rename(tools.get("get_file_info")?.outputSchema, "content", "info");
    const named = tools.get("list_allowed_directories");
    if (named !== undefined) named.description = "Tells which folders may be read";
  });
  const verdicts = await readVerdicts("files");
  // A tool that did not change does not wait.
  expect(Object.keys(verdicts).sort()).toEqual([
    "get_file_info",
    "list_allowed_directories",
    "list_directory_with_sizes",
    "read_text_file",
  ]);
  expect(verdicts.read_text_file?.traffic).toMatchObject({
    total: 3,
    counts: { accepted: 1, rejected: 2 },
    broken: 2,
    severity: "error",
    complete: true,
    reasons: [{ reason: "`head` became required", path: "head", calls: 2 }],
    people: [{ name: "Local owner", calls: 2 }],
  });
  expect(verdicts.list_directory_with_sizes?.traffic).toMatchObject({
    total: 2,
    counts: { accepted: 1, rejected: 1 },
    severity: "error",
    reasons: [{ path: "sortBy", calls: 1 }],
  });
  expect(verdicts.get_file_info?.traffic).toMatchObject({
    counts: { accepted: 2, rejected: 0 },
    fields: [{ path: "content", calls: 2 }],
    broken: 2,
    severity: "error",
  });
  expect(verdicts.list_allowed_directories).toMatchObject({
    kind: "wording",
    traffic: { total: 1, counts: { accepted: 1 }, broken: 0, severity: null },
  });
  expect(copy.calls()).toEqual([]);

  // The calls that break are a filter of executions.
  const { hash = "", catalogName } = verdicts.read_text_file ?? {};
  const broken = await services().executions.list({ tool: [catalogName ?? ""], change: hash }, undefined, 50);
  expect(broken.items.map(({ argumentsPreview }) => argumentsPreview.includes("head"))).toEqual([false, false]);
  expect(await services().changes.waiting()).toMatchObject([
    { server: "files", open: 4, questioned: 3, broken: 5, total: 8, unjudged: 0, reason: "`head` became required" },
  ]);
});

it("an ignored change lets calls run with the approved definition, an approved one is in use, and both only as they were reviewed", async () => {
  const { read_text_file: change, list_allowed_directories: worded } = await readVerdicts("files");
  if (change === undefined || worded === undefined) throw new Error("The changes do not wait");
  const { servers } = callAs(toolroom.container, LOCAL_PRINCIPAL);
  const decide = async (decision: "approve" | "ignore", { tool, hash, status }: ReviewedChange) =>
    await servers.decideChanges({ name: "files", changes: [{ tool, hash, status }], decision });
  expect(await decide("approve", { ...change, hash: "another" })).toMatchObject({ missed: ["read_text_file"] });
  expect(await run("files__read_text_file", { path: "x" })).toMatchObject({ errorKind: "definition_changed" });
  expect(await decide("ignore", change)).toMatchObject({ decided: ["read_text_file"] });
  expect(await run("files__read_text_file", { path: path.join(folder, "a.txt") })).toMatchObject({
    status: "succeeded",
  });
  expect(await decide("approve", worded)).toMatchObject({ decided: ["list_allowed_directories"] });
  const { description } = services().tools.get("files__list_allowed_directories");
  expect(description).toBe("Tells which folders may be read");
  const { items } = await services().auditLog.list(LOCAL_PRINCIPAL, {}, undefined, 10);
  expect(JSON.stringify(items)).toContain("ignore");
});

it("recorded calls of server-everything are checked before its next version is in use, without a call", async () => {
  await add("everything", [path.resolve(`${SERVERS}/server-everything/dist/index.js`), "stdio"]);
  for (const location of ["New York", "Chicago"]) await run("everything__get-structured-content", { location });
  await run("everything__get-sum", { a: 1, b: 2 });
  await run("everything__echo", { message: "hello" });
  const tools = readTools("everything");
  const weather = tools.get("get-structured-content");
  const { location } = weather?.inputSchema.properties ?? {};
  if (location !== undefined) location.enum = ["New York", "Los Angeles"];
  rename(weather?.outputSchema, "temperature", "celsius");
  const sum = tools.get("get-sum");
  if (sum !== undefined) {
    sum.inputSchema.properties.c = { type: "number" };
    sum.inputSchema.required?.push("c");
  }
  const echo = tools.get("echo");
  if (echo !== undefined) echo.description = "Repeats";
  const ask = createRestClient({ services: services(), stopping: toolroom.container.stopping });
  const body = { tools: [...tools.values()], last: "7d" };
  const checked = await ask({
    method: "POST",
    address: "/servers/everything/changes/check",
    body,
    actor: LOCAL_PRINCIPAL,
  });
  const report = (await checked.json()) as { schema: { tool: string; outcome: string }[]; traffic: { tool: string }[] };
  expect(checked.status).toBe(200);
  expect(report).toMatchObject({ server: "everything", severity: "error", replay: null });
  expect(report.schema.map(({ tool, outcome }) => [tool, outcome])).toEqual([
    ["echo", "wording"],
    ["get-structured-content", "breaking"],
    ["get-sum", "breaking"],
  ]);
  expect(report.traffic).toMatchObject([
    { tool: "echo", counts: { accepted: 1, rejected: 0 }, severity: null },
    {
      tool: "get-structured-content",
      counts: { accepted: 1, rejected: 1 },
      fields: [{ path: "temperature", calls: 2 }],
      broken: 2,
    },
    { tool: "get-sum", counts: { rejected: 1 }, reasons: [{ reason: "`c` became required" }] },
  ]);
});

it("only allowed tools are replayed, within the budget, beside the current version, and statistics do not count it", async () => {
  const file = path.join(folder, "files.json.calls");
  const replay = async (request: object) => {
    await services().changes.startReplay(LOCAL_PRINCIPAL, "files", { budget: 12, baseline: null, ...request });
    const isOver = async () =>
      (await services().changes.review("files")).items.every((each) => each.replay?.status !== "running");
    await waitUntil(isOver, { timeoutMs: 60_000 });
    const { items } = await services().changes.review("files");
    return Object.fromEntries(items.map((item) => [item.tool, item.replay]));
  };
  const start = services().changes.startReplay(LOCAL_PRINCIPAL, "files", { budget: 12, baseline: null });
  await expect(start).rejects.toThrow("allow tools for replays first");
  expect((await services().changes.review("files")).proposed).toContain("get_file_info");
  await services().changes.setReplayable(LOCAL_PRINCIPAL, "files", ["read_text_file", "get_file_info"]);
  const before = await services().executions.toolStats("files__get_file_info");
  const callsBefore = existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;

  const args = [path.resolve(`${SERVERS}/server-filesystem/dist/index.js`), folder];
  const replayed = await replay({ baseline: { command: process.execPath, args } });
  expect(replayed.read_text_file).toMatchObject({
    status: "succeeded",
    baseline: "current",
    verdict: { calls: 3, budget: 6, counts: { same: 1, different: 0, failed: 0 }, severity: null },
  });
  expect(replayed.get_file_info).toMatchObject({
    verdict: { calls: 6, counts: { different: 2 }, severity: "warning" },
  });
  expect(replayed.get_file_info?.verdict?.examples[0]?.differences.length).toBeGreaterThan(0);
  expect(replayed.list_directory_with_sizes).toBeNull();
  const called = readFileSync(file, "utf8").trim().split("\n").slice(callsBefore);
  expect(called.sort()).toEqual(["get_file_info", "get_file_info", "read_text_file"]);

  const recorded = await replay({});
  expect(recorded.read_text_file).toMatchObject({ baseline: "recorded", verdict: { calls: 2, counts: { same: 1 } } });
  expect(await services().executions.toolStats("files__get_file_info")).toEqual(before);
  expect(services().servers.has("files~current")).toBe(false);
});

it("under the policy auto a change passes that neither schemas nor recorded calls question", async () => {
  await add("passing", [path.resolve(`${SERVERS}/server-everything/dist/index.js`), "stdio"]);
  await run("passing__echo", { message: "hello", loud: true });
  const copy = await replace(
    "passing",
    (tools) => {
      const sum = tools.get("get-sum");
      if (sum !== undefined) sum.description = "Adds two numbers";
      const echo = tools.get("echo");
      // The schemas allow it: only a recorded call that sent this name says that it breaks.
      if (echo !== undefined) echo.inputSchema.properties.loud = { type: "string" };
    },
    "auto",
  );
  await waitUntil(() => services().tools.get("passing__get-sum").description === "Adds two numbers");
  expect(services().servers.heldChanges("passing").items).toMatchObject([{ tool: "echo", status: "open" }]);
  expect((await readVerdicts("passing")).echo?.traffic).toMatchObject({ counts: { rejected: 1 } });
  expect(await run("passing__get-sum", { a: 1, b: 2 })).toMatchObject({ status: "succeeded" });
  expect(copy.calls()).toEqual(["get-sum"]);
});

it("under the policy off a breaking change, a removed tool and one that only recorded calls speak against have the same verdicts, and tests are counted apart", async () => {
  await add("open", [path.resolve(`${SERVERS}/server-everything/dist/index.js`), "stdio"]);
  await run("open__echo", { message: "hello", loud: true });
  for (const a of [1, 2]) await run("open__get-sum", { a, b: 2 });
  await services().executions.execute("open__get-sum", { a: 3, b: 2 }, { source: "test", actor: LOCAL_PRINCIPAL });
  await run("open__get-tiny-image", {});
  await replace(
    "open",
    (tools) => {
      const sum = tools.get("get-sum");
      if (sum !== undefined) {
        sum.inputSchema.properties.c = { type: "number" };
        sum.inputSchema.required?.push("c");
      }
      tools.delete("get-tiny-image");
      const echo = tools.get("echo");
      if (echo !== undefined) echo.inputSchema.properties.loud = { type: "string" };
    },
    "off",
  );
  await waitUntil(() => services().servers.heldChanges("open").total === 3);
  const verdicts = await readVerdicts("open");
  expect(Object.values(verdicts).map(({ status }) => status)).toEqual(["applied", "applied", "applied"]);
  expect(verdicts["get-sum"]).toMatchObject({
    kind: "breaking",
    schema: { outcome: "breaking", findings: [{ witness: { effect: "refused" } }] },
    traffic: { total: 2, broken: 2, suites: { total: 1, broken: 1 }, people: [{ name: "Local owner", calls: 2 }] },
  });
  expect(verdicts["get-tiny-image"]).toMatchObject({
    kind: "removed",
    schema: { change: "removed", severity: "error" },
    traffic: { broken: 1, reasons: [{ reason: "the tool is gone" }] },
  });
  expect(verdicts.echo).toMatchObject({ kind: "additive", traffic: { broken: 1, counts: { rejected: 1 } } });
  const waiting = await services().changes.waiting();
  expect(waiting.find(({ server }) => server === "open")).toMatchObject({ open: 0, applied: 3, broken: 4 });
  const { hash = "", catalogName = "" } = verdicts["get-sum"] ?? {};
  const broken = await services().executions.list({ tool: [catalogName], change: hash }, undefined, 50);
  expect(broken.items).toHaveLength(2);
  const ofTests = await services().executions.list(
    { tool: [catalogName], change: hash, source: ["test"] },
    undefined,
    50,
  );
  expect(ofTests.items).toHaveLength(1);
  const held = await createRestClient({ services: services(), stopping: toolroom.container.stopping })({
    method: "PUT",
    address: "/servers/open/changes/policy",
    body: { policy: "auto" },
    actor: LOCAL_PRINCIPAL,
  });
  expect(await held.json()).toMatchObject({ policy: "auto", total: 3 });
});

it("toolroom changes lists what waits, shows verdicts, replays what is allowed, and decides what was shown", async () => {
  const rest = await serveRest(toolroom.container);
  try {
    const command = (...words: string[]) => runWords(["changes", ...words], { env: { TOOLROOM_URL: rest.url } });
    expect((await command("list")).stdout).toMatch(
      /passing +1 +0 +1 of 1 recent call would break: `loud` must be string/,
    );
    expect((await command("show", "passing")).stdout).toMatch(
      /echo +open +\S+ +1 of 1 recent call would now be rejected/,
    );
    expect(await command("replay", "passing")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("allow tools"),
    });
    expect((await command("allow", "passing", "echo")).stdout).toContain("1 tool of passing may be replayed");
    const replayed = await command("replay", "passing", "--budget", "4");
    expect(replayed).toMatchObject({ code: 0, stdout: expect.stringContaining("No recorded call can be replayed") });
    expect(await command("approve", "passing")).toMatchObject({ code: 2 });
    expect(await command("approve", "passing", "ghost")).toMatchObject({ code: 3 });
    expect(await command("approve", "passing", "--all")).toMatchObject({ code: 0, stdout: "echo approved.\n" });
    expect(await command("show", "passing")).toMatchObject({ code: 0, stdout: "" });
  } finally {
    await rest.close();
  }
});

it("toolroom changes lists changed skills, and decides them by their names beside the tools", async () => {
  const skills = mkdtempSync(path.join(os.tmpdir(), "changed-skills-"));
  const publish = (name: string, step: string): void => {
    mkdirSync(path.join(skills, name), { recursive: true });
    const text = `---\nname: ${name}\ndescription: How guides does ${name}\nlicense: MIT\n---\n\n${step}\n`;
    writeFileSync(path.join(skills, name, "SKILL.md"), text);
  };
  publish("refunds", "First.");
  const args = [path.resolve("e2e/support/mcp-servers/skilled.mjs"), "guides", `folder=${skills}`];
  await services().servers.create(LOCAL_PRINCIPAL, toSettings("guides", args));
  await waitUntil(() => isConnected("guides"));
  await services().content.skills(LOCAL_PRINCIPAL, "guides");
  publish("refunds", "Second.");
  publish("returns", "New.");
  await services().content.skills(LOCAL_PRINCIPAL, "guides");
  const rest = await serveRest(toolroom.container);
  try {
    const command = (...words: string[]) => runWords(["changes", ...words], { env: { TOOLROOM_URL: rest.url } });
    expect((await command("list")).stdout).toMatch(/guides +2 +0 +2 changed skills to review/);
    expect((await command("skills", "guides")).stdout).toMatch(
      /refunds +open +changed +SKILL\.md\s+returns +open +added +SKILL\.md/,
    );
    expect(await command("ignore", "guides", "refunds")).toMatchObject({ code: 2 });
    expect(await command("block", "guides", "returns")).toMatchObject({
      code: 0,
      stdout: "skill://returns/SKILL.md blocked.\n",
    });
    expect(await command("approve", "guides", "--all")).toMatchObject({
      code: 0,
      stdout: "skill://refunds/SKILL.md approved.\n",
    });
    expect(await command("approve", "guides", "refunds")).toMatchObject({ code: 3 });
    expect((await command("skills", "guides")).stdout).toMatch(/returns +blocked +added/);
    const action = ["changes.decideSkills"];
    const { items: entries } = await services().auditLog.list(LOCAL_PRINCIPAL, { action }, undefined, 10);
    expect(entries).toHaveLength(2);
  } finally {
    await rest.close();
  }
});

it("toolroom clients lists what a client was given on a day, opens a list, and compares two", async () => {
  const rest = await serveRest(toolroom.container);
  try {
    const command = (...words: string[]) => runWords(["clients", ...words], { env: { TOOLROOM_URL: rest.url } });
    const { ask } = await rawClient(toolroom.url, "2026-07-28", { name: "listing" });
    await ask("tools/list");
    await services().tools.create(LOCAL_PRINCIPAL, JSON.stringify(ADDED_TOOL));
    await ask("tools/list");
    const day = new Date().toLocaleDateString("sv");
    const { items } = JSON.parse((await command("lists", "listing", "--day", day, "--json")).stdout);
    const [newest, oldest] = (items as { hash: string }[]).map(({ hash }) => hash);
    expect(await command("lists", "listing")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(newest?.slice(0, 12) ?? ""),
    });
    expect(await command("lists", "listing", "--day", "2001-01-01")).toMatchObject({ code: 0, stdout: "" });
    expect(await command("open", "listing", newest?.slice(0, 12) ?? "")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/TOOL +DESCRIPTION[\s\S]*arrived +Is new\./),
    });
    const opened = JSON.parse((await command("open", "listing", newest ?? "", "--json")).stdout);
    expect(opened.tools.at(-1).entry).toMatchObject({ inputSchema: { type: "object" } });
    expect(await command("open", "listing", newest ?? "", "--since", oldest ?? "")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/arrived +added/),
    });
    expect(await command("open", "listing", newest ?? "", "--since", newest ?? "")).toMatchObject({
      code: 0,
      stderr: "Both lists have the same tools.\n",
    });
    expect(await command("open", "listing", "0000000")).toMatchObject({ code: 3 });
  } finally {
    await rest.close();
  }
});

const ADDED_TOOL = {
  type: "function",
  name: "arrived",
  handler: "arrived",
  description: "Is new.",
  parameters: { type: "object", properties: {} },
  implementation: { type: "mock", mock_response: "done" },
};
