// Where the running Toolroom of a database can be found: a file beside the database that names its address. Plain Node, so
// that server.mjs can write it and the stdio gateway read it.
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { moveFileSync, PLATFORM } from "./move-file.mjs";
import { isPostgresUrl, namePostgresFiles } from "./postgres-address.mjs";

/**
 * @typedef {{ pid: number, url: string, instance?: string, config?: string }} RunningServer `instance` is different for each
 *   process; `config` is the file that `TOOLROOM_CONFIG` names, empty for none
 */

const DEFAULT_DATABASE = "file:./data/toolroom.db";
const HEALTH_LIMIT_MS = 2_000;

/**
 * Relative paths start at the project's folder, as everywhere. For PostgreSQL a file that does not exist, whose name those
 * beside it begin with.
 * @param {string} rootDir @param {string | undefined} databaseUrl
 */
export function toDatabaseFile(rootDir, databaseUrl, dataFolder = process.env.TOOLROOM_DATA) {
  if (databaseUrl && isPostgresUrl(databaseUrl)) {
    return path.resolve(rootDir, dataFolder || "data", namePostgresFiles(databaseUrl));
  }
  return path.resolve(rootDir, readFileUrl(databaseUrl || DEFAULT_DATABASE));
}

/**
 * The path in `file:./a.db`, `file:/a.db`, `file:///a.db` and, on Windows, `file:///C:/a.db` and `file://C:/a.db`. Percent signs
 * are part of a name.
 * @param {string} databaseUrl
 */
export function readFileUrl(databaseUrl, platform = PLATFORM) {
  const [file = ""] = databaseUrl.slice("file:".length).split("?");
  if (platform === "win32") return file.replace(/^\/{1,3}(?=[A-Za-z]:)/, "").replace(/^\/\/(?=\/)/, "");
  return file.replace(/^\/\/(?=\/)/, "");
}

/** `<database>.server.json`. @param {string} rootDir @param {string | undefined} databaseUrl */
export const serverFile = (rootDir, databaseUrl) => `${toDatabaseFile(rootDir, databaseUrl)}.server.json`;

/** The file whose secret proves that a server uses this database. @param {string} file the note of the running server */
const secretFile = (file) => file.replace(/\.server\.json$/, ".instance");
const CHALLENGE = /^[0-9a-f]{64}$/;

