// `npm run conformance [-- --server | --client | --inspector | --check] [name …]`: the official conformance suite against the gateway
// and against our connections, the Inspector's command line against both of the gateway's transports, and what
// `toolroom check --conformance` finds with the suite. Names select the scenarios that begin with them.
import path from "node:path";
import { parseArgs } from "node:util";
import {
  installSuite,
  listScenarios,
  readExpectedFailures,
  runConformanceCheck,
  runInspector,
  runScenario,
  startFixture,
} from "../e2e/support/conformance/suite.mjs";
import { runEntryPoint } from "./entry-point.mjs";
import { ROOT } from "./project-root.mjs";
import { StepError } from "./run-command.mjs";

/** These leave elicitations open that would disturb the next scenario: each gets its own fixture. */
const OWN_FIXTURE = /^(input-required-|server-stateless|tasks-)/;
/** These need tools of a server that elicits in the 2026-07-28 protocol, or that take long. */
const FIXTURES = /** @type {const} */ ([
  [/^input-required-/, "fixture-input.mjs"],
  [/^tasks-/, "fixture-tasks.mjs"],
]);
/** How many reasons a line shows. */
const SHOWN = 2;
/** Scenarios of which the command runs at least one check against the fixture. */
const LEAST_SCENARIOS = 30;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: "boolean" },
    client: { type: "boolean" },
    inspector: { type: "boolean" },
    check: { type: "boolean" },
  },
});
const everything = !values.server && !values.client && !values.inspector && !values.check;
const chosen = (/** @type {{ name: string }} */ { name }) =>
  positionals.length === 0 || positionals.some((prefix) => name.startsWith(prefix));

let passed = 0;
let unexpected = 0;

/** @param {boolean} ok @param {string} line */
function tell(ok, line) {
  if (ok) passed += 1;
  else unexpected += 1;
  console.log(`${ok ? "ok      " : "NOT OK  "}${line}`);
}

/**
 * @param {import("../e2e/support/conformance/suite.mjs").Outcome} outcome @param {Map<string, string>} expected
 */
function check({ name, revision, ok, passed: checks, failures }, expected) {
  const reason = expected.get(`${name}@${revision}`) ?? expected.get(name);
  const where = `${name} (${revision})`;
  if (ok && reason === undefined) tell(true, `${where}: ${checks} checks`);
  else if (ok) tell(false, `${where}: passes, but is expected to fail: ${reason}`);
  else if (reason !== undefined) console.log(`expected ${where}: ${reason}`);
  else tell(false, `${where}: ${failures.slice(0, SHOWN).join("; ").slice(0, 400)}`);
}

async function runServerScenarios() {
  const expected = readExpectedFailures("server");
  const scenarios = (await listScenarios("server")).filter(chosen);
  const shared = scenarios.some(({ name }) => !OWN_FIXTURE.test(name)) ? await startFixture() : null;
  for (const scenario of scenarios) {
    const [, file] = FIXTURES.find(([names]) => names.test(scenario.name)) ?? ["", "fixture-server.mjs"];
    const own = shared === null || OWN_FIXTURE.test(scenario.name) ? await startFixture(file) : null;
    const { url } = own ?? shared ?? { url: "" };
    check(await runScenario("server", scenario, ["--url", url]), expected);
    await own?.stop();
  }
  await shared?.stop();
}

async function runClientScenarios() {
  const expected = readExpectedFailures("client");
  const driver = path.join(ROOT, "e2e/support/conformance/client-driver.ts");
  const command = `${process.execPath} --import tsx ${driver}`;
  for (const scenario of (await listScenarios("client")).filter(chosen)) {
    check(await runScenario("client", scenario, ["--command", command]), expected);
  }
}

/** Lists and calls tools with the Inspector's command line. */
async function runInspectorChecks() {
  const { url, stop } = await startFixture();
  const { origin } = new URL(url);
  const stdio = [process.execPath, path.join(ROOT, "scripts/mcp.mjs")];
  /** @type {[string, string[], Record<string, string>][]} */
  const transports = [
    ["http", [url, "--transport", "http"], {}],
    ["stdio", [...stdio, "-e", `TOOLROOM_URL=${origin}`], { TOOLROOM_URL: origin }],
  ];
  for (const [name, target, env] of transports) {
    for (const era of ["legacy", "modern"]) {
      const ask = (/** @type {string[]} */ ...args) =>
        runInspector([...target, "--protocol-era", era, "--format", "json", ...args], env);
      const listed = await ask("--method", "tools/list");
      tell(listed.code === 0 && listed.output.includes("test_simple_text"), `inspector ${name} ${era}: tools/list`);
      const called = await ask("--method", "tools/call", "--tool-name", "test_simple_text");
      const good = called.code === 0 && called.output.includes("simple text response");
      tell(good, `inspector ${name} ${era}: tools/call${good ? "" : ` ${called.output.slice(-300)}`}`);
    }
  }
  await stop();
}

/** The command finds what the suite finds, and the gateway passes Toolroom's own checks. */
async function runOutwardChecks() {
  const expected = readExpectedFailures("server");
  const { url, stop } = await startFixture();
  const { checks } = await runConformanceCheck(url);
  await stop();
  const isExpected = (/** @type {string} */ id) => expected.has(id.split("/")[2] ?? "");
  const failed = checks.filter(({ id, outcome }) => outcome === "failed" && !isExpected(id));
  for (const { id, message } of failed) tell(false, `check --conformance: ${id}: ${message}`);
  const passed = checks.filter(({ outcome }) => outcome === "passed");
  const scenarios = new Set(passed.filter(({ group }) => group === "suite").map(({ id }) => id.split("/")[2]));
  tell(scenarios.size >= LEAST_SCENARIOS, `check --conformance: ${scenarios.size} scenarios, ${passed.length} checks`);
}

await runEntryPoint(async () => {
  await installSuite();
  if (everything || values.server) await runServerScenarios();
  if (everything || values.client) await runClientScenarios();
  if (everything || values.inspector) await runInspectorChecks();
  if (everything || values.check) await runOutwardChecks();
  console.log(`${passed} as expected, ${unexpected} unexpected`);
  if (unexpected > 0) throw new StepError(`${unexpected} checks had an unexpected result.`);
});
