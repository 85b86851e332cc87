// npm run test:desktop [-- <package file>]: drives the packed file as a user of a desktop does. On Windows and macOS on the system itself;
// on Linux as Windows under Wine, and as macOS without /proc.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensureWindows, Wine } from "./desktop/wine.mjs";
import { runEntryPoint } from "./entry-point.mjs";
import { ROOT } from "./project-root.mjs";
import { runCommand, runNpm, StepError } from "./run-command.mjs";
import { ensureNode, report, seconds } from "./setup.mjs";

const DRIVE = path.join(ROOT, "scripts/desktop/drive.mjs");
const PRELOAD = path.join(ROOT, "e2e/support/darwin-without-proc.cjs");
/** A drive takes one to three minutes. */
const DRIVE_LIMIT_MS = 6 * 60_000;

/** @typedef {{ title: string, ms: number, error: string }} Check */

/** @param {string} system @param {string} file @param {string} output of a drive that did not report why it ended @returns {{ passed: number, failed: number }} */
function showChecks(system, file, output) {
  /** @type {Check[]} */
  const checks = existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
  for (const { title, ms, error } of checks) {
    console.log(`${error === "" ? "✓" : "✗"} ${system}: ${title} (${seconds(ms)})${error === "" ? "" : `\n${error}`}`);
  }
  const failed = checks.filter(({ error }) => error !== "").length;
  const passed = checks.length - failed;
  if (output === "" || failed > 0) return { passed, failed };
  console.log(`✗ ${system}: the drive ended before its last check\n${output}`);
  return { passed, failed: 1 };
}

/** @param {string} system @param {string} file of the package @param {string} folder @param {string[]} [words] */
async function driveHere(system, file, folder, words = []) {
  const checks = path.join(folder, "report.jsonl");
  const own = path.join(folder, "drive");
  const args = [DRIVE, "--package", file, "--folder", own, "--report", checks, ...words];
  const { code, output } = await runCommand(process.execPath, args, { timeoutMs: DRIVE_LIMIT_MS });
  return showChecks(system, checks, code === 0 ? "" : output || `It ended with ${code}`);
}

/** @param {string} file of the package @param {string} folder */
async function driveByWine(file, folder) {
  const wine = new Wine(folder);
  const checks = path.join(folder, "report.jsonl");
  try {
    await wine.prepare(file, "drive");
    const words = ["--folder", "C:\\drive", "--report", wine.toWindows(checks)];
    const code = await wine.runNode(DRIVE, [...words, "--wine"], DRIVE_LIMIT_MS);
    return showChecks("Windows (Wine)", checks, code === 0 ? "" : wine.readOutput() || `It ended with ${code}`);
  } finally {
    await wine.close();
  }
}

/** @template T @param {(folder: string) => Promise<T>} body */
async function inFolder(body) {
  const folder = mkdtempSync(path.join(tmpdir(), "tr-desktop-"));
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @returns {Promise<string>} the file */
async function makePackage() {
  const { code, output } = await runNpm(["run", "package"], { cwd: ROOT });
  const [, name] = /npx \.\/(\S+\.tgz)/.exec(output) ?? [];
  if (code !== 0 || name === undefined) throw new StepError("npm run package failed.", { output });
  return path.join(ROOT, name);
}

await runEntryPoint(async () => {
  ensureNode();
  const [named] = process.argv.slice(2);
  const file = named === undefined ? await makePackage() : path.resolve(named);
  if (!existsSync(file)) throw new StepError(`There is no ${file}.`, { wayOut: "Make it with: npm run package" });
  const results = [];
  if (process.platform === "linux") {
    const obstacle = await ensureWindows((note) => report("wine", note));
    if (obstacle === null) results.push(await inFolder((folder) => driveByWine(file, folder)));
    else {
      report("wine", `Windows is not tried. ${obstacle.reason}`);
      // Continuous integration has to notice what it does not try.
      if (process.env.CI && !obstacle.isOffline) results.push({ passed: 0, failed: 1 });
    }
    const words = ["--as", "darwin", "--preload", PRELOAD];
    results.push(await inFolder((folder) => driveHere("no /proc, as macOS", file, folder, words)));
  } else {
    const system = process.platform === "win32" ? "Windows" : "macOS";
    results.push(await inFolder((folder) => driveHere(system, file, folder)));
  }
  const sum = (/** @type {"passed" | "failed"} */ key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  if (sum("failed") > 0 || sum("passed") === 0) process.exitCode = 1;
});
