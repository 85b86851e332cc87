import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project-root.mjs";
import { packageBin, runCommand } from "./run-command.mjs";
import { BUDGETS, RATCHETS } from "./size-budgets.mjs";

const FOLDERS = ["src", "prisma/seed"];
/** Exempt: its functions are lists of constructors. */
const COMPOSITION = "src/server/main/";
const GENERATED = "src/server/platform/db/generated";
const MAX_FILE_LINES = 300;
/** The rule in `biome.json` has the same limit. */
const MAX_FUNCTION_LINES = 80;
/** A file with fewer lines that one other file imports could be a part of it. */
const SMALL_FILE_LINES = 40;

const SOURCE = /\.(tsx?|mjs|css)$/;
const TEST = /\.(test|spec|test-support)\.tsx?$/;
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)"((?:\.{1,2}|@)\/[^"]+)"/g;
const BARREL = "src/lib/contract/index.ts";

/** @param {string} file */
export const isProduct = (file) => SOURCE.test(file) && !TEST.test(file) && !file.startsWith(GENERATED);

/** @param {string} folder @returns {string[]} product files, relative to the project */
function listSources(folder) {
  const names = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.map((name) => path.join(folder, name)).filter(isProduct);
}

/** @param {string} file @returns {string | undefined} the innermost room of the table that holds the file */
export function findRoom(file) {
  return Object.keys(BUDGETS)
    .filter((room) => file.startsWith(`${room}/`))
    .sort((one, other) => other.length - one.length)[0];
}

/** @param {string} from @param {string} specifier @param {ReadonlyMap<string, unknown>} files */
function resolveImport(from, specifier, files) {
  const base = specifier.startsWith("@/") ? `src/${specifier.slice(2)}` : path.join(path.dirname(from), specifier);
  return ["", ".ts", ".tsx", "/index.ts"].map((ending) => base + ending).find((file) => files.has(file));
}

/** @param {ReadonlyMap<string, string>} texts product files by path @returns {Record<keyof typeof RATCHETS, number>} */
function countSigns(texts) {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map();
  let barrelImports = 0;
  let transportComparisons = 0;
  for (const [file, text] of texts) {
    transportComparisons += text.match(/\btransport\s*[!=]==/g)?.length ?? 0;
    for (const [, specifier = ""] of text.matchAll(IMPORT)) {
      const target = resolveImport(file, specifier, texts);
      if (target === undefined) continue;
      if (target === BARREL) barrelImports += 1;
      importers.set(target, (importers.get(target) ?? new Set()).add(file));
    }
  }
  const smallFiles = [...texts].filter(
    ([file, text]) => countLines(text) < SMALL_FILE_LINES && importers.get(file)?.size === 1,
  );
  return { smallFiles: smallFiles.length, barrelImports, transportComparisons };
}

const countLines = (/** @type {string} */ text) => text.split("\n").length - 1;

/** Lines of each room of the product without tests, and everything that is over its limit. Biome measures functions. */
export async function measureSizes() {
  const sources = FOLDERS.filter((folder) => existsSync(path.join(ROOT, folder))).flatMap(listSources);
  const texts = new Map(sources.map((file) => [file, readFileSync(path.join(ROOT, file), "utf8")]));
  /** @type {Record<string, number>} */
  const rooms = Object.fromEntries(Object.keys(BUDGETS).map((room) => [room, 0]));
  const problems = [];
  let lines = 0;
  for (const [file, text] of texts) {
    const count = countLines(text);
    lines += count;
    const room = findRoom(file);
    if (room === undefined) problems.push(`${file}: no room of scripts/size-budgets.mjs holds it`);
    else rooms[room] = (rooms[room] ?? 0) + count;
    if (count > MAX_FILE_LINES) problems.push(`${file}: ${count} lines, at most ${MAX_FILE_LINES}`);
  }
  for (const [room, budget] of Object.entries(BUDGETS)) {
    if ((rooms[room] ?? 0) > budget) problems.push(`${room}: ${rooms[room]} lines, its budget is ${budget}`);
  }
  const signs = countSigns(texts);
  for (const [sign, { most, name }] of Object.entries(RATCHETS)) {
    const count = signs[/** @type {keyof typeof RATCHETS} */ (sign)];
    if (count > most) problems.push(`${count} ${name}, at most ${most}`);
  }
  const { output } = await runCommand(process.execPath, [
    packageBin("@biomejs/biome", "biome"),
    ...["lint", "--only=complexity/noExcessiveLinesPerFunction", "--max-diagnostics=none", "--reporter=github"],
    ...FOLDERS,
  ]);
  for (const [, file = "", line, count] of output.matchAll(/file=([^,]+),line=(\d+).*too many lines \((\d+)\)/g)) {
    const relative = path.relative(ROOT, path.resolve(ROOT, file));
    if (TEST.test(file) || relative.startsWith(COMPOSITION)) continue;
    problems.push(`${relative}:${line}: a function of ${count} lines, at most ${MAX_FUNCTION_LINES}`);
  }
  return { lines, rooms, signs, problems };
}
