#!/usr/bin/env node
// `toolroom`: the command line. In a clone it loads the TypeScript of src/server/cli, in the package dist/cli.mjs.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { explain } from "./entry-point.mjs";
import { applyLocations } from "./locations.mjs";
import { ROOT } from "./project-root.mjs";
import { runCommand, StepError } from "./run-command.mjs";
import { readRunningServer, serverFile } from "./running-server.mjs";
import { loadTypeScript } from "./server-code.mjs";
import { ensureDependencies, ensureNode } from "./setup.mjs";

const END_LIMIT_MS = 500;
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
    await loadTypeScript();
  } finally {
    console.log = log;
  }
  return await import("../src/server/cli/main.ts");
}

/** Where the caller is: npm runs the commands of a clone in its folder. */
const cwd = process.cwd() === ROOT && process.env.INIT_CWD ? process.env.INIT_CWD : process.cwd();
const ending = new AbortController();
/** A command that waits for stdin or a person does not see the signal. */
const onInterrupt = (/** @type {NodeJS.Signals} */ signal) => {
  const code = signal === "SIGINT" ? 130 : 143;
  ending.abort();
  setTimeout(() => process.exit(code), END_LIMIT_MS).unref();
};

/** The server and the bridge handle signals themselves. */
function releaseSignals() {
  process.removeListener("SIGINT", onInterrupt);
  process.removeListener("SIGTERM", onInterrupt);
}

/** The server runs until a signal ends the process. */
const untilSignal = () => new Promise(() => undefined);

/** @param {string} url */
function openBrowser(url) {
  const [command = "", ...args] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : ["xdg-open"];
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => console.log(`No browser could be started. Open ${url}`));
  child.unref();
}

/** @param {import("../src/server/cli/command-io").StartOptions} options */
async function start({ port, host, data, config, open, verbose }) {
  const { env } = process;
  if (port !== undefined) env.PORT = String(port);
  if (host !== undefined) env.HOST = host;
  if (data !== undefined) env.DATABASE_URL = `file:${path.join(path.resolve(cwd, data), "toolroom.db")}`;
  if (config !== undefined) env.TOOLROOM_CONFIG = path.resolve(cwd, config);
  if (verbose) process.argv.push("--verbose");
  releaseSignals();
  await import("./start.mjs");
  const running = readRunningServer(serverFile(ROOT, env.DATABASE_URL));
  if (open && running !== null) openBrowser(running.url);
  await untilSignal();
}

/** @param {readonly string[]} args @param {import("../src/server/cli/command-io").StartOptions} place */
async function serveStdio(args, { data, config }) {
  const { env } = process;
  if (data !== undefined) env.DATABASE_URL = `file:${path.join(path.resolve(cwd, data), "toolroom.db")}`;
  if (config !== undefined) env.TOOLROOM_CONFIG = path.resolve(cwd, config);
  releaseSignals();
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  await import("./mcp.mjs");
  await untilSignal();
}

/** In a process of its own: a seed and a server are two owners of a database. @param {string} databaseUrl */
async function seed(databaseUrl) {
  console.error("Making the sample data…");
  const env = { DATABASE_URL: databaseUrl };
  const { code, output } = await runCommand(process.execPath, [path.join(ROOT, "scripts", "seed.mjs")], { env });
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
    ...{ stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env },
    ...{ cwd, rootDir: process.env.TOOLROOM_ROOT || ROOT, version, signal: ending.signal },
    ...{ start, serveStdio, seed, openCatalog },
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