/** @param {string} file the note of the running server @returns {string | null} null where no server of this database has run */
function readSecret(file) {
  try {
    const text = readFileSync(secretFile(file), "utf8").trim();
    return CHALLENGE.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** Makes the secret where there is none; of several processes, the first one's counts. @param {string} file */
function ensureSecret(file) {
  if (readSecret(file) !== null) return;
  const draft = `${secretFile(file)}.${process.pid}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(draft, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
    linkSync(draft, secretFile(file));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // Another process was first, or a damaged secret is in the way, or a file system has no hard links.
    if (readSecret(file) === null && code !== "ENOENT") renameIfThere(draft, secretFile(file));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** @param {string} from @param {string} to */
function renameIfThere(from, to) {
  try {
    moveFileSync(from, to);
  } catch (error) {
    console.error(`Couldn't write ${to}: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Binds the answer to the database and the port, so that neither a copy of the data folder nor a program that passes the
 * challenge on to the real server can give it. The secret itself is never sent.
 * @param {string} file the note of the running server @param {number} port @param {string} challenge
 */
function prove(file, port, challenge) {
  const secret = readSecret(file);
  if (secret === null || !CHALLENGE.test(challenge)) return undefined;
  const database = realpathSync.native(secretFile(file));
  return createHmac("sha256", secret)
    .update(JSON.stringify(["toolroom instance", database, port, challenge]))
    .digest("hex");
}

/**
 * For the server: answers the challenge in the query of `/healthz`.
 * @param {string} file the note of the running server @returns {(url: string, port: number) => string | undefined}
 */
export function createProver(file) {
  ensureSecret(file);
  return (url, port) => prove(file, port, new URLSearchParams(url.split("?")[1]).get("challenge") ?? "");
}

/** How far the clocks of a command and the server may be apart, and how long a request may be on its way. */
const CONTROL_LIMIT_MS = 60_000;
const CONTROL_HEADER = "toolroom-control";

/**
 * Only who can read the secret beside the database can sign, and that is who could open the database itself.
 * @param {string} file the note of the running server @param {string[]} parts
 */
function signControl(file, parts) {
  const secret = readSecret(file);
  if (secret === null) return null;
  return createHmac("sha256", secret)
    .update(JSON.stringify(["toolroom control", realpathSync.native(secretFile(file)), ...parts]))
    .digest("hex");
}

/** @param {string} text */
const digest = (text) => createHash("sha256").update(text).digest("hex");

/**
 * The headers of a request that a command of the local owner sends to the running server.
 * @param {string} file the note of the running server @param {string} path @param {string} body
 */
export function signControlRequest(file, path, body) {
  const at = String(Date.now());
  const nonce = randomUUID();
  return { [CONTROL_HEADER]: `${at}.${nonce}.${signControl(file, [path, at, nonce, digest(body)])}` };
}

/**
 * For the server: whether a request comes from the local owner. Each signature counts once.
 * @param {string} file the note of the running server
 * @returns {(request: { url: string, headers: import("node:http").IncomingHttpHeaders }, body: string) => boolean}
 */
export function createControlGuard(file) {
  /** @type {Map<string, number>} */
  const used = new Map();
  return ({ url, headers }, body) => {
    const [at = "", nonce = "", given = ""] = String(headers[CONTROL_HEADER] ?? "").split(".");
    const wanted = signControl(file, [url, at, nonce, digest(body)]);
    if (wanted === null || given.length !== wanted.length) return false;
    if (!timingSafeEqual(Buffer.from(given), Buffer.from(wanted))) return false;
    const now = Date.now();
    for (const [key, until] of used) if (until < now) used.delete(key);
    if (used.has(nonce) || Math.abs(now - Number(at)) > CONTROL_LIMIT_MS) return false;
    used.set(nonce, now + 2 * CONTROL_LIMIT_MS);
    return true;
  };
}

/** The file that `TOOLROOM_CONFIG` names; empty where it is not set. @param {string} rootDir where relative paths start */
export function findConfiguration(rootDir) {
  const { TOOLROOM_CONFIG: named, TOOLROOM_ROOT: root } = process.env;
  return named ? path.resolve(root || rootDir, named) : "";
}

/**
 * Notes that this process serves the database at `url`. The owner of the database alone serves it, so what another process
 * left there is out of date. A failure to write it is not fatal.
 * @param {string} file @param {string} url
 * @returns {() => void} removes the note if it is this process's own
 */
export function writeRunningServer(file, url) {
  const instance = randomUUID();
  const config = findConfiguration(process.cwd());
  try {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify({ pid: process.pid, url, instance, config })}\n`, { mode: 0o600 });
    moveFileSync(draft, file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    console.error(`Couldn't record the running server in ${file}: ${reason}`);
  }
  return () => {
    if (readRunningServer(file)?.instance === instance) rmSync(file, { force: true });
  };
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Reads the file; null when there is none. Its process may be gone: see `serverStatus`. @param {string} file */
export function readRunningServer(file) {
  try {
    const { pid, url, instance, config } = JSON.parse(readFileSync(file, "utf8"));
    if (!Number.isInteger(pid) || typeof url !== "string" || !/^https?:\/\//.test(url)) return null;
    return /** @type {RunningServer} */ ({ pid, url, instance, config });
  } catch {
    return null;
  }
}

/**
 * Asks the server itself: `ok`, `starting`, `stopping`, `failing` while it refuses calls, or null when no Toolroom of this
 * database answers there.
 * @param {string} url @param {string} file the note of the running server
 * @returns {Promise<string | null>}
 */
export async function serverStatus(url, file) {
  const challenge = randomBytes(32).toString("hex");
  try {
    const { port, protocol } = new URL(url);
    const wanted = prove(file, Number(port || (protocol === "https:" ? 443 : 80)), challenge);
    if (wanted === undefined) return null;
    const response = await fetch(new URL(`/healthz?challenge=${challenge}`, url), {
      redirect: "error",
      signal: AbortSignal.timeout(HEALTH_LIMIT_MS),
    });
    const { status, proof } = await response.json();
    const given = Buffer.from(String(proof));
    const own = Buffer.from(wanted);
    const isProven = given.length === own.length && timingSafeEqual(given, own);
    return isProven && typeof status === "string" ? status : null;
  } catch {
    return null;
  }
}
