import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of a clone or of the package. Its syntax suits old versions of Node, so that the check of the version can say which one is needed. */
export const ROOT = path.resolve(fileURLToPath(new URL("..", import.meta.url)));

/** State between runs: stamps, the lock, reports. Safe to delete. */
export const STATE_DIR = path.join(ROOT, ".toolroom");
