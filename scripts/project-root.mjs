import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of a clone or of the package. Also read by versions of Node that are too old, which are told so. */
export const ROOT = path.resolve(fileURLToPath(new URL("..", import.meta.url)));

/** State between runs: stamps, the lock, reports. Safe to delete. */
export const STATE_DIR = path.join(ROOT, ".toolroom");
