// Where the running Toolroom of a database can be found: a file beside the database that names its address. Plain Node, so
// that server.mjs can write it and the stdio gateway read it.
import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** @typedef {{ pid: number, url: string, instance?: string }} RunningServer `instance` is different for each process */

const DEFAULT_DATABASE = "file:./data/toolroom.db";
const HEALTH_LIMIT_MS = 2_000;
const LOOK_AGAIN_MS = 10_000;

/**
 * `<database>.server.json`. Relative paths start at the project's folder, as everywhere.
 * @param {string} rootDir @param {string | undefined} databaseUrl
 */
export function serverFile(rootDir, databaseUrl) {
  const [file = ""] = (databaseUrl || DEFAULT_DATABASE).slice("file:".length).split("?");
  return `${path.resolve(rootDir, file.replace(/^\/\/(?=\/)/, ""))}.server.json`;
}

/**
 * Notes that this process serves the database at `url`. One server per database owns the note: while another
 * live server owns it, this one waits and takes over once the other has ended. A failure to write it is not fatal.
 * @param {string} file @param {string} url @param {number} [lookAgainMs]
 * @returns {() => void} removes the note if it is this process's own
 */
export function writeRunningServer(file, url, lookAgainMs = LOOK_AGAIN_MS) {
  const instance = randomUUID();
  let ended = false;
  let reported = false;

  function write() {
    try {
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify({ pid: process.pid, url, instance })}\n`, { mode: 0o600 });
      renameSync(draft, file);
    } catch (error) {
      if (reported) return;
      reported = true;
      const reason = error instanceof Error ? error.message : error;
      console.error(`Couldn't record the running server in ${file}: ${reason}`);
    }
  }

  async function takeOver() {
    const noted = readRunningServer(file);
    if (noted?.instance === instance) return;
    // A server that noted the process id or the address that this process has now must have ended.
    const mayLive = noted !== null && noted.url !== url && noted.pid !== process.pid && isAlive(noted.pid);
    if (mayLive && (await serverStatus(noted.url)) !== null) return;
    if (!ended) write();
  }

  void takeOver();
  const timer = setInterval(() => void takeOver(), lookAgainMs);
  timer.unref();
  return () => {
    ended = true;
    clearInterval(timer);
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

/** What the file says, null when there is none. Its process may be gone: see `serverStatus`. @param {string} file */
export function readRunningServer(file) {
  try {
    const { pid, url, instance } = JSON.parse(readFileSync(file, "utf8"));
    if (!Number.isInteger(pid) || typeof url !== "string" || !/^https?:\/\//.test(url)) return null;
    return /** @type {RunningServer} */ ({ pid, url, instance });
  } catch {
    return null;
  }
}

/**
 * Asks the server itself: `ok`, `starting`, `stopping`, `failing` while it refuses calls, or null when no Toolroom answers there.
 * @param {string} url @returns {Promise<string | null>}
 */
export async function serverStatus(url) {
  try {
    const response = await fetch(new URL("/healthz", url), { signal: AbortSignal.timeout(HEALTH_LIMIT_MS) });
    const body = await response.json();
    return typeof body?.status === "string" ? body.status : null;
  } catch {
    return null;
  }
}
