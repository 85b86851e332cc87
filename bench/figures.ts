/**
 * `npm run figures`: what a reader of the code meets. It fails nothing; `-- --save` keeps the figures as those of the landed state,
 * `-- --calls` only lists what a call runs: each module by door, with its lines, its importers and the functions that ran.
 *   tokens by room      leaves of the syntax tree of product files, without comments
 *   one call            modules and functions of ours that a warm call of a tool runs, by door (V8's precise coverage)
 *   touched files       product files that name an existing sibling of what one would add (scripts/count-touched.mjs)
 *   words               of all documents
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { POST as trpc } from "../src/app/api/trpc/[trpc]/route";
import { POST as rest, GET as restRead } from "../src/app/api/v1/[...path]/route";
import { plainJson } from "../src/lib/json/number-digits";
import { createContainer } from "../src/server/main/container";
import { installContainer } from "../src/server/main/current-container";
import { installRouter } from "../src/server/main/current-router";
import { readEnv } from "../src/server/main/env";

type Figures = Record<string, number>;
/** The functions that ran, by module. */
type Coverage = Map<string, string[]>;

const LANDED = path.resolve("bench/figures.json");
const HOST = "http://localhost";
const WARM_CALLS = 20;
const COVERED_CALLS = 5;
/** What a call leaves to timers, such as the index of its texts, has run before the next one. */
const SETTLE_MS = 500;
const GENERATED = "src/server/platform/db/generated";

const listFiles = (...patterns: string[]): string[] =>
  execFileSync("git", ["ls-files", ...patterns], { encoding: "utf8", maxBuffer: 1e8 })
    .split("\n")
    .filter(Boolean);

const isProduct = (file: string): boolean =>
  /\.(tsx?|mjs)$/.test(file) && !/\.(test|spec|test-support)\.tsx?$/.test(file) && !file.startsWith(GENERATED);

/** `src/server/features/alerts/db/x.ts` lies in the room `src/server/features`, `src/lib/x.ts` in `src/lib`. */
const toRoom = (file: string): string =>
  path
    .dirname(file)
    .split("/")
    .slice(0, file.startsWith("src/server/") ? 3 : 2)
    .join("/");

function countTokens(file: string): number {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const count = (node: ts.Node): number => {
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
    return children.length === 0 ? 1 : children.reduce((sum, child) => sum + count(child), 0);
  };
  return count(source);
}

function measureTokens(): Figures {
  const rooms = new Map<string, number>();
  for (const file of listFiles("src", "server.mjs").filter(isProduct)) {
    const room = toRoom(file);
    rooms.set(room, (rooms.get(room) ?? 0) + countTokens(file));
  }
  const total = [...rooms.values()].reduce((sum, tokens) => sum + tokens, 0);
  return Object.fromEntries([
    ["tokens", total],
    ...[...rooms].sort().map(([room, tokens]) => [`tokens, ${room === "." ? "server.mjs" : room}`, tokens]),
  ]);
}

/** esbuild adds it to each module, to keep the names of functions. */
const BUNDLER_HELPER = "__name";
const EXCERPT_CHARS = 40;
type Script = Profiler.ScriptCoverage;

/** The beginning of a function without a name. */
const toExcerpt = (source: string, at: number): string =>
  `<${source
    .slice(at, at + EXCERPT_CHARS)
    .replace(/\s+/g, " ")
    .trim()}>`;

const isOurs = ({ url }: Script): boolean => /\/src\/(?!app\/)/.test(url) && !url.includes("node_modules");

/** The functions of a script that ran in the last call, by where they begin. The whole of a module is none of its functions. */
const listRan = ({ functions }: Script): Map<number, string> =>
  new Map(
    functions
      .filter(({ functionName, ranges }) => functionName !== "" || ranges[0]?.startOffset !== 0)
      .filter(({ functionName, ranges }) => functionName !== BUNDLER_HELPER && (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName, ranges }) => [ranges[0]?.startOffset ?? 0, functionName]),
  );

