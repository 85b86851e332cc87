#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { followNpm, runEntryPoint } from "./entry-point.mjs";
import { applyLocations, demandDataFolder, findRedirectedDatabases, IS_PACKAGE } from "./locations.mjs";
import { describePostgresUrl, isPostgresUrl } from "./postgres-address.mjs";
import { refreshLaunched } from "./program.mjs";
import { ROOT } from "./project-root.mjs";
import { StepError } from "./run-command.mjs";
import { readRunningServer, serverFile, serverStatus, toDatabaseFile } from "./running-server.mjs";
import { ensureNode, ensureRunnable, report, VERBOSE } from "./setup.mjs";

const DEFAULT_PORT = 3000;

/** @param {string} host @param {number} port @returns {Promise<NodeJS.ErrnoException | null>} */
function tryPort(host, port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

/** Describes the program that uses the port. */
async function isToolroom(/** @type {string} */ url) {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1_000) });
    const body = await response.json();
    return typeof body?.status === "string";
  } catch {
    return false;
  }
}

/** How a user names another port. */
const sayPort = (/** @type {number} */ port) => (IS_PACKAGE ? `--port ${port}` : `PORT=${port} npm start`);

/** @param {string} host @param {string | number} wanted */
async function demandPort(host, wanted) {
  const port = Number(wanted);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new StepError(`The port is "${wanted}", which is not a port number.`, {
      wayOut: `Use a number from 1 to 65535: ${sayPort(3001)}`,
    });
  }
  const fault = await tryPort(host, port);
  if (!fault) return port;
  if (fault.code !== "EADDRINUSE") {
    const example = IS_PACKAGE ? "--host 127.0.0.1 --port 3001" : "HOST=127.0.0.1 PORT=3001 npm start";
    throw new StepError(`Cannot listen on ${host}:${port}: ${fault.message}`, {
      wayOut: `Choose another address, for example: ${example}`,
    });
  }
  const url = `http://${host}:${port}`;
  const holder = (await isToolroom(url)) ? `Toolroom may already be running: open ${url}, or start` : "Start";
  throw new StepError(`Port ${port} on ${host} is in use.`, {
    wayOut: `${holder} on another port: ${sayPort(port + 1)}`,
  });
}

/** The usual port, or a free one where another program has it. @param {string} host */
async function findPort(host) {
  const fault = await tryPort(host, DEFAULT_PORT);
  return fault?.code === "EADDRINUSE" ? 0 : DEFAULT_PORT;
}

/** The address of the Toolroom that serves this database; null where none does. @param {string} databaseUrl @param {string} root */
async function findRunning(databaseUrl, root) {
  const file = serverFile(root, databaseUrl);
  const noted = readRunningServer(file);
  const status = noted === null ? null : await serverStatus(noted.url, file);
  return noted !== null && (status === "ok" || status === "failing") ? noted.url : null;
}

/** Without a driver, the server says only that something could not be loaded. @returns {Promise<string>} the driver, for users */
async function demandSqlite() {
  // A clone has the package that it imports only now.
  const { describeSqlite } = await import("./sqlite.mjs");
  try {
    return describeSqlite();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const end = message.indexOf(". ") + 1;
    throw new StepError(message.slice(0, end), { wayOut: message.slice(end + 1) });
  }
}

/** The file that the server reads, or what to do where there is none. @param {string} root @param {string} dataFolder */
function describeConfiguration(root, dataFolder) {
  const { TOOLROOM_CONFIG: named } = process.env;
  const file = named || "config/toolroom.json";
  if (existsSync(path.resolve(root, file))) return file;
  if (named) return `${named} does not exist: no tools are configured. Create it, or unset TOOLROOM_CONFIG.`;
  const inData = path.join(dataFolder, file);
  if (existsSync(inData)) return inData;
  if (IS_PACKAGE) return `the example; yours would be ${path.join(root, file)}`;
  return "the example; copy config/toolroom.example.json to config/toolroom.json to make it your own";
}

/** @param {string} url */
function openBrowser(url) {
  const [command = "", ...args] =
    process.platform === "darwin"
      ? ["open", url]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler", url]
        : ["xdg-open", url];
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  child.on("error", () => console.log(`No browser could be started. Open ${url}`));
  child.unref();
}

