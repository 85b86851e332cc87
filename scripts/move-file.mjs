// Windows refuses to replace a file that another program has open for a moment: a virus scanner, OneDrive, an MCP client.
import { renameSync } from "node:fs";
import { rename } from "node:fs/promises";

/** The bundler of the console replaces `process.platform` by the system of the build: it cannot see this. */
export const PLATFORM = /** @type {NodeJS.Platform} */ (Reflect.get(process, "platform"));
const BUSY_CODES = ["EPERM", "EACCES", "EBUSY"];
const LIMIT_MS = 2_000;
const PAUSE_MS = 25;

/**
 * @typedef {object} System what tests replace
 * @property {NodeJS.Platform} [platform]
 * @property {() => number} [now]
 * @property {(from: string, to: string) => void | Promise<void>} [rename]
 * @property {(ms: number) => void | Promise<void>} [pause]
 */

/** @param {unknown} error @param {NodeJS.Platform} platform */
function isOpenElsewhere(error, platform) {
  return platform === "win32" && BUSY_CODES.includes(String(/** @type {{ code?: unknown }} */ (error)?.code));
}

/** @param {number} ms */
const blockFor = (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Replaces `to` in one step; on Windows tries for 2 s while another program has it open. @param {string} from @param {string} to @param {System} [system] */
export function moveFileSync(from, to, system = {}) {
  const { platform = PLATFORM, now = Date.now, rename: move = renameSync, pause = blockFor } = system;
  const deadline = now() + LIMIT_MS;
  for (;;) {
    try {
      move(from, to);
      return;
    } catch (error) {
      if (!isOpenElsewhere(error, platform) || now() >= deadline) throw error;
      pause(PAUSE_MS);
    }
  }
}

/** `moveFileSync` without blocking the process. @param {string} from @param {string} to @param {System} [system] */
export async function moveFile(from, to, system = {}) {
  const { platform = PLATFORM, now = Date.now, rename: move = rename } = system;
  const { pause = (ms) => new Promise((resolve) => void setTimeout(resolve, ms)) } = system;
  const deadline = now() + LIMIT_MS;
  for (;;) {
    try {
      await move(from, to);
      return;
    } catch (error) {
      if (!isOpenElsewhere(error, platform) || now() >= deadline) throw error;
      await pause(PAUSE_MS);
    }
  }
}