/** The functions that ran in each of several warm calls, which leaves out what a timer ran beside one of them. */
async function coverCall(session: Session, call: () => Promise<unknown>): Promise<Coverage> {
  for (let round = 0; round < WARM_CALLS; round += 1) await call();
  await session.post("Profiler.startPreciseCoverage", {
    callCount: true,
    detailed: false,
  });
  const calls: Map<string, Map<number, string>>[] = [];
  const urls = new Map<string, string>();
  for (let round = 0; round < COVERED_CALLS; round += 1) {
    await wait(SETTLE_MS);
    await session.post("Profiler.takePreciseCoverage");
    await call();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    calls.push(new Map(result.filter(isOurs).map((script) => [script.scriptId, listRan(script)])));
    for (const { scriptId, url } of result.filter(isOurs))
      urls.set(scriptId, path.relative(".", fileURLToPath(url.split("?")[0] ?? url)));
  }
  await session.post("Profiler.stopPreciseCoverage");
  const covered: Coverage = new Map();
  for (const [scriptId, first] of calls[0] ?? []) {
    const { scriptSource } = await session.post("Debugger.getScriptSource", { scriptId });
    const names = [...first]
      .filter(([at]) => calls.every((each) => each.get(scriptId)?.has(at)))
      .map(([at, name]) => name || toExcerpt(scriptSource, at));
    if (names.length > 0) covered.set(urls.get(scriptId) ?? scriptId, names);
  }
  return covered;
}

const LOCAL = { host: "localhost" };

const post = (url: string, body: unknown): Request =>
  new Request(url, {
    method: "POST",
    headers: {
      ...LOCAL,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });

async function expectOk(response: Response, status = 200): Promise<string> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.url} answered ${response.status}: ${text.slice(0, 400)}`);
  return text;
}

const ECHO = {
  name: "echo",
  arguments: {
    text: "figures",
  },
};

/** Calls the sample tool `echo`, each through another door. */
function openDoors(gateway: string): Record<string, () => Promise<unknown>> {
  let session: Record<string, string> | null = null;
  const ask = async (message: unknown): Promise<Response> =>
    fetch(gateway, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...session,
      },
      body: JSON.stringify(message),
    });
  const openSession = async (): Promise<void> => {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: {
        name: "figures",
        version: "1",
      },
    };
    const response = await ask({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    await expectOk(response);
    session = {
      "mcp-session-id": response.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": "2025-06-18",
    };
    await expectOk(await ask({ jsonrpc: "2.0", method: "notifications/initialized" }), 202);
  };
  return {
    trpc: async () => {
      const input = {
        name: ECHO.name,
        argumentsText: JSON.stringify(ECHO.arguments),
      };
      await expectOk(await trpc(post(`${HOST}/api/trpc/executions.run`, plainJson.serialize(input))));
    },
    rest: async () => {
      await expectOk(await rest(post(`${HOST}/api/v1/tools/${ECHO.name}/execute`, { arguments: ECHO.arguments })));
    },
    mcp: async () => {
      if (session === null) await openSession();
      await expectOk(await ask({ jsonrpc: "2.0", id: 2, method: "tools/call", params: ECHO }));
    },
    agent: async () => {
      const body = {
        text: "echo text=figures",
        settings: {
          provider: "demo",
          model: "demo-1",
          tools: {
            mode: "some",
            tools: [ECHO.name],
            servers: [],
          },
        },
      };
      const { id } = JSON.parse(await expectOk(await rest(post(`${HOST}/api/v1/runs`, body)), 201)) as { id: string };
      // The stream ends with the run.
      const events = await expectOk(
        await restRead(new Request(`${HOST}/api/v1/runs/${id}/events`, { headers: LOCAL })),
      );
      if (!events.includes(ECHO.name)) throw new Error("The demo model called no tool");
    },
  };
}

async function coverDoors(): Promise<Map<string, Coverage>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-figures-"));
  const environment = {
    DATABASE_URL: `file:${folder}/figures.db`,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
  };
  const container = await installContainer(() => createContainer(readEnv(environment)));
  installRouter(async () => (await import("../src/server/main/api/root")).appRouter);
  const server = createServer((request, response) => {
    container.admitRequest(request);
    void container.gateway.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Debugger.enable");
  const doors = new Map<string, Coverage>();
  try {
    const { port } = server.address() as AddressInfo;
    for (const [door, call] of Object.entries(openDoors(`http://127.0.0.1:${port}/mcp`))) {
      doors.set(door, await coverCall(session, call));
    }
  } finally {
    session.disconnect();
    server.closeAllConnections();
    server.close();
    await container.close();
    await rm(folder, { recursive: true, force: true });
  }
  return doors;
}

