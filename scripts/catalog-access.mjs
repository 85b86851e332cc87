import { setTimeout as sleep } from "node:timers/promises";
import { applyLocations, IS_PACKAGE } from "./locations.mjs";
import { ROOT } from "./project-root.mjs";
import { failStep, StepError } from "./run-command.mjs";
import { isAlive, readRunningServer, serverFile, serverStatus } from "./running-server.mjs";
import { importServerCode, prepareServerCode } from "./server-code.mjs";

/**
 * @typedef {import("../src/lib/contract/catalog-file").ImportPreview} ImportPreview
 * @typedef {import("../src/lib/contract/catalog-file").ImportOutcome} ImportOutcome
 * @typedef {import("../src/lib/contract/catalog-file").ImportDecision} ImportDecision
 * @typedef {object} Catalog export and import, through the running server or at the database
 * @property {(options: { versions: boolean, exportedAt: boolean }) => Promise<{ text: string, notes: string[] }>} export
 * @property {(text: string) => Promise<ImportPreview>} preview
 * @property {(request: { text: string, digest: string, decisions: ImportDecision[] }) => Promise<ImportOutcome>} import
 * @property {(name: string) => Promise<FirstConnection>} connect waits for the first connection of a server, which an import began
 * @property {(name: string) => Promise<void>} remove deletes a server
 * @property {() => Promise<void>} close
 * @typedef {Pick<import("../src/lib/contract/connection-state").ConnectionState, "status" | "reason">} FirstConnection
 */

const REQUEST_LIMIT_MS = 120_000;
const POLL_MS = 250;

/**
 * Through the running server of the database, since it holds the catalog in memory; where none runs, at the database. No
 * server is started.
 * @param {{ create: boolean }} options whether a database may be made
 * @returns {Promise<Catalog>}
 */
export async function openCommandCatalog(options) {
  applyLocations();
  const url = await findServer();
  if (url !== null) return throughServer(url);
  await prepareServerCode();
  // Stdout carries the file, so nothing else may be written there.
  process.env.TOOLROOM_LOG_LEVEL ||= "silent";
  const bundle = "../dist/open-catalog.mjs";
  /** @type {typeof import("../src/server/main/open-catalog")} */
  const { openCatalog, readEnv } = IS_PACKAGE
    ? await import(bundle)
    : await importServerCode("src/server/main/open-catalog.ts");
  return await openCatalog(readEnv(), options).catch(failStep);
}

/** @returns {Promise<string | null>} null where no server uses this database */
async function findServer() {
  if (process.env.TOOLROOM_URL) return process.env.TOOLROOM_URL;
  const file = serverFile(ROOT, process.env.DATABASE_URL);
  const noted = readRunningServer(file);
  if (noted === null || !isAlive(noted.pid)) return null;
  const status = await serverStatus(noted.url, file);
  if (status === "starting" || status === "stopping") {
    throw new StepError(`The Toolroom at ${noted.url} is ${status}.`, { wayOut: "Try again once it has." });
  }
  return status === null ? null : noted.url;
}

/** @param {string} url @returns {Catalog} */
function throughServer(url) {
  const token = process.env.TOOLROOM_API_TOKEN;
  /** @param {string} path @param {object} [body] @param {string} [method] */
  async function ask(path, body, method = body === undefined ? "GET" : "POST") {
    const response = await fetch(`${url.replace(/\/+$/, "")}/api/v1${path}`, {
      method,
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    }).catch((/** @type {unknown} */ error) => {
      throw new StepError(`The Toolroom at ${url} does not answer: ${error instanceof Error ? error.message : error}`);
    });
    const text = await response.text();
    if (response.ok) return text;
    throw new StepError(explainRefusal(response.status, text), {
      ...(response.status === 401 ? { wayOut: "Set TOOLROOM_API_TOKEN to an API token of Settings → Account." } : {}),
    });
  }
  return {
    export: async ({ versions, exportedAt }) => ({
      text: await ask(`/catalog?versions=${versions}&exportedAt=${exportedAt}`),
      notes: [],
    }),
    preview: async (text) => JSON.parse(await ask("/catalog/preview", { text })),
    import: async (request) => JSON.parse(await ask("/catalog/import", request)),
    async connect(name) {
      // The server connects each imported server itself; a request to reconnect would start its process twice.
      for (;;) {
        const { state } = JSON.parse(await ask(`/servers/${encodeURIComponent(name)}`));
        if (state.status !== "connecting") return state;
        await sleep(POLL_MS);
      }
    },
    remove: async (name) => void (await ask(`/servers/${encodeURIComponent(name)}`, undefined, "DELETE")),
    close: async () => undefined,
  };
}

/** @param {number} status @param {string} text */
function explainRefusal(status, text) {
  try {
    return String(JSON.parse(text).error.message);
  } catch {
    return `The server answered ${status}`;
  }
}
