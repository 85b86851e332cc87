#!/usr/bin/env node
// `toolroom`: the command line. In a clone it bundles src/server/cli, in the package dist/cli.mjs.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { explain } from "./entry-point.mjs";
import { applyLocations } from "./locations.mjs";
import { ROOT } from "./project-root.mjs";
import { runCommand, StepError } from "./run-command.mjs";
import { importServerCode } from "./server-code.mjs";
import { ensureDependencies, ensureNode } from "./setup.mjs";

const END_LIMIT_MS = 500;
/** For a command that cancels its call. */
const HELD_LIMIT_MS = 4_000;
const BUILT = path.join(ROOT, "dist", "cli.mjs");

/** @returns {Promise<typeof import("../src/server/cli/main")>} */
async function loadCommands() {
  if (existsSync(BUILT)) return await import(pathToFileURL(BUILT).href);
  // Stdout is the command's own.
  const { log } = console;
  console.log = console.error;
  try {
    // The commands speak to a server: they need no database client.
    await ensureDependencies();
  } finally {
    console.log = log;
  }
  return await importServerCode("src/server/cli/main.ts");
}

/** The folder in which the user called the command; npm runs the commands of a clone in the clone's folder. */
const cwd = process.cwd() === ROOT && process.env.INIT_CWD ? process.env.INIT_CWD : process.cwd();
const ending = new AbortController();
/** @type {Promise<unknown>[]} */
const held = [];
/** A command that waits for stdin or a user does not see the signal. */
const onInterrupt = (/** @type {NodeJS.Signals} */ signal) => {
  const end = () => process.exit(signal === "SIGINT" ? 130 : 143);
  ending.abort();
  setTimeout(() => void Promise.allSettled(held).then(end), END_LIMIT_MS).unref();
  setTimeout(end, HELD_LIMIT_MS).unref();
};

/** The server and the bridge handle signals themselves. */
function releaseSignals() {
  process.removeListener("SIGINT", onInterrupt);
  process.removeListener("SIGTERM", onInterrupt);
}

/** The server runs until a signal ends the process. */
const untilSignal = () => new Promise(() => undefined);

/** @param {import("../src/server/cli/command-io").StartOptions} options */
async function start({ data, config, ...options }) {
  const { startToolroom } = await import("./start.mjs");
  const { isOwn } = await startToolroom({ ...options, ...resolvePlace({ data, config }), release: releaseSignals });
  if (isOwn) await untilSignal();
}

/** @param {readonly string[]} args @param {import("../src/server/cli/command-io").StartOptions} given */
async function serveStdio(args, given) {
  const { data, config } = resolvePlace(given);
  if (config !== undefined) process.env.TOOLROOM_CONFIG = config;
  releaseSignals();
  const place = data === undefined ? [] : [`--data=${data}`];
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args, ...place);
  await import("./mcp.mjs");
  await untilSignal();
}

/** Paths begin where the command was called. @param {import("../src/server/cli/command-io").StartOptions} place */
function resolvePlace({ data, config }) {
  const toPath = (/** @type {string | undefined} */ given) =>
    given === undefined ? undefined : path.resolve(cwd, given);
  return { data: toPath(data), config: toPath(config) };
}

/** In a process of its own: a seed and a server are two owners of a database. @param {string} databaseUrl */
async function seed(databaseUrl) {
  console.error("Making the sample data…");
  const env = { DATABASE_URL: databaseUrl };
  const { code, output } = await runCommand(process.execPath, [path.join(ROOT, "scripts", "seed.mjs"), "demo"], {
    env,
  });
  if (code !== 0) throw new StepError(`The sample data could not be made: ${output.trim().split("\n").at(-1)}`);
}

/** @param {{ create: boolean, databaseUrl: string | undefined }} options */
async function openCatalog({ databaseUrl, ...options }) {
  // Its steps go to stderr: stdout is the command's own.
  console.log = console.error;
  if (databaseUrl !== process.env.DATABASE_URL) {
    process.env.DATABASE_URL = databaseUrl;
    delete process.env.TOOLROOM_URL;
  }
  const { openCommandCatalog } = await import("./catalog-access.mjs");
  return await openCommandCatalog(options);
}

async function run() {
  ensureNode();
  // Every command is about the same database, also where it is not in the program's folder.
  applyLocations();
  process.chdir(ROOT);
  const { runCommandLine } = await loadCommands();
  const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
  return await runCommandLine(process.argv.slice(2), {
    // As the command was called: to open another database changes the environment of this process.
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: { ...process.env },
    cwd,
    rootDir: process.env.TOOLROOM_ROOT || ROOT,
    home: ROOT,
    version,
    signal: ending.signal,
    holdExit: (/** @type {Promise<unknown>} */ work) => void held.push(work),
    start,
    serveStdio,
    seed,
    openCatalog,
  });
}

process.on("SIGINT", onInterrupt);
process.on("SIGTERM", onInterrupt);
// The reader has what it wants, as with `toolroom executions list | head`.
process.stdout.on("error", (error) => process.exit("code" in error && error.code === "EPIPE" ? 0 : 1));
try {
  const code = await run();
  process.stdout.write("", () => process.exit(code));
} catch (error) {
  explain(error);
  process.exit(1);
}
