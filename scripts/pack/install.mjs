import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runNpm, StepError } from "../run-command.mjs";

/** The package's path in the folder in which npm installed it. */
export const INSTALLED = "node_modules/toolroom";

/**
 * Installs a package file into an empty folder. Everything is in the file, so no registry is asked and no script is run.
 * @param {string} file @param {string} folder @param {{ cache?: string }} [options] `cache`: a folder for npm's, empty where the installation must not profit from others
 */
export async function installPackage(file, folder, { cache } = {}) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
  const options = ["--prefix", folder, "--offline", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const env = cache === undefined ? {} : { npm_config_cache: cache };
  const { code, output } = await runNpm(["install", ...options, file], { env });
  if (code !== 0) throw new StepError("The package could not be installed.", { output });
}
