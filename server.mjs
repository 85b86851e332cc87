// One HTTP server for the console and the MCP gateway. It imports nothing of ours: what it needs is in the container, which
// src/instrumentation.ts puts on globalThis, because a module imported here would be a second instance of it. What it
// takes from scripts/ has no state.
import { existsSync, readFileSync } from "node:fs";
import { createServer, IncomingMessage } from "node:http";
import { setFlagsFromString } from "node:v8";
import { addBasePath, announceBasePath, readBasePath } from "./scripts/base-path.mjs";
import { createControl, createSeed } from "./scripts/control.mjs";
import { logPrintedErrors } from "./scripts/error-lines.mjs";
import { CONNECTION_LIMITS, checkTarget, EdgeRequest, errorBody } from "./scripts/http-edge.mjs";
import { createProver, serverFile, writeRunningServer } from "./scripts/running-server.mjs";
import { refuseConnect, refuseUpgrade } from "./scripts/upgrade-handler.mjs";

// Optimizing the WebAssembly of Prisma's query compiler takes 55 MB that stay, and a second of processor time at the start.
setFlagsFromString("--liftoff-only");

const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** A catalog file of 10 MB in quotes, where quotation marks and line breaks take two characters. */
const MAX_FILE_BODY_BYTES = 24 * 1024 * 1024;
/** How long a client may take to read an answer after the last call has ended. */
const LAST_ANSWERS_MS = 2_000;
/** After the grace of running calls; reached only when closing hangs. */
const CLOSE_LIMIT_MS = 30_000;
const CONTAINER = Symbol.for("toolroom.container");

const hostname = process.env.HOST || "127.0.0.1";
const wantedPort = Number(process.env.PORT || 3000);
/** While it is draining, everything is served as before, but balancers read that no more should be sent. @type {"starting" | "ready" | "draining" | "stopping"} */
let phase = "starting";
/** @type {(request: IncomingMessage, response: import("node:http").ServerResponse) => Promise<void>} */
let handle;
/** @type {{ handle(request: IncomingMessage, response: import("node:http").ServerResponse): Promise<void> }} */
let gateway;
/** @type {{ handle(request: IncomingMessage, response: import("node:http").ServerResponse): void }} */
let liveEndpoint;
/** For other copies of the server; null where there is one process. @type {{ handle(request: IncomingMessage, response: import("node:http").ServerResponse): Promise<void> } | null} */
let instanceEndpoint = null;
/** @type {{ handle(request: IncomingMessage, response: import("node:http").ServerResponse): Promise<void> }} */
let metrics;
/** Why calls are refused although the server runs. @type {() => string | null} */
let findProblem = () => null;
/** The path of the page that creates the first account. @type {() => Promise<string | null>} */
let setup = async () => null;
/** Replaces what a client says about its own address; the reason of a refusal, or null. @type {(request: IncomingMessage) => string | null} */
let admit = () => null;
/** @type {import("./scripts/error-lines.mjs").Logger | null} */
let logger = null;
/** Takes away the note of where this server is found. */
let unnote = () => {};

/** @param {import("node:http").ServerResponse} response @param {number} status @param {object} body */
function answer(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", ...headers });
  response.end(JSON.stringify(body));
}

const isServing = () => phase === "ready" || phase === "draining";

/** @param {IncomingMessage} request */
function bodyLimit({ url = "" }) {
  const takesFile =
    /^\/api\/(?:trpc\/(?:sharing|cassettes)\.|v1\/(?:catalog|cassettes)\/)(?:preview|import)(?:\?|$)/.test(url);
  return takesFile ? MAX_FILE_BODY_BYTES : MAX_BODY_BYTES;
}

/** @param {IncomingMessage} request @param {import("node:http").ServerResponse} response */
function refuseBody(request, response) {
  const message = `The request is larger than ${bodyLimit(request)} bytes.`;
  response.once("finish", () => request.destroy());
  if (response.headersSent) request.destroy();
  else answer(response, 413, errorBody(413, message), { connection: "close" });
}

/** As a program of each door and a browser read it. */
function refuseOutside(
  /** @type {IncomingMessage} */ { url = "", headers },
  /** @type {import("node:http").ServerResponse} */ response,
  /** @type {string} */ message,
) {
  if (/^\/mcp(?:[/?]|$)/.test(url)) {
    answer(response, 403, { jsonrpc: "2.0", id: null, error: { code: -32_000, message } }, { connection: "close" });
  } else if (headers.accept?.includes("text/html")) {
    const type = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", connection: "close" };
    response.writeHead(403, type).end(`${message}\n`);
  } else answer(response, 403, errorBody(403, message), { connection: "close" });
}

