import path from "node:path";

/** The working folder of all scripts. */
export const ROOT = path.resolve(import.meta.dirname, "..");

/** State between runs: stamps, the lock, reports. Safe to delete. */
export const STATE_DIR = path.join(ROOT, ".toolroom");
