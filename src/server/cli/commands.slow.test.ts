import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { freePort } from "../../lib/free-port.test-support";
import { waitUntil } from "../../lib/wait-until.test-support";
import { type Container, createContainer } from "../main/container";
import { readEnv } from "../main/env";
import { runWords, type Surroundings, serveRest } from "./commands.test-support";
import { buildProgram } from "./main";

const FIELDS = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    loud: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    extra: { type: "object" },
  },
  required: ["text"],
};
const mock = (name: string, mock_response: unknown, more = {}) => ({
  name,
  description: `The tool ${name}`,
  type: "function",
  handler: name,
  parameters: FIELDS,
  implementation: { type: "mock", mock_response },
  ...more,
});
const ECHO = { name: "say", description: "Echoes", type: "function", handler: "echo", parameters: FIELDS };

let container: Container;
let server: Awaited<ReturnType<typeof serveRest>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-cli-"));
  const config = path.join(folder, "toolroom.json");
  const registry = [
    { ...ECHO, implementation: { type: "builtin", handler: "echo" } },
    mock("greet", "Hi \u{1b}[31mthere"),
    mock("asks", "done", { annotations: { destructiveHint: true } }),
    { ...ECHO, name: "endless", implementation: { type: "builtin", handler: "endless" } },
  ];
  await writeFile(
    path.join(folder, "endless.mjs"),
    `export const builtins = { endless: (_args, { signal }) => new Promise((_, reject) => { signal.onabort = () => reject(signal.reason); }) };`,
  );
  await writeFile(config, JSON.stringify({ handlers: ["./endless.mjs"], tools: { registry } }));
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/toolroom.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
  );
  server = await serveRest(container);
});
afterAll(async () => {
  await server.close();
  await container.close();
});

const run = (words: readonly string[], more: Surroundings = {}) =>
  runWords(words, { ...more, env: { TOOLROOM_URL: server.url, ...more.env } });
const runJson = async (words: readonly string[]) => JSON.parse((await run([...words, "--json"])).stdout);

describe("toolroom call", () => {
  it("types fields by the tool's schema, and prints the result as the tool returned it", async () => {
    const words = ["--text", "5", "--count", "-7", "--loud", "--tags", "a", "--tags", "b", "--extra", '{"a":1}'];
    const ended = await run(["call", "say", ...words]);
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Call exec_\w+\n$/) });
    expect(JSON.parse(ended.stdout).echo).toEqual({
      text: "5",
      count: -7,
      loud: true,
      tags: ["a", "b"],
      extra: { a: 1 },
    });
  });

  it("sends JSON as typed, from the command line, a file and stdin", async () => {
    const typed = `{ "text":"é", "extra":{"id":12345678901234567890, "z":1.50} }`;
    await writeFile(path.join(folder, "arguments.json"), `\u{feff}${typed}\n`);
    for (const [word, stdin] of [[typed], ["@arguments.json"], ["-", typed]] as const) {
      const { stdout } = await run(["call", "say", word, "--json"], { cwd: folder, stdin });
      expect(JSON.parse(stdout).argumentsText).toBe(typed);
      expect(stdout).toContain("12345678901234567890");
    }
    const both = await runJson(["call", "say", '{"text":"a"}', "--count", "3"]);
    expect(both.argumentsText).toBe('{"text":"a","count":3}');
  });

  it.each([
    [["say", "--count", "many"], 2, "--count must be an integer"],
    [["say", "--colour", "red"], 2, 'no field "colour": it has --text'],
    [["say", "--text"], 2, "--text needs a value"],
    [["say", "{oops"], 2, "are not JSON"],
    [["say", "[1]"], 2, "must be a JSON object"],
    [["say", '{"text":"a"}', "--text", "b"], 2, '"text" is given twice'],
    [["say", "{}"], 2, "text is required"],
    [["say", "@missing.json"], 2, "cannot be read"],
    [["nothing"], 3, "Tool 'nothing' not found"],
    [["say", "--toolroom", "x"], 2, 'no field "toolroom"'],
  ])("%j ends with %i and names what is wrong", async (words, code, message) => {
    const ended = await run(["call", ...words]);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(message);
  });

  it("shows a string on a terminal as text that moves no cursor, and for a program as JSON", async () => {
    expect((await run(["call", "greet", "--text", "a"], { isTTY: true })).stdout).toBe("Hi there\n");
    expect((await run(["call", "greet", "--text", "a"])).stdout).toBe('"Hi \\u001b[31mthere"\n');
  });

  it("lists the tool's fields with --help behind it", async () => {
    const { code, stdout } = await run(["call", "say", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/--text +string +required/);
  });

  it("waits for an approval, says where it is given, and ends with 4 when it is rejected", async () => {
    const asked = run(["call", "asks", "--text", "a"]);
    let id = "";
    await waitUntil(async () => {
      id = (await runJson(["executions", "list", "--tool", "asks", "--status", "waiting"])).items[0]?.id ?? "";
      return id !== "";
    });
    await container.services.approvals.decide(LOCAL_PRINCIPAL, id, {
      decision: "reject",
      reason: "Not today",
    } as never);
    const ended = await asked;
    expect(ended.code).toBe(4);
    expect(ended.stderr).toContain(`Needs approval: ${server.url}/approvals?id=${id}`);
    expect(ended.stderr).toContain("Not today");
  });
});

