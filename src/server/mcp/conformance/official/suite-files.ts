import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ConformanceSuite } from "../../../../lib/contract/conformance";
import { IS_WINDOWS } from "../../../../lib/platform";
import { runProgram } from "./run-program";

/** Changes with the table of what its scenarios need. */
const SUITE_VERSION = "0.2.0-alpha.12";
const PACKAGE = "@modelcontextprotocol/conformance";
/** The suite uses functions of this version of Node. */
const NEEDED_NODE = 22;
const INSTALL_LIMIT_MS = 180_000;
const OUTPUT_CHARS = 400;

export interface SuitePlace {
  /** Where Toolroom installs it. */
  folder: string;
  /** An installed copy that is used in its place: its own folder, or one with it in `node_modules`. */
  given: string | null;
  /** A program of Node for the suite; null for the one that runs Toolroom. */
  node: string | null;
  /** What npm and the suite inherit. */
  variables: Readonly<Record<string, string | undefined>>;
}

export interface InstalledSuite {
  entry: string;
  version: string;
}

export const SUITE_SETTING = "TOOLROOM_CONFORMANCE_SUITE";
export const NODE_SETTING = "TOOLROOM_CONFORMANCE_NODE";

const entryIn = (folder: string): string => path.join(folder, "dist", "index.js");
const packageIn = (folder: string): string => path.join(folder, "node_modules", ...PACKAGE.split("/"));
const installedIn = (folder: string): string => path.join(folder, SUITE_VERSION);

/** Whether the suite can run here, without a look at the network. */
export function describeSuite(place: SuitePlace, nodeVersion = process.versions.node): ConformanceSuite {
  const version = SUITE_VERSION;
  const unsupported = (reason: string): ConformanceSuite => ({ version, state: "unsupported", reason });
  if (place.node === null && Number.parseInt(nodeVersion, 10) < NEEDED_NODE) {
    return unsupported(
      `The official suite needs Node ${NEEDED_NODE} or newer, and Toolroom runs with ${nodeVersion}: start Toolroom with a newer ` +
        `one, or set ${NODE_SETTING} to its program`,
    );
  }
  if (place.node !== null && !existsSync(place.node)) {
    return unsupported(`${NODE_SETTING}: there is no program '${place.node}'`);
  }
  if (place.given === null) {
    return { version, state: existsSync(installedIn(place.folder)) ? "installed" : "missing", reason: null };
  }
  const found = findPackage(place.given);
  if (found === null) return unsupported(`${SUITE_SETTING}: ${PACKAGE} is not in '${place.given}'`);
  return { version: found.version, state: "installed", reason: null };
}

function findPackage(folder: string): InstalledSuite | null {
  const found = [folder, packageIn(folder)].find((each) => existsSync(entryIn(each)));
  return found === undefined ? null : { entry: entryIn(found), version: readVersion(found) };
}

function readVersion(folder: string): string {
  try {
    const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as { version?: unknown };
    return typeof version === "string" ? version.slice(0, 60) : "unknown";
  } catch {
    return "unknown";
  }
}

/** The suite, which the first use installs. @throws Error that says what to do */
export async function requireSuite(place: SuitePlace, signal: AbortSignal): Promise<InstalledSuite> {
  const { state, reason } = describeSuite(place);
  if (state === "unsupported") throw new Error(reason ?? "The official suite cannot run here");
  if (state === "missing") await install(place, signal);
  const found = findPackage(place.given ?? installedIn(place.folder));
  if (found === null) {
    throw new Error(
      `The official suite in '${installedIn(place.folder)}' is incomplete: delete the folder, and run again`,
    );
  }
  return found;
}

/** Into a folder of its own that gets its name at the end: a copy that is there is complete. */
async function install({ folder, variables }: SuitePlace, signal: AbortSignal): Promise<void> {
  const fresh = path.join(folder, `${SUITE_VERSION}.${randomBytes(6).toString("hex")}`);
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  try {
    const manifest = { private: true, dependencies: { [PACKAGE]: SUITE_VERSION } };
    writeFileSync(path.join(fresh, "package.json"), JSON.stringify(manifest));
    const args = ["install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"];
    const { code, timedOut, output } = await runNpm(args, { env: variables, cwd: fresh, signal });
    if (code !== 0) {
      const cause = timedOut ? `npm did not end within ${INSTALL_LIMIT_MS / 1000} s` : summarizeNpm(output);
      throw new Error(
        `The official suite (${PACKAGE} ${SUITE_VERSION}) could not be installed: ${cause || "npm failed"}. Check the network ` +
          `with 'npm ping', or set ${SUITE_SETTING} to a folder that has it`,
      );
    }
    // Another run may have been faster.
    if (!existsSync(installedIn(folder))) renameSync(fresh, installedIn(folder));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Without its prefixes and stacks. */
function summarizeNpm(output: string): string {
  const lines = output.split("\n").filter((line) => !/^npm (?:error|ERR!)\s+at /.test(line));
  const texts = lines.map((line) => line.replace(/^npm (?:error|ERR!)\s*/, "").trim()).filter(Boolean);
  return texts.join("; ").slice(0, OUTPUT_CHARS);
}

/** The npm that started Toolroom, else the one on the PATH. */
async function runNpm(args: string[], options: Pick<Parameters<typeof runProgram>[2], "env" | "cwd" | "signal">) {
  const { npm_execpath: own = "" } = options.env;
  const limits = { ...options, timeoutMs: INSTALL_LIMIT_MS };
  const isOwn = /^npm.*\.js$/.test(path.basename(own)) && existsSync(own);
  if (isOwn) return await runProgram(process.execPath, [own, ...args], limits);
  // A batch file on Windows; the arguments are constants.
  return await runProgram("npm", args, { ...limits, shell: IS_WINDOWS });
}
