import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project-root.mjs";

/** Lines of docs/requirements.md that this version does not claim, by the start of their ID. */
/** @type {{ reason: string, ids: string[] }[]} Requirements of parts that do not exist yet. */
const LATER = [];

const ID = "[A-Z]{3,4}-\\d\\d";
/** A call of it, test or describe (or the second call of `it.each(…)(…)`) whose title starts with IDs. */
const TITLE = new RegExp(`(?:\\b(it|test|describe)([.\\w]*)|\\))\\s*\\(\\s*["'\`](${ID}(?:[\\s,]+${ID})*)\\b`, "g");
const UNRUN = /\.(skip|todo|fixme)/;

/** @param {string} directory @returns {string[]} */
function testFiles(directory) {
  return readdirSync(path.join(ROOT, directory), { withFileTypes: true, recursive: true })
    .filter(
      (entry) =>
        entry.isFile() && !entry.parentPath.includes("node_modules") && /\.(test\.tsx?|spec\.ts)$/.test(entry.name),
    )
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** IDs at the start of the titles of tests that run. @param {string} source */
export function idsInTitles(source) {
  const code = source.replace(/^\s*\/\/.*$/gm, "").replace(/\/\*[\s\S]*?\*\//g, "");
  return [...code.matchAll(TITLE)]
    .filter(([, , modifiers = ""]) => !UNRUN.test(modifiers))
    .flatMap(([, , , ids = ""]) => ids.match(new RegExp(ID, "g")) ?? []);
}

/** @param {string} id */
const reasonToWait = (id) => LATER.find(({ ids }) => ids.some((start) => id.startsWith(start)))?.reason ?? null;

/** Lists the requirements by their tests: `{ proven: Map<id, files>, missing, later, unknown }`. */
export function readRequirements() {
  const document = readFileSync(path.join(ROOT, "docs", "requirements.md"), "utf8");
  const required = [...document.matchAll(new RegExp(`^- (${ID}) `, "gm"))].map(([, id = ""]) => id);
  /** @type {Map<string, Set<string>>} */
  const titles = new Map();
  for (const file of ["src", "e2e", "examples"].flatMap(testFiles)) {
    for (const id of idsInTitles(readFileSync(file, "utf8"))) {
      titles.set(id, (titles.get(id) ?? new Set()).add(path.relative(ROOT, file)));
    }
  }
  const open = required.filter((id) => !titles.has(id));
  return {
    proven: new Map(required.filter((id) => titles.has(id)).map((id) => [id, [...(titles.get(id) ?? [])]])),
    missing: open.filter((id) => reasonToWait(id) === null),
    later: open.filter((id) => reasonToWait(id) !== null),
    unknown: [...titles.keys()].filter((id) => !required.includes(id)),
  };
}

/** Prints the state and answers whether every requirement of this version has a test. */
export function reportRequirements() {
  const { proven, missing, later, unknown } = readRequirements();
  console.log(`proven (${proven.size})`);
  for (const [id, files] of proven) console.log(`  ${id.padEnd(8)} ${files.join(", ")}`);
  for (const { reason } of LATER) {
    const ids = later.filter((id) => reasonToWait(id) === reason);
    console.log(`later (${ids.length}): ${reason}\n  ${ids.join(" ")}`);
  }
  if (unknown.length > 0) console.log(`in a title but not in docs/requirements.md: ${unknown.join(" ")}`);
  console.log(missing.length > 0 ? `missing (${missing.length})\n  ${missing.join(" ")}` : "missing: none");
  return missing.length === 0 && unknown.length === 0;
}

if (process.argv[1] === import.meta.filename) {
  const complete = reportRequirements();
  if (!complete && process.argv.includes("--strict")) process.exitCode = 1;
}
