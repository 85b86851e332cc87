import { ensureBrowser } from "./browser.mjs";
import { explain, runEntryPoint } from "./entry-point.mjs";
import { ensurePostgres, findHaproxy, findPgbouncer, findPostgres } from "./postgres-cluster.mjs";
import {
  ensureBuild,
  ensureNativeModules,
  ensureNode,
  ensurePackages,
  ensurePrismaClient,
  report,
  seconds,
} from "./setup.mjs";
import {
  checkDependencyRules,
  checkRequirements,
  checkStyle,
  checkTypes,
  checkUnused,
  listRequirements,
  runBrowserTests,
  runDesktopDrive,
  runStoreTests,
  runUnitTests,
  runUnitTestsOn,
} from "./test-steps.mjs";

/** A part of it; without one of these options everything runs. */
const PARTS = /** @type {const} */ (["check", "e2e", "unit"]);
const only = PARTS.find((part) => process.argv.includes(`--${part}`)) ?? "all";
const playwrightArgs = process.argv.slice(2).filter((argument) => argument !== `--${only}`);
/** Continuous integration also runs the unit tests on the Node that a new machine has. */
const NEWEST_NODE = "26";
/** Continuous integration stops after 90 minutes; two drives take at most six each, and their preparation three. */
const LAST_DESKTOP_START_MS = 75 * 60_000;

/** The driver of SQLite that other systems have; null where this Node has no second one. */
async function findOtherDriver() {
  const { listDrivers } = await import("./sqlite.mjs");
  return listDrivers().slice(1).at(-1)?.name ?? null;
}

/** @typedef {import("./test-steps.mjs").StepResult} StepResult */
/** @type {{ name: string, result: StepResult, ms: number }[]} */
const finished = [];

/**
 * Runs one step to its result; a step that breaks is a failed step, and the next one still runs.
 * @param {string} name @param {() => Promise<StepResult>} step @param {{ header?: boolean }} [options]
 */
async function take(name, step, { header = true } = {}) {
  if (header) console.log(`\n── ${name}`);
  const startedAt = performance.now();
  /** @type {StepResult} */
  let result = { passed: 0, failed: 1, note: "could not run" };
  try {
    result = await step();
  } catch (error) {
    explain(error);
  }
  const ms = performance.now() - startedAt;
  finished.push({ name, result, ms });
  if (!header) console.log(`\n── ${name}`);
  if (result.failed > 0 && result.output) console.log(result.output.trimEnd());
  console.log(`${result.failed > 0 ? "✗" : "✓"} ${name} (${seconds(ms)})`);
}

/** Two at a time, for machines with two cores; each is printed when it is done. */
async function takeSideBySide(/** @type {[string, () => Promise<StepResult>][]} */ steps) {
  const queue = [...steps];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await take(next[0], next[1], { header: false });
  };
  await Promise.all([worker(), worker()]);
}

const findBrowser = () => ensureBrowser((note) => report("browser", note));

/** @param {Promise<unknown> | undefined} prepared build and browser, begun beside the unit tests; an error if they broke */
async function browserJourneys(prepared) {
  const failure = await prepared;
  if (failure instanceof Error) throw failure;
  await ensureBuild();
  const browser = await findBrowser();
  report("browser", browser);
  return runBrowserTests(browser, only === "all" ? [...playwrightArgs, "--retries=1"] : playwrightArgs);
}

/** The journeys that also run on PostgreSQL: first run, live pages, runs, versions and toolsets. Decision 0068 says why not approvals. */
const CORE = ["first-run", "runs", "live", "versions", "toolsets"].map((name) => `e2e/${name}.spec.ts`);

async function coreJourneysOnPostgres() {
  return runBrowserTests(await findBrowser(), [...CORE, "--retries=1"], { TOOLROOM_E2E_DATABASE: "postgres" });
}

function summarize() {
  console.log("\n── result");
  for (const { name, result, ms } of finished) {
    const mark = result.failed > 0 ? "✗" : "✓";
    console.log(`${mark} ${name.padEnd(18)} ${seconds(ms).padStart(8)}  ${result.note}`.trimEnd());
    for (const failure of result.failures ?? []) console.log(`    ${failure}`);
  }
  const passed = finished.reduce((sum, { result }) => sum + result.passed, 0);
  const failed = finished.reduce((sum, { result }) => sum + result.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}

await runEntryPoint(async () => {
  ensureNode();
  console.log("── setup");
  await ensurePackages();
  await ensurePrismaClient();
  // Neither the checks nor the build need them, and compiling SQLite takes as long as both.
  const native = ensureNativeModules().catch((/** @type {unknown} */ error) => error);
  // Before the browser: two installations of the distribution's packages exclude each other.
  const postgres = ensurePostgres((note) => report("postgres", note));
  if (only === "all" || only === "check") {
    await takeSideBySide([
      ["types", checkTypes],
      ["style", checkStyle],
      ["dependency rules", checkDependencyRules],
      ["unused code", checkUnused],
      only === "all" ? ["requirements", checkRequirements] : ["requirements", listRequirements],
    ]);
  }
  if ((await postgres) === null) report("postgres", "not found: tests on PostgreSQL are skipped");
  else if (findPgbouncer() === null) report("pgbouncer", "not found: tests through a pooler are skipped");
  if (findHaproxy() === null) report("haproxy", "not found: journeys of several copies are skipped");
  const prepared =
    only === "all"
      ? Promise.all([ensureBuild(), findBrowser()]).catch((/** @type {unknown} */ error) => error)
      : undefined;
  const failure = await native;
  if (failure instanceof Error) throw failure;
  if (only !== "e2e") await take("unit tests", () => runUnitTests({ fast: only === "check" }));
  const driver = only === "all" || only === "unit" ? await findOtherDriver() : null;
  if (driver !== null) await take(`stores on ${driver}`, () => runStoreTests(driver));
  if (only === "all" || only === "e2e") await take("browser tests", () => browserJourneys(prepared));
  if (only === "all" && findPostgres() !== null) await take("journeys on PostgreSQL", coreJourneysOnPostgres);
  const { versions, env } = process;
  if (only === "all" && env.CI && !versions.node.startsWith(`${NEWEST_NODE}.`)) {
    await take(`unit tests on Node ${NEWEST_NODE}`, () => runUnitTestsOn(NEWEST_NODE));
  }
  if (only === "all") {
    if (performance.now() < LAST_DESKTOP_START_MS) await take("desktop", runDesktopDrive);
    else report("desktop", "skipped: the other tests took too long");
  }
  summarize();
});