function countCalls(doors: Map<string, Coverage>): Figures {
  const figures: Figures = {};
  for (const [door, coverage] of doors) {
    figures[`one call, ${door}: modules`] = coverage.size;
    figures[`one call, ${door}: functions`] = [...coverage.values()].flat().length;
  }
  return figures;
}

const IMPORTED = /(?:from|import\()\s*"([^"]+)"/g;

/** Product files that import each file, by its path. */
function findImporters(): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  const files = new Set(listFiles("src").filter(isProduct));
  for (const file of files) {
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(IMPORTED)) {
      const base = specifier.startsWith("@/") ? `src/${specifier.slice(2)}` : path.join(path.dirname(file), specifier);
      const target = [base, `${base}.ts`, `${base}.tsx`].find((candidate) => files.has(candidate));
      if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
}

function printCalls(doors: Map<string, Coverage>): void {
  const importers = findImporters();
  const modules = [...new Set([...doors.values()].flatMap((coverage) => [...coverage.keys()]))].sort();
  for (const module of modules) {
    const ran = [...doors].flatMap(([door, coverage]) => {
      const names = coverage.get(module);
      return names === undefined ? [] : [`${door} ${names.length}`];
    });
    const lines = readFileSync(module, "utf8").split("\n").length - 1;
    const from = importers.get(module) ?? [];
    console.log(`${module}  ${lines} lines, ${from.length} importers; ${ran.join(", ")}`);
    if (from.length === 1) console.log(`  imported by ${from[0]}`);
    const names = new Set([...doors.values()].flatMap((coverage) => coverage.get(module) ?? []));
    console.log(`  ${[...names].join("  ")}`);
  }
  for (const [name, value] of Object.entries(countCalls(doors))) console.log(`${name.padEnd(40)}${value}`);
}

function measureTouched(): Figures {
  const output = execFileSync(process.execPath, ["scripts/count-touched.mjs"], { encoding: "utf8" });
  return Object.fromEntries(
    [...output.matchAll(/^(a .*), like .*: (\d+) files/gm)].map(([, adds, files]) => [
      `files for ${adds}`,
      Number(files),
    ]),
  );
}

function measureWords(): Figures {
  const words = (file: string): number => readFileSync(file, "utf8").split(/\s+/).filter(Boolean).length;
  return { "words of documents": listFiles("*.md").reduce((sum, file) => sum + words(file), 0) };
}

function readLanded(): Figures {
  try {
    return JSON.parse(readFileSync(LANDED, "utf8")) as Figures;
  } catch {
    return {};
  }
}

function toDifference(now: number, before: number | undefined): string {
  if (before === undefined) return "new";
  if (now === before) return "";
  return `${now > before ? "+" : ""}${(now - before).toLocaleString("en")}`;
}

const doors = await coverDoors();
if (process.argv.includes("--calls")) {
  printCalls(doors);
  process.exit();
}
const figures: Figures = Object.assign({}, measureTokens(), countCalls(doors), measureTouched(), measureWords());
const landed = readLanded();
for (const [name, value] of Object.entries(figures)) {
  const before = landed[name];
  const columns = [value.toLocaleString("en"), before?.toLocaleString("en") ?? "–", toDifference(value, before)];
  console.log(`${name.padEnd(40)}${columns.map((column) => column.padStart(12)).join("")}`);
}
if (process.argv.includes("--save")) writeFileSync(LANDED, `${JSON.stringify(figures, null, 2)}\n`);
process.exit();
