import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ROOT, STATE_DIR } from "./project-root.mjs";
import { packageBin, runCommand } from "./run-command.mjs";

/**
 * What a step found: `passed` and `failed` are counted in the last line; `note` and the names in `failures` are shown
 * in the summary.
 * @typedef {{ passed: number, failed: number, note: string, output?: string, failures?: string[] }} StepResult
 */

/** Fewer modules mean that the tool has not found the sources, so its success means nothing. */
const PLAUSIBLE_MODULES = 60;

/** @param {boolean} good @param {string} note @param {string} [output] @returns {StepResult} */
const oneCheck = (good, note, output = "") => ({ passed: good ? 1 : 0, failed: good ? 0 : 1, note, output });

/** @param {string[]} command @param {Record<string, string>} [env] */
function runBin([packageName = "", binName = packageName, ...args], env = {}, show = false) {
  return runCommand(process.execPath, [packageBin(packageName, binName), ...args], { env, show });
}

export async function checkTypes() {
  // Route types and next-env.d.ts are made by Next; without them a fresh checkout does not type-check.
  const typegen = await runBin(["next", "next", "typegen"], { NEXT_TELEMETRY_DISABLED: "1" });
  // The native compiler takes a quarter of the time; the other one is for tools that need its API.
  const compiler = await runBin(["typescript-7", "tsc", "--noEmit", "-p", "."]);
  const good = typegen.code === 0 && compiler.code === 0;
  const errors = compiler.output.match(/error TS\d+/g)?.length ?? 0;
  return oneCheck(good, good ? "" : `${errors} errors`, (typegen.code === 0 ? "" : typegen.output) + compiler.output);
}

export async function checkStyle() {
  const { code, output } = await runBin([
    "@biomejs/biome",
    "biome",
    "check",
    "--diagnostic-level=warn",
    "--error-on-warnings",
    ".",
  ]);
  return oneCheck(code === 0, "", output);
}

export async function checkDependencyRules() {
  const sources = ["src", "e2e", "bench", "scripts", "prisma", "server.mjs"].filter((name) =>
    existsSync(path.join(ROOT, name)),
  );
  const { code, output } = await runBin([
    "dependency-cruiser",
    "depcruise",
    "--config",
    ".dependency-cruiser.cjs",
    ...sources,
  ]);
  const modules = Number(/(\d+) modules/.exec(output)?.[1] ?? 0);
  const seen = modules >= PLAUSIBLE_MODULES;
  const complaint = seen
    ? ""
    : `\nOnly ${modules} modules were seen: the check is blind. Is TypeScript the version that package.json names?\n`;
  return oneCheck(code === 0 && seen, `${modules} modules`, output + complaint);
}

export async function checkUnused() {
  const { code, output } = await runBin(["knip", "knip", "--no-progress"]);
  return oneCheck(code === 0, "", output);
}

export async function checkRequirements() {
  const { code, output } = await runCommand(process.execPath, ["scripts/requirements.mjs", "--strict"]);
  return oneCheck(code === 0, /missing.*/.exec(output)?.[0] ?? "", output);
}

/** The same, as information rather than as a failure. */
export async function listRequirements() {
  const { output } = await runCommand(process.execPath, ["scripts/requirements.mjs"]);
  const proven = /proven \((\d+)\)/.exec(output)?.[1] ?? "0";
  return { passed: 0, failed: 0, note: `${proven} proven, ${/missing.*/.exec(output)?.[0] ?? ""}` };
}

function reportFile(/** @type {string} */ name) {
  mkdirSync(STATE_DIR, { recursive: true });
  const file = path.join(STATE_DIR, name);
  rmSync(file, { force: true });
  return file;
}

/** @param {string} file @returns {unknown} */
function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
}

