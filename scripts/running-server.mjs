// Where the running Toolroom of a database can be found: a file beside the database that names its address. Plain Node, so
// that server.mjs can write it and the stdio gateway read it.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** @typedef {{ pid: number, url: string }} RunningServer */

const DEFAULT_DATABASE = "file:./data/toolroom.db";
const HEALTH_LIMIT_MS = 2_000;

/**
 * `<database>.server.json`. Relative paths start at the project's folder, as everywhere.
 * @param {string} rootDir @param {string | undefined} databaseUrl
 */
export function serverFile(rootDir, databaseUrl) {
  const [file = ""] = (databaseUrl || DEFAULT_DATABASE).slice("file:".length).split("?");
  return `${path.resolve(rootDir, file.replace(/^\/\/(?=\/)/, ""))}.server.json`;
}

/**
 * Says that this process serves the database at `url`. Failing is no reason not to serve: the file is a convenience.
 * @param {string} file @param {string} url
 * @returns {() => void} takes the file away again, unless another process has written its own meanwhile
 */
export function writeRunningServer(file, url) {
  try {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify({ pid: process.pid, url })}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    console.error(
      `The running server could not be noted in ${file}: ${error instanceof Error ? error.message : error}`,
    );
  }
  return () => {
    if (readRunningServer(file)?.pid === process.pid) rmSync(file, { force: true });
  };
}

/** What the file says, null when there is none. Its process may be gone: see `serverStatus`. @param {string} file */
export function readRunningServer(file) {
  try {
    const { pid, url } = JSON.parse(readFileSync(file, "utf8"));
    if (!Number.isInteger(pid) || typeof url !== "string" || !/^https?:\/\//.test(url)) return null;
    return /** @type {RunningServer} */ ({ pid, url });
  } catch {
    return null;
  }
}

/**
 * Asks the server itself: `ok`, `starting`, `stopping`, or null when no Toolroom answers there.
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
