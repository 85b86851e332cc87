import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { contentHash } from "./content-hash.mjs";
import { buildNativeModules, installPackages } from "./install-packages.mjs";
import { ROOT, STATE_DIR } from "./project-root.mjs";
import { excerpt, packageBin, runCommand, StepError } from "./run-command.mjs";
import { withSetupLock } from "./setup-lock.mjs";

/** Steps that have nothing to do are named, and the server logs in JSON. */
export const VERBOSE = process.argv.includes("--verbose");
const MINIMUM_NODE = [20, 19];
const DEPENDENCY_STAMP = path.join(ROOT, "node_modules", ".toolroom-stamp");
/** Compiling SQLite takes as long as the build, which does not need it. */
const NATIVE_STAMP = path.join(ROOT, "node_modules", ".toolroom-native-stamp");
const NATIVE_LOCK = path.join(STATE_DIR, "native.lock");
const PRISMA_STAMP = path.join(ROOT, "node_modules", ".toolroom-prisma-stamp");
const SCHEMAS = ["prisma/schema.prisma", "prisma/postgres.prisma"];
const GENERATED_CLIENTS = ["generated", "generated-postgres"].map((folder) => `src/server/platform/db/${folder}`);
const BUILD_STAMP = path.join(ROOT, ".next", "toolroom-stamp");

/** @param {string} file */
const readOrNull = (file) => (existsSync(file) ? readFileSync(file, "utf8") : null);

/** @param {string} file @param {string} text */
function stamp(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** @param {number} ms */
export const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** Prints one line per step. */
export function report(/** @type {string} */ step, /** @type {string} */ outcome) {
  console.log(`  ${step.padEnd(14)} ${outcome}`);
}

/** Older Node versions fail much later, with unrelated errors. */
export function ensureNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = MINIMUM_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new StepError(`Toolroom needs Node ${MINIMUM_NODE.join(".")} or newer; this is ${process.versions.node}.`, {
    wayOut: "Install a current Node from https://nodejs.org, or switch with your version manager (nvm install 22).",
  });
}

/**
 * Skips a step whose result is current, else runs it under the lock and prints it.
 * @param {{ step: string, isCurrent: () => boolean, run: () => Promise<string>, lock?: string }} task `run` answers what
 *   was done; a step with a lock of its own may run beside the others
 */
async function ensure({ step, isCurrent, run, lock }) {
  if (isCurrent()) {
    if (VERBOSE) report(step, "up to date");
    return;
  }
  await withSetupLock(
    async () => {
      if (isCurrent()) {
        report(step, "up to date");
        return;
      }
      const startedAt = performance.now();
      const outcome = await run();
      report(step, `${outcome} in ${seconds(performance.now() - startedAt)}`);
    },
    (pid) => report(step, `process ${pid} is running this step; waiting`),
    lock,
  );
}

/** @param {{ code: number, output: string }} result @param {string} message @param {string} wayOut */
function demandSuccess(result, message, wayOut) {
  if (result.code === 0) return;
  throw new StepError(message, { output: excerpt(result.output), wayOut });
}

function dependencyHash() {
  const { dependencies, devDependencies, overrides } = JSON.parse(
    readFileSync(path.join(ROOT, "package.json"), "utf8"),
  );
  // Native modules are built for one platform and one ABI.
  const platform = `${process.platform} ${process.arch} ${process.versions.modules}`;
  return contentHash(["package-lock.json"], {
    salt: [platform, JSON.stringify([dependencies, devDependencies, overrides])],
  });
}

/** Whether a manual `npm ci` has installed exactly what the lock file lists. */
function installedMatchesLock() {
  const lock = readOrNull(path.join(ROOT, "package-lock.json"));
  const hidden = readOrNull(path.join(ROOT, "node_modules", ".package-lock.json"));
  if (lock === null || hidden === null || existsSync(DEPENDENCY_STAMP)) return false;
  const installed = new Map(Object.entries(JSON.parse(hidden).packages));
  return Object.entries(JSON.parse(lock).packages).every(([place, wanted]) => {
    if (place === "" || wanted.link) return true;
    const found = installed.get(place);
    return found ? found.version === wanted.version : wanted.optional === true;
  });
}

/** node_modules holds what package-lock.json says, native modules built. */
export async function ensureDependencies() {
  await ensurePackages();
  await ensureNativeModules();
}

/** SQLite can be loaded, or is built. Where only the Node-API binary loads, which takes a tenth longer for a call, a build is tried once. */
export async function ensureNativeModules() {
  // The packages that it imports are installed only now.
  const { listDrivers } = await import("./sqlite.mjs");
  const hasDriver = () => listDrivers().length > 0;
  await ensure({
    step: "native modules",
    lock: NATIVE_LOCK,
    isCurrent: () =>
      hasDriver() &&
      (listDrivers()[0]?.name !== "better-sqlite3-napi" || readOrNull(NATIVE_STAMP) === dependencyHash()),
    run: async () => {
      const result = await buildNativeModules();
      stamp(NATIVE_STAMP, dependencyHash());
      if (result.code !== 0 && hasDriver()) return "not built, the file for this system is used,";
      demandSuccess(
        result,
        "SQLite could not be built.",
        "Use Node 22.14 or newer, for which nothing is built. For this one install a compiler and Python: Debian: apt-get install build-essential python3.",
      );
      return "built";
    },
  });
}

