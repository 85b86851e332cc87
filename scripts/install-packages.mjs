import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project-root.mjs";
import { runNpm } from "./run-command.mjs";

const LOCK = path.join(ROOT, "package-lock.json");
/** npm prefers this file to the lock file; it is here only while npm runs. */
const SHRINKWRAP = path.join(ROOT, "npm-shrinkwrap.json");

// The build needs development packages, even with NODE_ENV=production.
// The output is parsed below, even when the calling npm command is silent. Scripts run later: `buildNativeModules`.
const OPTIONS = ["--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=warn"];
/** The packages of `allowScripts` in package.json that are set to true. */
const NATIVE_MODULES = ["better-sqlite3", "esbuild"];
/** In place of Node's header of that name: the file says why. */
const OBJECT_WRAP = "scripts/native/node-object-wrap.h";

/**
 * A lock file with the address of each package, in the layout that npm's registry and its mirrors share:
 * `<registry>/<name>/-/<name without scope>-<version>.tgz`. Packages of a scope with a registry of its own stay without.
 * @template {{ packages: Record<string, { name?: string, version?: string, link?: boolean, resolved?: string }> }} Lock
 * @param {Lock} lock @param {Record<string, unknown>} config npm's, with `registry` and `@scope:registry`
 * @returns {Lock}
 */
export function addAddresses(lock, config) {
  const registry = String(config.registry).replace(/\/+$/, "");
  const packages = Object.entries(lock.packages).map(([place, entry]) => {
    const name = entry.name ?? place.split("node_modules/").at(-1) ?? "";
    const scope = name.startsWith("@") ? name.split("/")[0] : null;
    const isElsewhere = scope !== null && config[`${scope}:registry`] !== undefined;
    if (place === "" || entry.link || entry.resolved || !entry.version || isElsewhere) return [place, entry];
    const resolved = `${registry}/${name}/-/${name.split("/").at(-1)}-${entry.version}.tgz`;
    return [place, { ...entry, resolved }];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

/** The lock file names no addresses, so npm asks for the documents of 900 packages first: 190 MB, a quarter of the time. */
async function writeShrinkwrap() {
  const { code, output } = await runNpm(["config", "list", "--json", "--loglevel=error"]);
  if (code !== 0) return false;
  const config = JSON.parse(output.slice(output.indexOf("{")));
  writeFileSync(SHRINKWRAP, JSON.stringify(addAddresses(JSON.parse(readFileSync(LOCK, "utf8")), config)));
  return true;
}

/**
 * `npm ci`, or `npm install` with the same lock file where that refuses: a lock file that was written against a
 * registry without the builds for other platforms lists fewer optional packages than `npm ci` wants to see.
 */
async function installLocked() {
  const result = await runNpm(["ci", ...OPTIONS]);
  const refused = result.code !== 0 && /code EUSAGE/.test(result.output);
  return refused ? runNpm(["install", "--no-save", ...OPTIONS]) : result;
}

/** Installs what the lock file lists; without the addresses where the registry has another layout. */
export async function installPackages() {
  if (!existsSync(LOCK)) return runNpm(["install", ...OPTIONS]);
  try {
    if (await writeShrinkwrap()) {
      const result = await installLocked();
      if (result.code === 0) return result;
    }
  } catch {
    // npm's settings could not be read: it can still install.
  } finally {
    rmSync(SHRINKWRAP, { force: true });
  }
  return installLocked();
}

/** The folder whose `include/node` has the headers of this very Node, so that a compiler needs no download; null without them. */
export function findHeaders(node = process.execPath) {
  const folder = path.dirname(path.dirname(node));
  return existsSync(path.join(folder, "include", "node", "node.h")) ? folder : null;
}

/** Downloads or compiles them; without a prebuilt SQLite that takes a minute. */
export function buildNativeModules() {
  const headers = findHeaders();
  const { CFLAGS = "", CXXFLAGS = "" } = process.env;
  const env = {
    // `-O3`, which SQLite would be compiled with, takes 40 percent longer and gives nothing: `npm run bench:drivers`.
    CFLAGS: `-O2 ${CFLAGS}`,
    JOBS: "max",
    CXXFLAGS: `${CXXFLAGS} -include "${path.join(ROOT, OBJECT_WRAP)}"`,
    ...(headers !== null && { npm_config_nodedir: headers }),
  };
  return runNpm(["rebuild", ...NATIVE_MODULES, "--loglevel=warn"], { env });
}