describe("Ctrl+C during toolroom call", () => {
  const stopCall = async (tool: string, status: string, words = ["call", tool, "--text", "a"]) => {
    const ending = new AbortController();
    let held: Promise<unknown> = Promise.resolve();
    const called = run(words, { signal: ending.signal, holdExit: (work) => (held = work) });
    let id = "";
    await waitUntil(async () => {
      id = (await runJson(["executions", "list", "--tool", tool, "--status", status])).items[0]?.id ?? "";
      return id !== "";
    });
    ending.abort();
    const { code, stderr } = await called;
    await held;
    return { code, stderr, call: await runJson(["executions", "show", id]) };
  };

  it("cancels a call that runs, that needs approval, and a replay", async () => {
    const runs = await stopCall("endless", "running");
    expect(runs).toMatchObject({ code: 130, call: { status: "cancelled" } });
    expect(runs.stderr).toBe(`Call ${runs.call.id}\nCancelled ${runs.call.id}.\n`);
    expect(await stopCall("asks", "waiting")).toMatchObject({ code: 130, call: { status: "cancelled" } });
    const replay = await stopCall("endless", "running", ["executions", "replay", runs.call.id]);
    expect(replay).toMatchObject({ code: 130, call: { status: "cancelled", parentId: runs.call.id } });
  });
});

