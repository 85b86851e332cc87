import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** Files that hold data or secrets of a user, or sources that the package does not need. */
const FORBIDDEN = [
  { pattern: /\.db(?:-wal|-shm|-journal)?$|\.db\./, what: "a database" },
  { pattern: /\.(?:key|pem)$/, what: "a key" },
  { pattern: /(?:^|\/)\.env(?:\.|$)/, what: "an environment file" },
  { pattern: /\.map$/, what: "a source map" },
  { pattern: /^src\/.*\.tsx?$/, what: "TypeScript of the product" },
  { pattern: /^config\/toolroom\.json$/, what: "a configuration" },
  { pattern: /(?:^|\/)binding\.gyp$/, what: "built by npm when the package is installed" },
];
/** Texts of branches for one system, in the console's build: the bundler drops what it takes for the branch of another one. */
const BRANCHES = [
  { text: "taskkill", system: "Windows" },
  { text: "/proc/", system: "Linux" },
];
const TEXT = /\.(?:[cm]?js|json|ts|txt|md|html|css|rsc|body|meta)$/;

/**
 * Lists files and texts that must not be in the package.
 * @param {string} folder of the package @param {readonly string[]} secrets texts that no file may contain, such as the folder of the build
 */
export function findFaults(folder, secrets) {
  const faults = [];
  const missing = new Set(BRANCHES);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = name.split(path.sep).join("/");
    if (!statSync(path.join(folder, name)).isFile()) continue;
    for (const { pattern, what } of FORBIDDEN) if (pattern.test(file)) faults.push(`${file} is ${what}`);
    if (!TEXT.test(file)) continue;
    const text = readFileSync(path.join(folder, name), "utf8");
    if (/(?:^|\/)package\.json$/.test(file) && /"(?:pre|post)?install"\s*:/.test(text)) {
      faults.push(`${file} has an install script, which npm may not run`);
    }
    for (const secret of secrets) if (text.includes(secret)) faults.push(`${file} contains ${secret}`);
    if (file.startsWith(".next/server/")) {
      for (const branch of missing) if (text.includes(branch.text)) missing.delete(branch);
    }
    if (file.startsWith(".next/server/") && /["'][a-z0-9@/._-]+-[0-9a-f]{16}(?:["']|\/)/.test(text)) {
      faults.push(`${file} names a package as only the build has it`);
    }
  }
  for (const { system } of missing)
    faults.push(`.next/server lacks what runs on ${system} alone: see src/lib/platform.ts`);
  return faults;
}
