import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { runEntryPoint } from "./entry-point.mjs";
import { StepError } from "./run-command.mjs";
import { ensureNode, ensureRunnable, report, VERBOSE } from "./setup.mjs";

const HOST = process.env.HOST || "127.0.0.1";
const PORT = process.env.PORT || "3000";

/** @param {number} port @returns {Promise<NodeJS.ErrnoException | null>} */
function tryPort(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen(port, HOST, () => probe.close(() => resolve(null)));
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

/** Checked before the build, which would be useless without the port. */
async function demandPort() {
  const port = Number(PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new StepError(`PORT is "${PORT}", which is not a port number.`, {
      wayOut: "Use a number from 1 to 65535: PORT=3001 npm start",
    });
  }
  const fault = await tryPort(port);
  if (!fault) return;
  if (fault.code !== "EADDRINUSE") {
    throw new StepError(`Cannot listen on ${HOST}:${port}: ${fault.message}`, {
      wayOut: "Choose another address with HOST and PORT, for example: HOST=127.0.0.1 PORT=3001 npm start",
    });
  }
  const url = `http://${HOST}:${port}`;
  const holder = (await isToolroom(url)) ? `Toolroom may already be running: open ${url}, or start` : "Start";
  throw new StepError(`Port ${port} on ${HOST} is in use.`, {
    wayOut: `${holder} on another port: PORT=${port + 1} npm start`,
  });
}

/** The file that the server reads, or what to do where there is none. */
function describeConfiguration() {
  const { TOOLROOM_CONFIG: named } = process.env;
  const file = named || "config/toolroom.json";
  if (existsSync(file)) return file;
  if (named) return `${named} does not exist: no tools are configured. Create it, or unset TOOLROOM_CONFIG.`;
  return "the example; copy config/toolroom.example.json to config/toolroom.json to make it your own";
}

await runEntryPoint(async (release) => {
  ensureNode();
  await demandPort();
  console.log("Toolroom");
  await ensureRunnable();
  process.env.DATABASE_URL ||= "file:./data/toolroom.db";
  // A collector of logs gets every line; a person in a terminal what needs attention.
  if (!VERBOSE && process.stderr.isTTY) process.env.TOOLROOM_LOG_LEVEL ||= "warn";
  report("database", process.env.DATABASE_URL.replace(/^file:(\.\/)?/, ""));
  report("configuration", describeConfiguration());
  // From here on the server handles the signals: it drains and closes.
  release();
  await import("../server.mjs");
  console.log("Stop it with Ctrl+C.");
});
