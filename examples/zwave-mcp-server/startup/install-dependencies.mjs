import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { log } from "./log.mjs";

const MANIFESTS = ["package.json", "package-lock.json", ".npmrc"];
const STAGING_PREFIX = ".install-";
const NPM_ARGS = ["ci", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts"];
const REPLACE_ATTEMPTS = 3;

export class InstallError extends Error {}

/** @param {string} file @returns {Record<string, { version?: string, dev?: boolean, optional?: boolean }>} */
const lockedPackages = (file) => JSON.parse(readFileSync(file, "utf8")).packages;

/** npm writes this second lockfile when everything else is in place, so one that agrees means a finished installation. @param {string} root */
export function isInstalled(root) {
  try {
    const wanted = lockedPackages(path.join(root, "package-lock.json"));
    const present = lockedPackages(path.join(root, "node_modules", ".package-lock.json"));
    return Object.entries(wanted).every(
      ([name, { version, dev, optional }]) => name === "" || dev || optional || present[name]?.version === version,
    );
  } catch {
    return false;
  }
}

/** @param {string} cwd */
function runNpm(cwd) {
  const own = process.env.npm_execpath;
  const scripted = own !== undefined && /^npm.*\.[cm]?js$/.test(path.basename(own)) && existsSync(own);
  return new Promise((resolve, reject) => {
    // npm's own output goes to stderr, where a client shows what its server is doing.
    const child = spawn(scripted ? process.execPath : "npm", scripted ? [own, ...NPM_ARGS] : NPM_ARGS, {
      cwd,
      stdio: ["ignore", 2, 2],
      shell: !scripted && process.platform === "win32",
    });
    // npm takes its time over a polite signal, and what it leaves half done is thrown away with the staging folder.
    const end = () => {
      child.once("close", () => process.exit(0));
      child.kill("SIGKILL");
    };
    process.once("SIGTERM", end).once("SIGINT", end);
    child.once("error", (error) => reject(new InstallError(`npm could not be started: ${error.message}`)));
    child.once("close", (code) => {
      process.off("SIGTERM", end).off("SIGINT", end);
      if (code === 0) resolve(undefined);
      else
        reject(new InstallError(`npm could not install this server's packages (exit code ${code}); it says why above`));
    });
  });
}

/** Moves the finished installation into place, unless another start was faster. @param {string} staging @param {string} root */
function putInPlace(staging, root) {
  const fresh = path.join(staging, "node_modules");
  const installed = path.join(root, "node_modules");
  for (let attempt = 1; !isInstalled(root); attempt += 1) {
    try {
      if (existsSync(installed)) renameSync(installed, path.join(staging, `outdated-${attempt}`));
      renameSync(fresh, installed);
    } catch (error) {
      // Another start moved its own in between these lines; look again.
      if (attempt === REPLACE_ATTEMPTS) throw new InstallError(`the packages could not be moved into place: ${error}`);
    }
  }
}

/** @param {string} directory named after the process that installs in it */
function isAbandoned(directory) {
  const pid = Number.parseInt(directory.slice(STAGING_PREFIX.length), 10);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "ESRCH";
  }
}

/** @param {string} root */
function removeAbandoned(root) {
  for (const name of readdirSync(root)) {
    if (name.startsWith(STAGING_PREFIX) && isAbandoned(name)) {
      rmSync(path.join(root, name), { recursive: true, force: true });
    }
  }
}

/**
 * Installs the packages of the lockfile once. Each start installs into a folder of its own and moves the result into
 * place in one step: starts at the same time may both download, but none sees half an installation.
 * @param {string} root the folder of the server
 */
export async function installDependencies(root) {
  if (isInstalled(root)) return;
  log("first start, installing its packages (about 130 MB, once)");
  removeAbandoned(root);
  const staging = mkdtempSync(path.join(root, `${STAGING_PREFIX}${process.pid}-`));
  const removeStaging = () => rmSync(staging, { recursive: true, force: true });
  process.once("exit", removeStaging);
  for (const name of MANIFESTS) {
    // A package that npm made has no .npmrc.
    if (existsSync(path.join(root, name))) cpSync(path.join(root, name), path.join(staging, name));
  }
  await runNpm(staging);
  putInPlace(staging, root);
  process.off("exit", removeStaging);
  removeStaging();
  log("packages are installed");
}
