import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** Files that hold data or secrets of a person, or sources that the package does not need. */
const FORBIDDEN = [
  { pattern: /\.db(?:-wal|-shm|-journal)?$|\.db\./, what: "a database" },
  { pattern: /\.(?:key|pem)$/, what: "a key" },
  { pattern: /(?:^|\/)\.env(?:\.|$)/, what: "an environment file" },
  { pattern: /\.map$/, what: "a source map" },
  { pattern: /^src\/.*\.tsx?$/, what: "TypeScript of the product" },
  { pattern: /^config\/toolroom\.json$/, what: "a configuration" },
];
const TEXT = /\.(?:[cm]?js|json|ts|txt|md|html|css|rsc|body|meta)$/;

/**
 * Lists files and texts that must not be in the package.
 * @param {string} folder of the package @param {readonly string[]} secrets texts that no file may contain, such as the folder of the build
 */
export function findFaults(folder, secrets) {
  const faults = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = name.split(path.sep).join("/");
    if (!statSync(path.join(folder, name)).isFile()) continue;
    for (const { pattern, what } of FORBIDDEN) if (pattern.test(file)) faults.push(`${file} is ${what}`);
    if (!TEXT.test(file)) continue;
    const text = readFileSync(path.join(folder, name), "utf8");
    for (const secret of secrets) if (text.includes(secret)) faults.push(`${file} contains ${secret}`);
    if (file.startsWith(".next/server/") && /["'][a-z0-9@/._-]+-[0-9a-f]{16}(?:["']|\/)/.test(text)) {
      faults.push(`${file} names a package as only the build has it`);
    }
  }
  return faults;
}
