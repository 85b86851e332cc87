import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project-root.mjs";

/** @param {string} relative @param {(relative: string) => boolean} wanted @returns {string[]} */
function filesUnder(relative, wanted) {
  const absolute = path.join(ROOT, relative);
  if (!existsSync(absolute) || !wanted(relative)) return [];
  if (!statSync(absolute).isDirectory()) return [relative];
  return readdirSync(absolute)
    .sort()
    .flatMap((name) => filesUnder(`${relative}/${name}`, wanted));
}

/**
 * One hash for the names and the contents of files and folders, independent of file times.
 * @param {string[]} sources relative to the project
 * @param {{ salt?: string[], wanted?: (relative: string) => boolean }} [options] `salt`: other things that matter
 */
export function contentHash(sources, { salt = [], wanted = () => true } = {}) {
  const hash = createHash("sha256");
  for (const text of salt) hash.update(`${text}\0`);
  for (const source of sources) {
    for (const file of filesUnder(source, wanted)) {
      hash
        .update(`${file}\0`)
        .update(readFileSync(path.join(ROOT, file)))
        .update("\0");
    }
  }
  return hash.digest("hex");
}