/** A chunked body tells its size only as it comes: what is too much never reaches the application. */
function countBody(/** @type {IncomingMessage} */ request, /** @type {import("node:http").ServerResponse} */ response) {
  let received = 0;
  const most = bodyLimit(request);
  request.push = (chunk, encoding) => {
    const before = received;
    received += chunk?.length ?? 0;
    if (received <= most) return IncomingMessage.prototype.push.call(request, chunk, encoding);
    if (before <= most) refuseBody(request, response);
    return true;
  };
}

/** The product's files. Relative paths of a person begin elsewhere in the package: see scripts/locations.mjs. */
const home = import.meta.dirname;
process.env.TOOLROOM_HOME ||= home;
const note = serverFile(process.env.TOOLROOM_ROOT || home, process.env.DATABASE_URL);
/** Shows the stdio bridge that this server uses its database. */
const prove = createProver(note);
/** What commands of the local owner ask. */
const control = createControl(
  note,
  createSeed(home, () => globalThis[CONTAINER]),
  () => onSignal("SIGTERM"),
);

/** Under which the server is reached. @type {string} */
const basePath = readBasePathOrExit();

/** Connections that browsers open in advance: no request has come over them, so closeIdleConnections() leaves them. */
const unused = new Set();

const server = createServer({ IncomingMessage: EdgeRequest, ...CONNECTION_LIMITS }, (request, response) => {
  unused.delete(request.socket);
  addBasePath(response, basePath);
  const refusal = checkTarget(request, basePath);
  if (refusal !== null) {
    if (refusal.status === 204) response.writeHead(204, refusal.headers).end();
    else answer(response, refusal.status, errorBody(refusal.status, refusal.message), refusal.headers);
  } else if (request.url?.split("?", 1)[0] === "/healthz") {
    const message = isServing() ? findProblem() : null;
    const proof = prove(request.url, request.socket.localPort ?? 0);
    if (message !== null) answer(response, 503, { status: "failing", error: { message }, proof });
    else answer(response, isServing() ? 200 : 503, { status: phase === "ready" ? "ok" : phase, proof });
  } else if (request.url?.split("?", 1)[0] === "/readyz") {
    const message = phase === "ready" ? findProblem() : `Toolroom is ${phase}.`;
    if (message === null) answer(response, 200, { status: "ok" });
    else answer(response, 503, { status: phase === "ready" ? "failing" : phase, error: { message } });
  } else if (!isServing()) {
    const message = phase === "starting" ? "Toolroom is starting." : "Toolroom is stopping.";
    answer(response, 503, errorBody(503, message), {
      "retry-after": "1",
      connection: "close",
      "toolroom-phase": phase,
    });
  } else if (request.url?.startsWith("/api/control/")) {
    void control(request, response);
  } else route(request, response);
});

/** @param {IncomingMessage} request @param {import("node:http").ServerResponse} response */
function route(request, response) {
  const refusal = admit(request);
  if (refusal !== null) refuseOutside(request, response, refusal);
  else if (/^\/mcp(?:[/?]|$)/.test(request.url ?? "")) {
    // Programs, not pages: the gateway has its own guards and limits.
    gateway.handle(request, response);
  } else if (/^\/api\/live(?:\?|$)/.test(request.url ?? "")) {
    liveEndpoint.handle(request, response);
  } else if (instanceEndpoint !== null && request.url === "/api/copies/servers") {
    instanceEndpoint.handle(request, response);
  } else if (/^\/metrics(?:\?|$)/.test(request.url ?? "")) {
    metrics.handle(request, response);
  } else if (Number(request.headers["content-length"] ?? 0) > bodyLimit(request)) {
    refuseBody(request, response);
  } else {
    if (request.headers["content-length"] === undefined) countBody(request, response);
    handle(request, response).catch((error) => {
      console.error(error);
      if (!response.headersSent) answer(response, 500, errorBody(500, "The request could not be answered."));
      else response.destroy();
    });
  }
}

server.on("upgrade", (request, socket) => {
  unused.delete(socket);
  refuseUpgrade(request, socket);
});

server.on("connect", (request, socket) => {
  unused.delete(socket);
  refuseConnect(request, socket);
});

