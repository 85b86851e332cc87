import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "../../../scripts/project-root.mjs";
import { runCommand, runNpm, StepError } from "../../../scripts/run-command.mjs";

const CONFORMANCE_VERSION = "0.2.0-alpha.12";
const INSPECTOR_VERSION = "2.12.0";
/** Both want Node 22; where this is an older one they get their own. */
const NODE_VERSION = "22.23.3";
const REVISIONS = ["2025-11-25", "2026-07-28"];
/** The suite's name for the revision of an extension's scenario. */
const EXTENSION = "extension";
const BUILT_EXTENSIONS =
  /^(auth\/client-credentials-|auth\/enterprise-managed-authorization|auth\/wif-jwt-bearer|tasks-)/;

const CACHE = path.join(ROOT, "node_modules/.cache/toolroom-conformance");
const SCENARIO_LIMIT_MS = 90_000;
const START_LIMIT_MS = 60_000;
const CHECK_LIMIT_MS = 600_000;

const needsNode = Number(process.versions.node.split(".")[0]) < 22;
const nodePackage = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const inCache = (/** @type {string[]} */ ...parts) => path.join(CACHE, "node_modules", ...parts);

/** Installs the packages that only these programs need, beside the project, on first use. */
export async function installSuite() {
  const dependencies = {
    "@modelcontextprotocol/conformance": CONFORMANCE_VERSION,
    "@modelcontextprotocol/inspector": INSPECTOR_VERSION,
    ...(needsNode ? { [nodePackage]: NODE_VERSION } : {}),
  };
  const manifest = JSON.stringify({ private: true, dependencies });
  const stamp = path.join(CACHE, "installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === manifest) return;
  const named = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  console.log(`installing ${named.join(", ")}`);
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(path.join(CACHE, "package.json"), manifest);
  const options = ["--prefix", CACHE, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, output } = await runNpm(["install", ...options]);
  if (code !== 0) {
    throw new StepError("The suite could not be installed.", { output, wayOut: "Check the network (npm ping)." });
  }
  writeFileSync(stamp, manifest);
}

/** @param {string} file of an installed package @param {string[]} args @param {Parameters<typeof runCommand>[2]} [options] */
function runInstalled(file, args, options) {
  const node = needsNode ? inCache(nodePackage, "bin/node") : process.execPath;
  return runCommand(node, [inCache(file), ...args], options);
}

/** @param {string[]} args @param {Record<string, string>} [env] */
export function runInspector(args, env = {}) {
  const launcher = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
  return runInstalled(launcher, ["--cli", ...args], { env, timeoutMs: SCENARIO_LIMIT_MS });
}

/** `toolroom check --conformance` against an address, with the suite that is installed here. @param {string} url */
export async function runConformanceCheck(url) {
  const args = ["check", "--conformance", url, "--format", "json", "--fail-on", "never"];
  const { code, output } = await runCommand(process.execPath, [path.join(ROOT, "scripts/toolroom.mjs"), ...args], {
    env: {
      TOOLROOM_CONFORMANCE_SUITE: CACHE,
      ...(needsNode && { TOOLROOM_CONFORMANCE_NODE: inCache(nodePackage, "bin/node") }),
    },
    timeoutMs: CHECK_LIMIT_MS,
  });
  if (code !== 0) throw new StepError("toolroom check --conformance did not end.", { output });
  return /** @type {import("../../../src/lib/contract/conformance").ConformanceRunDetail} */ (JSON.parse(output));
}

const runSuite = (/** @type {string[]} */ args) =>
  runInstalled("@modelcontextprotocol/conformance/dist/index.js", args, { timeoutMs: SCENARIO_LIMIT_MS });

/**
 * The gateway with a fixture behind it; `stop` ends both.
 * @param {string} [file] the fixture, beside this file
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startFixture(file = "fixture-server.mjs") {
  const script = path.join(import.meta.dirname, "serve-fixture.ts");
  const args = ["--import", "tsx", script, file];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    const fail = () => reject(new StepError("The gateway did not start.", { output: errors }));
    const limit = setTimeout(fail, START_LIMIT_MS);
    child.stdout.on("data", (chunk) => {
      clearTimeout(limit);
      resolve(String(chunk).trim());
    });
    child.once("exit", fail);
  });
  return {
    url,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}

/** @typedef {"server" | "client"} Kind */
/** @typedef {{ name: string, revision: string }} Scenario */
/** @typedef {Scenario & { ok: boolean, passed: number, failures: string[] }} Outcome */

/** Scenarios of extensions belong to no revision; those that Toolroom has not built are left out. @param {Kind} kind @returns {Promise<Scenario[]>} */
export async function listScenarios(kind) {
  const { output } = await runSuite(["list", `--${kind}`]);
  return [...output.matchAll(/^\s+- (\S+) \[([^\]]*)\]/gm)].flatMap(([, name = "", revisions = ""]) =>
    [...REVISIONS, ...(BUILT_EXTENSIONS.test(name) ? [EXTENSION] : [])]
      .filter((revision) => revisions.split(",").includes(revision))
      .map((revision) => ({ name, revision })),
  );
}

/** Scenarios that are known not to pass, with the reason. @param {Kind} kind @returns {Map<string, string>} */
export function readExpectedFailures(kind) {
  const text = readFileSync(path.join(import.meta.dirname, "expected-failures.yml"), "utf8");
  const section = text.split(/^(?=\w+:$)/m).find((part) => part.startsWith(`${kind}:`)) ?? "";
  return new Map([...section.matchAll(/^ {2}- (\S+) # (.+)$/gm)].map(([, name = "", reason = ""]) => [name, reason]));
}

/**
 * @param {Kind} kind @param {Scenario} scenario @param {string[]} target who is tested, as the suite's options
 * @returns {Promise<Outcome>}
 */
export async function runScenario(kind, { name, revision }, target) {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-suite-"));
  const version = revision === EXTENSION ? [] : ["--spec-version", revision];
  const args = [kind, ...target, "--scenario", name, ...version, "-o", folder];
  const { code, output } = await runSuite(args);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith("checks.json"),
  );
  const checks = files.flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")));
  rmSync(folder, { recursive: true, force: true });
  const failures = checks
    .filter(({ status }) => status === "FAILURE")
    .map(({ id, errorMessage }) => `${id}: ${errorMessage ?? "failed"}`);
  if (failures.length === 0 && code !== 0) failures.push(output.trim().split("\n").at(-1) ?? `ended with code ${code}`);
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  return { name, revision, ok: failures.length === 0, passed, failures };
}
