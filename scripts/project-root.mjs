import path from "node:path";

/** Every path and every command of the scripts starts here, wherever they are called from. */
export const ROOT = path.resolve(import.meta.dirname, "..");

/** What the scripts keep between runs: stamps, the lock, reports. Safe to delete. */
export const STATE_DIR = path.join(ROOT, ".toolroom");
