import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { STATE_DIR } from "./project-root.mjs";

const LOCK_FILE = path.join(STATE_DIR, "setup.lock");
const HEARTBEAT_MS = 5_000;
/** A lock without updates for this long is stale, even if its process id exists (reused, or of another machine). */
const SILENCE_MS = 60_000;
const POLL_MS = 250;

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The lock's text, its holder and whether that is gone; null when it is free. @param {string} file */
function readLock(file) {
  try {
    const text = readFileSync(file, "utf8");
    const silentMs = Date.now() - statSync(file).mtimeMs;
    const pid = Number.parseInt(text, 10);
    // Created a moment ago and not written yet.
    if (Number.isNaN(pid)) return { text, pid: 0, stale: silentMs > HEARTBEAT_MS };
    return { text, pid, stale: silentMs > SILENCE_MS || !isAlive(pid) };
  } catch {
    return null;
  }
}

/** Moves a dead holder's lock away; a live one that took its place in between is put back. */
function breakLock(/** @type {string} */ file, /** @type {string} */ staleText) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, "utf8") !== staleText) linkSync(aside, file);
  } catch {
    // Another process was faster; the next round reads the lock again.
  }
  rmSync(aside, { force: true });
}

/** @param {string} file @param {string} token @param {(pid: number) => void} onWait */
async function acquire(file, token, onWait) {
  let told = false;
  for (;;) {
    try {
      writeFileSync(file, token, { flag: "wx" });
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const held = readLock(file);
    if (held?.stale) breakLock(file, held.text);
    else if (held) {
      if (!told) onWait(held.pid);
      told = true;
      await sleep(POLL_MS);
    }
  }
}

/**
 * Runs `work` while no other start of this project installs or builds.
 * @template T
 * @param {() => Promise<T>} work
 * @param {(pid: number) => void} onWait told once, when another process has to be waited for
 * @returns {Promise<T>}
 */
export async function withSetupLock(work, onWait, file = LOCK_FILE) {
  mkdirSync(path.dirname(file), { recursive: true });
  const token = `${process.pid} ${process.hrtime.bigint()}`;
  await acquire(file, token, onWait);
  const release = () => {
    if (readLock(file)?.text === token) rmSync(file, { force: true });
  };
  const heartbeat = setInterval(() => {
    if (readLock(file)?.text === token) utimesSync(file, new Date(), new Date());
  }, HEARTBEAT_MS);
  heartbeat.unref();
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.removeListener("exit", release);
    release();
  }
}