describe("toolroom tools, executions, servers, export and import", () => {
  it("lists as a table, and as JSON on request", async () => {
    const { stdout } = await run(["tools", "list", "--search", "greet"]);
    expect(stdout).toMatch(/^NAME +STATE +SERVER +DESCRIPTION\ngreet +on +The tool greet\n$/);
    expect((await runJson(["tools", "list"])).items.map(({ name }: { name: string }) => name)).toContain("say");
    expect((await run(["tools", "list"], { isTTY: true })).stdout).toContain("\u{1b}[90mNAME");
    expect((await run(["tools", "list"], { isTTY: true, env: { NO_COLOR: "1" } })).stdout).not.toContain("\u{1b}");
    expect((await run(["tools", "show", "say"])).stdout).toMatch(/--count +integer/);
  });

  it("shows, replays and compares calls", async () => {
    const left = await runJson(["call", "say", '{"text":"left"}']);
    const right = await runJson(["call", "say", '{"text":"right"}']);
    expect((await run(["executions", "show", left.id])).stdout).toMatch(
      /Status +succeeded[\s\S]*Arguments\n\{\n {2}"text": "left"/,
    );
    const replayed = await runJson(["executions", "replay", left.id]);
    expect(replayed).toMatchObject({ parentId: left.id, result: left.result });
    const compared = await run(["executions", "compare", left.id, right.id]);
    expect(compared.stdout).toMatch(/Arguments\n.*\n- +"text": "left"\n\+ +"text": "right"/);
    expect(await runJson(["executions", "compare", left.id, replayed.id])).toMatchObject({
      left: { id: left.id },
      arguments: { identical: true },
      outcome: { identical: true },
    });
    expect((await run(["executions", "show", "exec_unknown1234"])).code).toBe(3);
    expect((await run(["executions", "cancel", left.id])).code).toBe(4);
  });

  it("follows calls from now on as NDJSON until Ctrl+C, with the filters of the list, also while the server is away", async () => {
    const ending = new AbortController();
    const lines: string[] = [];
    let said = "";
    let wasAway = false;
    const following = run(["executions", "list", "--follow", "--json", "--status", "succeeded"], {
      signal: ending.signal,
      onStdout: (text) => lines.push(...text.trim().split("\n")),
      onStderr: (text) => {
        said += text;
      },
    });
    await waitUntil(async () => {
      await run(["call", "say", "{}"]);
      if (lines.length === 1 && !wasAway) {
        wasAway = true;
        await server.close();
        await waitUntil(() => said.includes("Waiting for it"));
        server = await serveRest(container, undefined, Number(new URL(server.url).port));
      }
      await run(["call", "say", '{"text":"followed"}']);
      return lines.length >= 2;
    });
    ending.abort();
    expect((await following).code).toBe(130);
    const calls = lines.map((line) => JSON.parse(line));
    expect(calls.every(({ status, toolName }) => status === "succeeded" && toolName === "say")).toBe(true);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it("counts calls with failures and percentiles, by tool and by hour, of one tool and of one user", async () => {
    await run(["call", "say", "--text", "1"]);
    await run(["call", "say", "--count", "1"]);
    const { totals, groups, points } = await runJson(["stats", "--since", "2h", "--by", "tool", "--span", "hour"]);
    const say = groups.find(({ value }: { value: string }) => value === "say");
    expect(say).toMatchObject({
      error: 0,
      timedOut: 0,
      failed: say.invalid,
      p50Ms: expect.any(Number),
      p99Ms: expect.any(Number),
    });
    expect(say.calls).toBeGreaterThanOrEqual(2);
    expect(say.invalid).toBeGreaterThanOrEqual(1);
    expect(points.length).toBeGreaterThanOrEqual(2);
    const sum = (list: { calls: number }[]) => list.reduce((all, { calls }) => all + calls, 0);
    expect([sum(points), sum(groups)]).toEqual([totals.calls, totals.calls]);
    expect((await runJson(["stats", "--tool", "say", "--by", "client"])).totals.calls).toBe(say.calls);
    expect((await runJson(["stats", "--user", "nobody"])).totals.calls).toBe(0);
    const shown = await run(["stats", "--by", "tool"]);
    expect(shown.stdout).toMatch(/TIME +CALLS +FAILED +RATE +ERROR +TIMED OUT +INTERRUPTED +INVALID +P50 +P95 +P99\n/);
    expect(shown.stdout).toMatch(/TOOL[\s\S]*\nsay +\d+ +\d+ +\d+\.\d% +0 +0 +0 +\d+ +\S+ m?s/);
  });

  it("exports executions as JSON Lines, and as CSV in which no cell runs as a formula", async () => {
    await run(["call", "say", '{"text":"=1+1"}', "--json"]);
    await run(["call", "say", "--text", "=cmd"]);
    const { stdout } = await run(["export", "executions", "--tool", "say", "--since", "1h"]);
    const calls = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(calls.some(({ result }) => result?.echo?.text === "=cmd")).toBe(true);
    const file = path.join(folder, "out", "calls.csv");
    expect(await run(["export", "executions", "--format", "csv", "-o", file])).toMatchObject({ code: 0, stdout: "" });
    const csv = await readFile(file, "utf8");
    expect(csv).toMatch(/^\ufeffid,tool,status,/);
    expect((await run(["export", "executions", "--format", "csv"])).stdout).toMatch(/^id,tool,status,/);
    const lines = path.join(folder, "out", "calls.jsonl");
    await run(["export", "executions", "-o", lines]);
    expect((await readFile(lines, "utf8")).slice(0, 1)).toBe("{");
    expect(csv).not.toMatch(/(?:^|,)"?=/m);
  });

  it("saves, previews, lists and deletes alert rules, and keeps what is not named", async () => {
    const save = ["alerts", "save", "Echo fails"];
    expect(await run(save)).toMatchObject({ code: 2 });
    const asked = [...save, "--kind", "failure_rate", "--tool", "say", "--threshold", "5"];
    expect(await run([...asked, "--threshold", "99", "--preview"])).toMatchObject({
      stdout: "In the last 7 days it would have fired 0 times.\n",
    });
    expect((await run(["alerts", "rules"])).stderr).toMatch(/^No alert rules/);
    expect(await run([...asked, "--min-calls", "1000"])).toMatchObject({
      stdout: "Saved the alert rule Echo fails.\n",
    });
    const changed = ["alerts", "save", "echo fails", "--window", "60", "--disable"];
    expect(await run(changed)).toMatchObject({ stdout: "Changed the alert rule echo fails.\n" });
    expect((await runJson(["alerts", "rules"])).items).toMatchObject([
      { name: "Echo fails", tool: "say", threshold: 5, minCalls: 1_000, windowMinutes: 60, enabled: false },
    ]);
    expect((await run(["alerts", "rules"])).stdout).toMatch(/Echo fails +disabled +Failure rate above 5% in 1 h/);
    await run([...save, "--each", "client", "--kind", "invalid_rate"]);
    expect((await runJson(["alerts", "rules"])).items).toMatchObject([{ tool: null, each: "client" }]);
    await run([...save, "--threshold", "7"]);
    expect((await run(["alerts", "rules"])).stdout).toMatch(/Invalid calls above 7% in 1 h, .*, of each client/);
    await run([...save, "--tool", "say"]);
    expect((await runJson(["alerts", "rules"])).items).toMatchObject([{ tool: "say", each: null }]);
    expect(await run([...save, "--threshold", "x"])).not.toMatchObject({ code: 0 });
    expect((await run(["alerts", "list", "--firing"])).stderr).toBe("No alerts.\n");
    expect(await run(["alerts", "delete", "ECHO FAILS"])).toMatchObject({
      stdout: "Deleted the alert rule Echo fails.\n",
    });
    expect(await run(["alerts", "delete", "absent"])).toMatchObject({ code: 3 });
  });

  it("saves filters as a view, lists and exports with it, and deletes it", async () => {
    expect(await run(["views", "save", "Echoes", "--tool", "echo", "--range", "24h"])).toMatchObject({
      code: 0,
      stdout: "Saved the view Echoes.\n",
    });
    expect(await run(["views", "save", "echoes", "--tool", "echo", "--duration", "none"])).toMatchObject({
      stdout: "Replaced the view echoes.\n",
    });
    expect((await runJson(["views", "list"])).items).toMatchObject([
      { name: "echoes", query: "tool=echo&duration=none" },
    ]);
    expect((await run(["views", "list"])).stdout).toMatch(/NAME[\s\S]*echoes/);
    expect((await runJson(["executions", "list", "--view", "Echoes"])).items).toEqual([]);
    const shown = (await runJson(["executions", "list", "--view", "Echoes", "--duration", "under_10ms"])).items;
    expect(shown.every(({ toolName }: { toolName: string }) => toolName === "echo")).toBe(true);
    expect((await run(["export", "executions", "--view", "echoes"])).stdout).toBe("");
    expect(await run(["executions", "list", "--view", "absent"])).toMatchObject({ code: 3 });
    expect(await run(["views", "save", "x", "--range", "7d", "--since", "1h"])).toMatchObject({ code: 2 });
    expect(await run(["views", "save", "x", "--status", "exploded"])).toMatchObject({ code: 2 });
    expect(await run(["views", "delete", "Echoes"])).toMatchObject({ stdout: "Deleted the view echoes.\n" });
    expect(await run(["views", "delete", "Echoes"])).toMatchObject({ code: 3 });
  });

  it("exports the catalog and imports it, a dry run changing nothing", async () => {
    const definition = mock("imported", 1);
    const file = JSON.stringify({ toolroom: 1, tools: [{ definition, enabled: true, approval: null }], servers: [] });
    await writeFile(path.join(folder, "file.json"), file);
    const dry = await run(["import", "file.json", "--dry-run"], { cwd: folder });
    expect(dry.stdout).toContain("1 to import");
    expect((await run(["tools", "show", "imported"])).code).toBe(3);
    expect((await run(["import", "-"], { stdin: file })).stdout).toContain("1 imported");
    expect((await run(["export", "catalog"])).stdout).toContain('"imported"');
    const refused = await run(["import", "-"], { stdin: file.replace('"type":"object"', '"type":"string"') });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Nothing was imported: tool imported")]);
  });

  it("adds and tests a server, and says why it does not connect", async () => {
    const added = await run([
      "servers",
      "add",
      "gone",
      "--url",
      "http://127.0.0.1:1/mcp",
      "--header",
      "X-Key: secret-1",
    ]);
    expect(added).toMatchObject({ code: 1, stdout: "Added gone.\n" });
    expect(added.stderr).toContain("gone is not connected");
    expect((await run(["servers", "list"])).stdout).toMatch(/gone +\w+.* 0 +http/);
    expect((await run(["servers", "add", "x", "--url", "http://a", "--header", "secret-2"])).stderr).not.toContain(
      "secret-2",
    );
    expect((await run(["servers", "add", "x"])).code).toBe(2);
    expect((await run(["servers", "test", "unknown"])).code).toBe(3);
  });

  it("backs the database up with its key while it is in use, and overwrites nothing", async () => {
    const env = { DATABASE_URL: `file:${folder}/toolroom.db` };
    const ended = await runWords(["backup", "saved/copy.db", "--json"], { cwd: folder, env });
    const { file, keyFile, bytes } = JSON.parse(ended.stdout);
    expect([file, keyFile]).toEqual([path.join(folder, "saved/copy.db"), path.join(folder, "saved/copy.db.key")]);
    expect(bytes).toBeGreaterThan(100_000);
    expect(await readFile(keyFile)).toEqual(await readFile(path.join(folder, "toolroom.db.key")));
    const again = await runWords(["backup", "saved/copy.db"], { cwd: folder, env });
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("exists already")]);
    const none = await runWords(["backup", "--data", path.join(folder, "none")], { cwd: folder });
    expect(none.stderr).toContain("There is no database");
  });
});

it("restores a database with the key that it was saved with, and keeps what was there with its key", async () => {
  const saved = path.join(folder, "kept.db");
  const database = path.join(folder, "place.db");
  const saving = { DATABASE_URL: `file:${folder}/toolroom.db` };
  expect((await runWords(["backup", "kept.db"], { cwd: folder, env: saving })).code).toBe(0);
  const env = { DATABASE_URL: `file:${database}` };
  const restore = async () =>
    JSON.parse((await runWords(["restore", "kept.db", "--json"], { cwd: folder, env })).stdout);
  expect(await restore()).toEqual({ file: database, previous: null });
  const key = await readFile(`${saved}.key`);
  expect(await readFile(`${database}.key`)).toEqual(key);
  await writeFile(`${database}.key`, "other key");
  const { previous } = await restore();
  expect(await readFile(`${database}.key`)).toEqual(key);
  expect(await readFile(`${previous}.key`, "utf8")).toBe("other key");
  const inUse = await runWords(["restore", "kept.db"], { cwd: folder, env: saving });
  expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringContaining("in use")]);
});