/** node_modules holds what package-lock.json says; `ensureNativeModules` builds what is compiled. */
export async function ensurePackages() {
  await ensure({
    step: "dependencies",
    isCurrent: () => {
      if (readOrNull(DEPENDENCY_STAMP) === dependencyHash()) return true;
      if (!installedMatchesLock()) return false;
      stamp(DEPENDENCY_STAMP, dependencyHash());
      return true;
    },
    run: async () => {
      report("dependencies", "installing, about a minute the first time");
      rmSync(DEPENDENCY_STAMP, { force: true });
      demandSuccess(
        await installPackages(),
        "The packages could not be installed.",
        "Check the network and the registry (npm ping).",
      );
      stamp(DEPENDENCY_STAMP, dependencyHash());
      return "installed";
    },
  });
}

/** @param {string} name */
function installedVersion(name) {
  const manifest = readOrNull(path.join(ROOT, "node_modules", name, "package.json"));
  return manifest === null ? "none" : JSON.parse(manifest).version;
}

/** @param {string} schema */
async function generateClient(schema) {
  const result = await runCommand(process.execPath, [packageBin("prisma"), "generate", "--schema", schema], {
    // Generating runs no schema engine, but without a file to name the command would download one.
    env: {
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: "1",
      PRISMA_HIDE_UPDATE_MESSAGE: "1",
    },
  });
  demandSuccess(result, "prisma generate failed.", "Fix prisma/schema.prisma, then try again.");
}

/** The typed database clients match their schemas. */
export async function ensurePrismaClient() {
  const hash = () =>
    contentHash([...SCHEMAS, "prisma.config.ts"], {
      salt: [installedVersion("prisma"), installedVersion("@prisma/client")],
    });
  const isThere = (/** @type {string} */ folder) => existsSync(path.join(ROOT, folder));
  await ensure({
    step: "database client",
    isCurrent: () => GENERATED_CLIENTS.every(isThere) && readOrNull(PRISMA_STAMP) === hash(),
    run: async () => {
      rmSync(PRISMA_STAMP, { force: true });
      for (const schema of SCHEMAS) await generateClient(schema);
      stamp(PRISMA_STAMP, hash());
      return "generated";
    },
  });
}

const BUILD_SOURCES = [
  "src",
  "public",
  ...SCHEMAS,
  "next.config.mjs",
  "scripts/base-path-loader.cjs",
  "scripts/next-modules-loader.cjs",
  "scripts/process-loader.cjs",
  "scripts/trpc-client-loader.cjs",
  "scripts/trpc-query-loader.cjs",
  "postcss.config.mjs",
  "tsconfig.json",
  "package-lock.json",
];

/** Tests are not part of the build, and the generated clients follow from the schemas. */
const isBuildSource = (/** @type {string} */ file) => !/\.test\.tsx?$/.test(file) && !GENERATED_CLIENTS.includes(file);

/** The browser loads further scripts from under the path that the document names: see docs/decisions/0095-a-path-of-a-host.md. */
function readBasePathAtStart() {
  const folder = path.join(ROOT, ".next/static/chunks");
  const built = ':"/_next/"';
  const runtimes = readdirSync(folder).filter((name) => /^turbopack-.*\.js$/.test(name));
  for (const name of runtimes) {
    const file = path.join(folder, name);
    const text = readFileSync(file, "utf8");
    if (text.split(built).length !== 2) throw new StepError(`${name} names the path of scripts in another way.`);
    writeFileSync(file, text.replace(built, ':(document.documentElement.dataset.basePath||"")+"/_next/"'));
  }
  if (runtimes.length === 0) throw new StepError("The build has no script that loads the others.");
}

/** The production build matches the sources. */
export async function ensureBuild() {
  const hash = () => contentHash(BUILD_SOURCES, { wanted: isBuildSource });
  await ensure({
    step: "build",
    isCurrent: () => existsSync(path.join(ROOT, ".next", "BUILD_ID")) && readOrNull(BUILD_STAMP) === hash(),
    run: async () => {
      report("build", "building the console, under a minute on most machines");
      // Sources that change during the build must not count as built.
      const built = hash();
      rmSync(BUILD_STAMP, { force: true });
      const result = await runCommand(process.execPath, [packageBin("next"), "build"], {
        env: { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
      });
      demandSuccess(
        result,
        "next build failed.",
        "Fix the errors above. If they make no sense, delete .next and try again.",
      );
      readBasePathAtStart();
      stamp(BUILD_STAMP, built);
      return "built";
    },
  });
}

/** Everything that the built server needs to run. */
export async function ensureRunnable() {
  await ensurePackages();
  await ensurePrismaClient();
  await Promise.all([ensureNativeModules(), ensureBuild()]);
}