/**
 * Starts the server in this process, which then ends with a signal. In a clone, what is missing is installed and built first.
 * @param {object} [options]
 * @param {string | number | undefined} [options.port] without one: that of `PORT`, else 3000, or a free one where that is taken
 * @param {string | undefined} [options.host]
 * @param {string | undefined} [options.data] the folder of the database
 * @param {string | undefined} [options.config] the configuration file
 * @param {boolean} [options.open] whether a browser is opened
 * @param {boolean} [options.verbose] steps that had nothing to do are named, and the server logs in JSON
 * @param {() => void} [options.release] called before the server handles signals itself
 * @returns {Promise<{ url: string | null, isOwn: boolean }>} the address, null where a signal came first; `isOwn`: false where
 *   another process serves this data already, and this one has nothing to do
 * @throws StepError
 */
export async function startToolroom({ port, host, data, config, open = false, verbose = VERBOSE, release } = {}) {
  ensureNode();
  const locations = applyLocations({ data, config });
  process.chdir(ROOT);
  followNpm();
  const address = host || process.env.HOST || "127.0.0.1";
  const running = port === undefined ? await findRunning(locations.databaseUrl, locations.root) : null;
  if (running !== null) {
    console.log(`Toolroom is already running: ${running}`);
    if (open) openBrowser(running);
    return { url: running, isOwn: false };
  }
  // Checked before the build, which would be useless without the port.
  const wanted = port ?? (process.env.PORT || undefined);
  const chosen = wanted === undefined ? await findPort(address) : await demandPort(address, wanted);
  const isQuiet = IS_PACKAGE && !verbose;
  if (!isQuiet) console.log("Toolroom");
  if (!IS_PACKAGE) await ensureRunnable();
  const isPostgres = isPostgresUrl(locations.databaseUrl);
  const sqlite = isPostgres ? null : await demandSqlite();
  const file = toDatabaseFile(locations.root, locations.databaseUrl);
  demandDataFolder(path.dirname(file));
  for (const other of findRedirectedDatabases(path.dirname(file))) {
    console.error(
      `Another database is in ${other}: an earlier Toolroom that a client started wrote it. This one uses ${path.dirname(file)}. ` +
        `To use the other one, start with --data "${other}".`,
    );
  }
  process.env.HOST = address;
  process.env.PORT = String(chosen);
  // A collector of logs gets every line; a user in a terminal what needs attention.
  if (!verbose && process.stderr.isTTY) process.env.TOOLROOM_LOG_LEVEL ||= "warn";
  if (!isQuiet) {
    const shown = file.startsWith(ROOT + path.sep) ? path.relative(ROOT, file) : file;
    report(
      "database",
      isPostgres ? (describePostgresUrl(locations.databaseUrl) ?? "PostgreSQL") : `${shown}, ${sqlite}`,
    );
    report("configuration", describeConfiguration(locations.root, path.dirname(file)));
  }
  // From here on the server handles the signals: it drains and closes.
  release?.();
  const { url } = await import("../server.mjs");
  if (url !== null) refreshLaunched(ROOT, path.dirname(file));
  if (open && url !== null) openBrowser(url);
  return { url, isOwn: true };
}

function readArguments() {
  try {
    const options = /** @type {const} */ ({
      port: { type: "string" },
      host: { type: "string" },
      data: { type: "string" },
      config: { type: "string" },
      open: { type: "boolean" },
      verbose: { type: "boolean" },
    });
    return parseArgs({ options }).values;
  } catch (error) {
    throw new StepError(error instanceof Error ? error.message : String(error), {
      wayOut: "The options are --port, --host, --data, --config, --open and --verbose.",
    });
  }
}

const [, command] = process.argv;
if (command && existsSync(command) && realpathSync(command) === fileURLToPath(import.meta.url)) {
  await runEntryPoint(async (release) => {
    const { port = IS_PACKAGE ? undefined : process.env.PORT || DEFAULT_PORT, ...options } = readArguments();
    await startToolroom({ port, ...options, release });
    if (!IS_PACKAGE) console.log("Stop it with Ctrl+C.");
  });
}
