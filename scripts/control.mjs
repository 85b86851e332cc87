// Requests of local commands to the running server, which owns the database: add the sample data, stop.
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createControlGuard } from "./running-server.mjs";

export const SEED_PATH = "/api/control/seed";
export const STOP_PATH = "/api/control/stop";
const MAX_BODY_CHARS = 65_536;
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

/**
 * @typedef {import("node:http").IncomingMessage} Request
 * @typedef {import("node:http").ServerResponse} Response
 * @typedef {(names: readonly string[], report: (scenario: string, outcome: string) => void) => Promise<void>} Seed
 *   rejects for an unknown scenario, before anything is changed
 */

/** @param {Response} response @param {number} status @param {string} message */
function refuse(response, status, message) {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ error: { message } }));
}

/** @param {Request} request @returns {Promise<string | null>} null for one that is too long */
async function readBody(request) {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) {
    body += chunk;
    if (body.length > MAX_BODY_CHARS) return null;
  }
  return body;
}

/** @param {string} body @returns {string[] | null} */
function readNames(body) {
  try {
    const { scenarios } = JSON.parse(body);
    return Array.isArray(scenarios) && scenarios.every((name) => typeof name === "string") ? scenarios : null;
  } catch {
    return null;
  }
}

/** The scenarios, which no other request needs. @param {string} home @returns {Promise<typeof import("../prisma/seed/index")>} */
async function loadScenarios(home) {
  const packed = path.join(home, "dist", "seed.mjs");
  if (existsSync(packed)) return await import(pathToFileURL(packed).href);
  const { importServerCode } = await import("./server-code.mjs");
  return await importServerCode("prisma/seed/index.ts");
}

/**
 * @param {string} note of the running server
 * @param {Seed} seed
 * @param {() => void} stop begins to drain
 * @returns {(request: Request, response: Response) => Promise<void>} never rejects
 */
export function createControl(note, seed, stop) {
  const isSigned = createControlGuard(note);
  let isBusy = false;
  return async (request, response) => {
    // Pages of a browser have no business here, whatever they know.
    const isOutside = !LOOPBACK.test(request.socket.remoteAddress ?? "") || request.headers.origin !== undefined;
    const { url = "" } = request;
    if (isOutside || (url !== SEED_PATH && url !== STOP_PATH)) return refuse(response, 404, "Not found");
    if (request.method !== "POST") return refuse(response, 405, "Method not allowed");
    const body = await readBody(request).catch(() => null);
    if (body === null) return refuse(response, 413, "The request is too large");
    if (!isSigned({ url, headers: request.headers }, body)) {
      return refuse(response, 403, "Only a command that can read the data folder may do this");
    }
    if (url === STOP_PATH) {
      response.writeHead(202, { "cache-control": "no-store", connection: "close" }).end();
      return stop();
    }
    const names = readNames(body);
    if (names === null) return refuse(response, 400, 'The body must be { "scenarios": ["name", …] }');
    if (isBusy) return refuse(response, 409, "Sample data is being added already. Try again when it is done");
    isBusy = true;
    const write = (/** @type {object} */ line) => void response.write(`${JSON.stringify(line)}\n`);
    response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
    try {
      await seed(names, (scenario, outcome) => write({ scenario, outcome }));
      write({ done: true });
    } catch (error) {
      write({ error: error instanceof Error ? error.message : String(error) });
    } finally {
      isBusy = false;
      response.end();
    }
  };
}

/** @param {string} home @param {() => Promise<{ sampleData: import("../prisma/seed/seed-context").RunningServer }>} getContainer @returns {Seed} */
export const createSeed = (home, getContainer) => async (names, report) => {
  const { seedRunning } = await loadScenarios(home);
  const { sampleData } = await getContainer();
  await seedRunning(sampleData, names, report);
};