/** A run that ended badly without a failing test (a file that does not load, no report) is one failure. */
function testRun(
  /** @type {number} */ code,
  /** @type {number} */ passed,
  /** @type {number} */ failed,
  /** @type {number} */ skipped,
) {
  const unexplained = failed === 0 && (code !== 0 || passed === 0) ? 1 : 0;
  const note = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}${unexplained ? `, ended with code ${code}` : ""}`;
  return { passed, failed: failed + unexplained, note };
}

/**
 * `<file>: <title>` of each failed test and of each file that did not load.
 * @param {{ testResults: { name: string, status: string, assertionResults: { status: string, fullName: string }[] }[] }} report
 */
function listFailedTests({ testResults }) {
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, assertionResults }) => {
      const file = path.relative(ROOT, name);
      const failed = assertionResults.filter(({ status }) => status === "failed");
      return failed.length === 0 ? [`${file}: did not load`] : failed.map(({ fullName }) => `${file}: ${fullName}`);
    });
}

/** The errors outside of tests that Vitest printed: the first lines of each. @param {string} output */
function listUnhandledErrors(output) {
  const text = stripVTControlCharacters(output);
  const from = text.lastIndexOf("Unhandled Errors");
  if (from < 0) return [];
  const lines = text.slice(from).split("\n");
  const end = lines.findIndex((line) => line.trimStart().startsWith("Test Files"));
  return lines
    .slice(1, end < 0 ? undefined : end)
    .filter((line) => line.trim() !== "")
    .slice(0, 60);
}

/** What Vitest made of the modules, for the later runs of one `npm test`: whether a kept one is current depends on more than its file. */
const MODULES = path.join(STATE_DIR, "vitest-modules");

/** More files with failures are no accident of the machine's load. */
const MAX_RERUN_FILES = 4;

/** @param {{ fast?: boolean }} [options] `fast` leaves out `*.slow.test.*` and what needs a DOM */
export async function runUnitTests({ fast = false } = {}) {
  rmSync(MODULES, { recursive: true, force: true });
  const slow = fast ? ["--exclude=**/*.slow.test.*", "--exclude=**/*.test.tsx"] : ["--retry=1"];
  const first = await runVitest(slow);
  const files = new Set([
    ...first.failedFiles,
    ...(first.unhandled.join("\n").match(/(?<=originated in ")[^"]+/g) ?? []),
  ]);
  if (fast || first.code === 0 || files.size === 0 || files.size > MAX_RERUN_FILES) {
    return { ...testRun(first.code, first.passed, first.failed, first.skipped), failures: first.failures };
  }
  // A file that failed beside others can pass alone: the second run decides, and the summary reports the first.
  const second = await runVitest([...files]);
  const failures = ["files that ran a second time:", ...first.failures, ...second.failures];
  const passed = first.passed + Math.max(0, first.failed - second.failed);
  return { ...testRun(second.code, passed, second.failed, first.skipped), failures };
}

/** Migrations from every version, search, backup, restore, checkpoints, damaged rows, joint writes, copies. */
const STORES = [
  "src/server/platform/db/",
  "src/server/calls/executions/db/",
  ...["restored-copy", "damaged-rows", "older-versions", "delete-executions"].map((name) => `src/server/main/${name}.`),
];

/** @param {string} driver of SQLite, as `TOOLROOM_SQLITE` names it */
export async function runStoreTests(driver) {
  const args = ["--retry=1", "--testNamePattern=^(?!.*PostgreSQL)", ...STORES];
  const { code, passed, failed, skipped, failures } = await runVitest(args, { TOOLROOM_SQLITE: driver });
  return { ...testRun(code, passed, failed, skipped), failures };
}

/** @param {string} version of Node, as `npm run test:node` takes it */
export const runUnitTestsOn = (version) => runCounted("scripts/test-node.mjs", [version]);

/** The packed file as users of Windows and macOS run it. */
export const runDesktopDrive = () => runCounted("scripts/test-desktop.mjs", []);

/** Runs a script whose last line counts its tests. @param {string} script @param {string[]} words */
async function runCounted(script, words) {
  const { code, output } = await runCommand(process.execPath, [script, ...words], { show: true });
  const [, passed = "0", failed = "0"] =
    /^(\d+) passed, (\d+) failed\s*$/m.exec(stripVTControlCharacters(output).slice(-200)) ?? [];
  return testRun(code, Number(passed), Number(failed), 0);
}

/** @param {string[]} more arguments @param {Record<string, string>} [env] */
async function runVitest(more, env = {}) {
  const file = reportFile("vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const cache = ["--experimental.fsModuleCache", `--experimental.fsModuleCachePath=${MODULES}`];
  const args = ["run", ...reporters, ...cache, ...more];
  const { code, output } = await runBin(["vitest", "vitest", ...args], env, true);
  const report = readReport(file);
  const unhandled = listUnhandledErrors(output);
  if (report === null) {
    return { code: code || 1, passed: 0, failed: 0, skipped: 0, unhandled: [], failures: unhandled, failedFiles: [] };
  }
  /** @type {string[]} */
  const failedFiles = report.testResults.flatMap((/** @type {{ name: string, status: string }} */ { name, status }) =>
    status === "failed" ? [path.relative(ROOT, name)] : [],
  );
  const failures = [...listFailedTests(report), ...unhandled];
  const skipped = report.numPendingTests + report.numTodoTests;
  return {
    code,
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped,
    unhandled,
    failures,
    failedFiles,
  };
}

/**
 * @typedef {{ status: string, results: { error?: { message?: string } }[] }} JourneyRun
 * @typedef {{ title: string, file: string, tests: JourneyRun[] }} Journey
 * @typedef {{ suites?: Suite[], specs: Journey[] }} Suite
 * @param {Suite[]} suites @returns {Journey[]}
 */
const listJourneys = (suites) => suites.flatMap((suite) => [...suite.specs, ...listJourneys(suite.suites ?? [])]);

/** The first line of what a journey failed with, for the summary. @param {Journey} journey */
function explainFailure({ tests }) {
  const errors = tests.flatMap(({ results }) => results.flatMap(({ error }) => error?.message ?? []));
  return stripVTControlCharacters(errors.at(-1) ?? "")
    .split("\n", 4)
    .join(" ");
}

/** Journeys that fail run a second time: one that then passes is counted as passed, and named. @param {string} browser @param {string[]} args @param {Record<string, string>} more variables */
export async function runBrowserTests(browser, args = [], more = {}) {
  const file = reportFile("playwright.json");
  const env = { CHROMIUM_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_FILE: file, ...more };
  const { code } = await runBin(["@playwright/test", "playwright", "test", "--reporter=list,json", ...args], env, true);
  const report = readReport(file);
  if (report === null) return testRun(code || 1, 0, 0, 0);
  const { expected, unexpected, flaky, skipped } = report.stats;
  const journeys = listJourneys(report.suites);
  const listWith = (/** @type {string} */ status) =>
    journeys.filter(({ tests }) => tests.some((run) => run.status === status));
  return {
    ...testRun(code, expected + flaky, unexpected, skipped),
    failures: [
      ...listWith("unexpected").map((journey) => `${journey.file} ${journey.title}: ${explainFailure(journey)}`),
      ...listWith("flaky").map(({ title, file: name }) => `passed on the second try: ${name} ${title}`),
    ],
  };
}