describe("toolroom", () => {
  it("says how to start where none runs, and ends with 5", async () => {
    const nowhere = await runWords(["tools", "list", "--data", folder]);
    expect(nowhere).toMatchObject({ code: 5, stdout: "" });
    expect(nowhere.stderr).toContain("Start it with: toolroom start");
    const closed = await runWords(["tools", "list"], { env: { TOOLROOM_URL: `http://127.0.0.1:${await freePort()}` } });
    expect([closed.code, closed.stderr]).toEqual([5, expect.stringContaining("nothing listens there")]);
    expect((await runWords(["tools", "list", "--toolroom", "ftp://x"])).code).toBe(2);
  });

  it("sends the token of TOOLROOM_API_TOKEN, and ends with 4 without one", async () => {
    const guarded = await serveRest(container, "trm_secret");
    const words = ["tools", "list", "--toolroom", guarded.url];
    expect((await runWords(words, { env: { TOOLROOM_API_TOKEN: "trm_secret" } })).code).toBe(0);
    const refused = await runWords(words);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("Set TOOLROOM_API_TOKEN")]);
    const wrong = await runWords(words, { env: { TOOLROOM_API_TOKEN: "trm_other" } });
    expect(wrong.stderr).not.toContain("trm_other");
    await guarded.close();
  });

  it("explains every command with two examples or more", () => {
    const io = {
      stdout: process.stdout,
      stderr: process.stderr,
      env: {},
      version: "1",
    };
    const texts: [string, string][] = [];
    const walk = (command: Command, name: string): void => {
      let text = "";
      command.configureOutput({ writeOut: (piece) => (text += piece) });
      command.outputHelp();
      texts.push([name, text]);
      for (const inner of command.commands) walk(inner, `${name} ${inner.name()}`);
    };
    for (const command of buildProgram(io as never).commands) walk(command, `toolroom ${command.name()}`);
    for (const [name, text] of texts) {
      const examples = text.slice(text.indexOf("\nExamples:\n")).match(/^ {2}(?!#).*toolroom .+/gm) ?? [];
      expect([name, examples.length >= 2]).toEqual([name, true]);
      for (const example of examples) expect(example).toContain(name);
    }
  });

  it.each([
    [["frobnicate"], 'There is no command "frobnicate"'],
    [["tools", "list", "--colour"], "unknown option '--colour'"],
    [["executions", "list", "--since", "soon"], "--since must be a time"],
    [["stats", "--by", "color"], "Allowed choices are tool"],
    [["stats", "--tool", "say", "--server", "files"], "give one of tool, server"],
    [["stats", "--since", "30d", "--span", "minute"], "must give at most 2000 points"],
    [["executions", "list", "--follow", "--search", "abc"], "leave out --search"],
    [["export", "executions", "--format", "xml"], "Allowed choices are jsonl, csv"],
    [["start", "--port", "abc"], "It must be a number"],
    [["completion", "tcsh"], "use bash, zsh, fish"],
  ])("%j is a mistake of usage: it ends with 2 and names the word", async (words, message) => {
    const ended = await run(words);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("makes the sample data once, starts it in a folder of its own, and removes it with --reset", async () => {
    const data = path.join(folder, "demo");
    const events: string[] = [];
    const io = {
      env: { DATABASE_URL: `file:${folder}/toolroom.db` },
      seed: async (url: string) => {
        events.push(`seed ${url}`);
        await writeFile(url.slice("file:".length), "").catch(() => undefined);
      },
      start: async (options: { data?: string; open?: boolean }) => {
        events.push(`start ${options.data} ${options.open}`);
      },
    };
    const { mkdir, access } = await import("node:fs/promises");
    await mkdir(data);
    await runWords(["demo"], io);
    await runWords(["demo", "--no-open"], io);
    expect(events).toEqual([`seed file:${data}/toolroom.db`, `start ${data} true`, `start ${data} false`]);
    expect((await runWords(["demo", "--reset"], io)).stdout).toContain("is gone");
    await expect(access(data)).rejects.toThrow();
  });

  it("gives the bridge its words, and the place of its data", async () => {
    const given: unknown[] = [];
    const serveStdio = async (...all: unknown[]) => void given.push(...all);
    await runWords(["mcp", "--server", "files", "--names", "plain", "--data", "elsewhere"], { serveStdio });
    expect(given).toEqual([["--server=files", "--names=plain"], { data: "elsewhere", config: undefined }]);
  });

  it("completes commands and options in bash", async () => {
    const { stdout } = await run(["completion", "bash"]);
    const complete = async (...words: string[]) => {
      const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _toolroom; echo "\${COMPREPLY[*]}"`;
      return (await promisify(execFile)("bash", ["-c", `${stdout}\n${line}`])).stdout.trim();
    };
    expect(await complete("toolroom", "exec")).toBe("executions");
    expect(await complete("toolroom", "executions", "re")).toBe("replay replay-all");
    expect(await complete("toolroom", "tools", "list", "--se")).toBe("--server --search");
    expect((await run(["completion", "fish"])).stdout).toContain("complete -c toolroom");
    expect((await run(["completion", "zsh"])).stdout).toContain("#compdef toolroom");
  });

  it("runs as a process, whose exit code says what happened and whose reader may leave", async () => {
    const env = { ...process.env, TOOLROOM_URL: server.url, npm_lifecycle_event: undefined, INIT_CWD: undefined };
    const words = [path.resolve("scripts/toolroom.mjs"), "call"];
    const start = (...more: string[]) => promisify(execFile)("node", [...words, ...more], { env, cwd: folder });
    await writeFile(path.join(folder, "process.json"), '{"text":"from a process"}');
    const called = await start("say", "@process.json");
    expect(JSON.parse(called.stdout).echo.text).toBe("from a process");
    expect(called.stderr).toMatch(/^Call exec_\w+\n$/);
    await expect(start("nothing")).rejects.toMatchObject({ code: 3 });
    const left = spawn("node", [...words, "say", "--text", "a"], { env, stdio: ["ignore", "pipe", "pipe"] });
    left.stdout.destroy();
    let stderr = "";
    left.stderr.on("data", (piece: Buffer) => {
      stderr += piece;
    });
    const [code] = await once(left, "close");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Call exec_\w+\n$/)]);
  });
});
