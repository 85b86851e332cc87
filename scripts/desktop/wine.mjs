import { spawn } from "node:child_process";
import { closeSync, copyFileSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { installNode } from "../install-node.mjs";
import { installPackage } from "../pack/install.mjs";
import { ROOT } from "../project-root.mjs";
import { excerpt, runCommand, StepError } from "../run-command.mjs";

const APT_LIMIT_MS = 5 * 60_000;
const SETUP_LIMIT_MS = 90_000;
/** The Node of Windows that Wine runs, as its users install it. */
const NODE = "22";
const WINDOWS = { system: "win", arch: "x64" };
const NODE_FOLDER = "Program Files/nodejs";
const UNREACHABLE =
  /could not resolve|temporary failure|unable to (?:connect|fetch)|failed to fetch|connection (?:timed out|refused)|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/i;

const hasWine = () => ["/usr/bin/wine", "/usr/bin/wine64"].some((file) => existsSync(file));

/** Why Windows cannot be tried; `isOffline` where no package server answers. @typedef {{ reason: string, isOffline: boolean }} Obstacle */

/** @param {string} reason @param {boolean} isOffline @returns {Obstacle} */
const toObstacle = (reason, isOffline = false) => ({ reason, isOffline });

/**
 * Installs Wine where this user may.
 * @param {(note: string) => void} tell hears what is being done
 * @returns {Promise<Obstacle | null>} null where there is one
 */
async function ensureWine(tell) {
  if (hasWine()) return null;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    return toObstacle("Wine is not installed, and only root can install it with apt-get (wine, wine64)");
  }
  tell("not found, installing the distribution's packages wine and wine64");
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" }, timeoutMs: APT_LIMIT_MS };
  const update = await runCommand("apt-get", ["update"], options);
  const packages = ["install", "-y", "--no-install-recommends", "wine", "wine64"];
  const { code, output } = await runCommand("apt-get", packages, options);
  if (code === 0 && hasWine()) return null;
  const isOffline = UNREACHABLE.test(update.output + output);
  const why = isOffline ? "apt-get reaches no package server" : `apt-get cannot install it:\n${excerpt(output)}`;
  return toObstacle(`Wine is not installed, and ${why}`, isOffline);
}

/**
 * Installs Wine and the node.exe that it runs, where they are missing.
 * @param {(note: string) => void} tell hears what is being done
 * @returns {Promise<Obstacle | null>} null where both are there
 */
export async function ensureWindows(tell) {
  if (process.arch !== "x64") return toObstacle(`Wine runs node.exe on x64 alone, and this is ${process.arch}`);
  const obstacle = await ensureWine(tell);
  if (obstacle !== null) return obstacle;
  try {
    await installNode(NODE, WINDOWS);
    return null;
  } catch (error) {
    const { message, output } = error instanceof StepError ? error : new StepError(String(error));
    return toObstacle(`node.exe could not be installed: ${message}\n${output}`, UNREACHABLE.test(output));
  }
}

/** npm's own folder, with the scripts that Windows runs. */
function findNpm() {
  const named = process.env.npm_execpath;
  const folders = (process.env.PATH ?? "").split(path.delimiter).map((folder) => path.join(folder, "npm"));
  const program = [named, ...folders].find((file) => file !== undefined && existsSync(file));
  const folder = program === undefined ? "" : path.resolve(path.dirname(realpathSync(program)), "..");
  if (!existsSync(path.join(folder, "bin/npx.cmd"))) {
    throw new StepError("npm's folder with bin/npx.cmd was not found.", { wayOut: "Run: npm run test:desktop" });
  }
  return folder;
}

/** Windows as Wine plays it, in a folder of its own. */
export class Wine {
  #env;
  #folder;

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder;
    this.prefix = path.join(folder, "prefix");
    this.#env = Object.assign({}, process.env, {
      // Wine links folders of the user's home.
      HOME: path.join(folder, "wine-home"),
      WINEPREFIX: this.prefix,
      WINEDEBUG: "-all",
      WINEDLLOVERRIDES: "mscoree,mshtml=",
      WINEPATH: `C:\\${NODE_FOLDER.replaceAll("/", "\\")}`,
      NODE_OPTIONS: "--require C:/wine-sockets.cjs",
      npm_execpath: `C:\\${NODE_FOLDER.replaceAll("/", "\\")}\\node_modules\\npm\\bin\\npm-cli.js`,
    });
  }

  /** The path of a file as programs of Windows see it. @param {string} file */
  toWindows(file) {
    return `Z:${path.resolve(file).replaceAll("/", "\\")}`;
  }

  /**
   * Makes the system, with Node and npm where their installer puts them, and installs a package by Linux' npm, which gives the same files:
   * npm under Wine takes minutes for them.
   * @param {string} file @param {string} name of its folder on C:
   */
  async prepare(file, name) {
    const node = await installNode(NODE, WINDOWS);
    mkdirSync(String(this.#env.HOME), { recursive: true });
    const code = await this.run("wine", ["winecfg", "-v", "win10"], SETUP_LIMIT_MS);
    const drive = path.join(this.prefix, "drive_c");
    if (code !== 0 || !existsSync(drive)) {
      throw new StepError("Wine could not make its system.", { output: this.readOutput() });
    }
    const npm = findNpm();
    const target = path.join(drive, NODE_FOLDER);
    mkdirSync(path.join(target, "node_modules"), { recursive: true });
    copyFileSync(node, path.join(target, "node.exe"));
    cpSync(npm, path.join(target, "node_modules/npm"), { recursive: true, dereference: true });
    for (const name of ["npm.cmd", "npx.cmd"]) copyFileSync(path.join(npm, "bin", name), path.join(target, name));
    copyFileSync(path.join(ROOT, "scripts/desktop/wine-sockets.cjs"), path.join(drive, "wine-sockets.cjs"));
    const cache = path.join(this.#folder, "cache");
    const app = path.join(drive, name, "app");
    await installPackage(file, app, { cache });
  }

  /** Runs a script with node.exe. @param {string} script @param {string[]} words @param {number} limitMs @returns {Promise<number>} its exit code */
  runNode(script, words, limitMs) {
    const node = `C:\\${NODE_FOLDER.replaceAll("/", "\\")}\\node.exe`;
    return this.run("wine", [node, this.toWindows(script), ...words], limitMs);
  }

  /** Output goes to a file: Wine's console fails on pipes. @param {string} program @param {string[]} words @param {number} limitMs */
  async run(program, words, limitMs) {
    const output = openSync(this.#outputFile, "a");
    const child = spawn(program, words, { env: this.#env, stdio: ["ignore", output, output] });
    const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
    const code = await new Promise((resolve) => {
      child.once("error", () => resolve(127));
      child.once("exit", (exitCode) => resolve(exitCode ?? 124));
    });
    clearTimeout(timer);
    closeSync(output);
    return code;
  }

  get #outputFile() {
    return path.join(this.#folder, "wine.log");
  }

  readOutput() {
    return existsSync(this.#outputFile) ? excerpt(readFileSync(this.#outputFile, "utf8")) : "";
  }

  /** Ends every program of this system. */
  async close() {
    await runCommand("wineserver", ["-k"], { env: { WINEPREFIX: this.prefix }, timeoutMs: 20_000 });
  }
}