server.on("connection", (socket) => {
  unused.add(socket);
  socket.once("close", () => unused.delete(socket));
});

/** No new connections or requests; running calls end within their grace and are answered, then the container closes what it opened. */
async function stop() {
  phase = "stopping";
  unnote();
  const container = await globalThis[CONTAINER];
  setTimeout(() => process.exit(1), CLOSE_LIMIT_MS + (container?.shutdownGraceMs ?? 0)).unref();
  container?.beginStop();
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of unused) socket.destroy();
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await container?.endCalls();
  const cut = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
  await container?.close();
}

/** Ends the wait of a server that is draining. */
let stopWaiting = () => {};

/** Balancers notice that the server is not ready, and send what comes next elsewhere. A second signal ends the wait. */
async function drain() {
  const container = phase === "ready" ? await globalThis[CONTAINER] : null;
  if (!container?.drainMs) return;
  phase = "draining";
  console.log(`Toolroom takes requests for another ${container.drainMs / 1_000} s before it stops.`);
  const waited = new Promise((resolve) => {
    stopWaiting = () => resolve(undefined);
    setTimeout(resolve, container.drainMs);
  });
  container.drain().catch((/** @type {unknown} */ error) => console.error(error));
  await waited;
}

/** @param {NodeJS.Signals} signal */
function onSignal(signal) {
  if (phase === "stopping") process.exit(signal === "SIGINT" ? 130 : 143);
  if (phase === "draining") return stopWaiting();
  // Ctrl+C has no balancer before it.
  (signal === "SIGINT" ? stop() : drain().then(stop)).then(
    () => process.exit(0),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
}

function listen() {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(wantedPort, hostname, () => resolve(server.address()));
  });
}

/** Next says how long it took to read its configuration. @param {() => Promise<void>} work */
async function withoutNotices(work) {
  const { log } = console;
  console.log = () => {};
  await work().finally(() => {
    console.log = log;
  });
}

/** The package has no configuration to evaluate, and that of the build can be given a path: Next takes it by the variable that its standalone servers set. */
function setBuiltConfig() {
  if (existsSync(`${home}/next.config.mjs`) && basePath === "") return;
  const { config } = JSON.parse(readFileSync(`${home}/.next/required-server-files.json`, "utf8"));
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify({ ...config, assetPrefix: basePath });
}

function readBasePathOrExit() {
  try {
    return readBasePath(process.env.TOOLROOM_PUBLIC_URL);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

/** @param {unknown} error @returns {never} */
function giveUp(error) {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    console.error(`Port ${wantedPort} on ${hostname} is in use. Choose another: PORT=${wantedPort + 1} npm start`);
  } else console.error(error);
  process.exit(1);
}

process.env.NODE_ENV = "production";
process.env.NEXT_MANUAL_SIG_HANDLE = "1";
process.on("SIGTERM", onSignal);
process.on("SIGINT", onSignal);

// The port first: a second start of the same server must fail before it touches the first one's database.
const { port } = await listen().catch(giveUp);
// The port that the system chose for port 0: the database's note of its owner names it.
process.env.PORT = String(port);
try {
  logPrintedErrors(() => logger);
  setBuiltConfig();
  announceBasePath(basePath, home);
  const { default: next } = await import("next");
  const app = next({ dev: false, quiet: true, hostname, port, dir: home });
  await withoutNotices(() => app.prepare());
  ({ gateway, liveEndpoint, problem: findProblem, setupPath: setup } = await globalThis[CONTAINER]);
  ({ admitRequest: admit, logger, metrics, instanceEndpoint } = await globalThis[CONTAINER]);
  handle = app.getRequestHandler();
} catch (error) {
  giveUp(error);
}
/** Where the server is reached; null while it is not ready. @type {string | null} */
export let url = null;
// A signal may have come during the start; then the end is under way.
if (phase === "starting") {
  phase = "ready";
  // A server that listens everywhere is reached by its loopback name.
  const name = ["0.0.0.0", "::"].includes(hostname) ? "localhost" : hostname;
  url = `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
  unnote = writeRunningServer(note, url);
  console.log(`Toolroom is ready: ${url}`);
  const setupPath = await setup();
  const publicUrl = (process.env.TOOLROOM_PUBLIC_URL || url).replace(/\/$/, "");
  if (setupPath !== null) console.log(`Create the first account, within a day: ${publicUrl}${setupPath}`);
}
