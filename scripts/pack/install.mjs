import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runNpm, StepError } from "../run-command.mjs";

/** The package's path in the folder in which npm installed it. */
export const INSTALLED = "node_modules/toolroom";
/** Needed to build SQLite, not to use it. */
const BUILD_ONLY = [
  "better-sqlite3/deps",
  "better-sqlite3/src",
  "better-sqlite3/prebuilds",
  "better-sqlite3/binding.gyp",
];

/**
 * Installs a package file into an empty folder. Everything is in the file, so no registry is asked.
 * @param {string} file @param {string} folder @param {{ cache?: string }} [options] `cache`: a folder for npm's, empty where the installation must not profit from others
 */
export async function installPackage(file, folder, { cache } = {}) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
  const options = ["--prefix", folder, "--offline", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts=false"];
  const env = cache === undefined ? {} : { npm_config_cache: cache };
  const { code, output } = await runNpm(["install", ...options, file], { env });
  if (code !== 0) throw new StepError("The package could not be installed.", { output });
}

/** Removes what an installation that stays as it is does not need. @param {string} folder */
export function trimInstallation(folder) {
  const modules = path.join(folder, INSTALLED, "node_modules");
  for (const place of BUILD_ONLY) rmSync(path.join(modules, place), { recursive: true, force: true });
  const build = path.join(modules, "better-sqlite3/build");
  for (const entry of readdirSync(build)) if (entry !== "Release") rmSync(path.join(build, entry), { recursive: true });
  for (const entry of readdirSync(path.join(build, "Release"))) {
    if (entry !== "better_sqlite3.node") rmSync(path.join(build, "Release", entry), { recursive: true });
  }
}
