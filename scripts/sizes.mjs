import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project-root.mjs";
import { packageBin, runCommand } from "./run-command.mjs";

const FOLDERS = ["src", "prisma/seed"];
/** Exempt: its functions are lists of constructors. */
const COMPOSITION = "src/server/main/";
const MAX_FILE_LINES = 300;
/** The rule in `biome.json` has the same limit. */
const MAX_FUNCTION_LINES = 80;
/** Raise it only with a feature, in the change that needs it, and a decision (0041). */
const MAX_PRODUCT_LINES = 123_800;

const SOURCE = /\.(tsx?|mjs|css)$/;
const TEST = /\.(test|spec|test-support)\.tsx?$/;

/** @param {string} folder @returns {string[]} product files, relative to the project */
function listSources(folder) {
  const names = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names
    .map((name) => path.join(folder, name))
    .filter((file) => SOURCE.test(file) && !TEST.test(file) && !file.startsWith("src/server/platform/db/generated"));
}

/** Lines of the product without tests, and what is longer than the limits. Biome measures functions. */
export async function measureSizes() {
  let lines = 0;
  const files = [];
  const functions = [];
  for (const file of FOLDERS.filter((folder) => existsSync(path.join(ROOT, folder))).flatMap(listSources)) {
    const count = readFileSync(path.join(ROOT, file), "utf8").split("\n").length - 1;
    lines += count;
    if (count > MAX_FILE_LINES) files.push(`${file}: ${count} lines, at most ${MAX_FILE_LINES}`);
  }
  const { output } = await runCommand(process.execPath, [
    packageBin("@biomejs/biome", "biome"),
    ...["lint", "--only=complexity/noExcessiveLinesPerFunction", "--max-diagnostics=none", "--reporter=github"],
    ...FOLDERS,
  ]);
  for (const [, file = "", line, count] of output.matchAll(/file=([^,]+),line=(\d+).*too many lines \((\d+)\)/g)) {
    const relative = path.relative(ROOT, path.resolve(ROOT, file));
    if (TEST.test(file) || relative.startsWith(COMPOSITION)) continue;
    functions.push(`${relative}:${line}: a function of ${count} lines, at most ${MAX_FUNCTION_LINES}`);
  }
  return { lines, maxLines: MAX_PRODUCT_LINES, files, functions };
}
