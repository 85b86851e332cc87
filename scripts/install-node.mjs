import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { STATE_DIR } from "./project-root.mjs";
import { excerpt, runNpm, StepError } from "./run-command.mjs";

/** Node for this machine. */
const OWN = { system: process.platform === "win32" ? "win" : process.platform, arch: process.arch };

/**
 * Node as the npm package that carries it.
 * @param {string} version @param {{ system: string, arch: string }} [machine] as the names of these packages have them
 * @returns {Promise<string>} the program
 */
export async function installNode(version, { system, arch } = OWN) {
  const name = `node-${system}-${arch}`;
  const isOwn = system === OWN.system && arch === OWN.arch;
  const folder = path.join(STATE_DIR, "nodes", isOwn ? version : `${version}-${system}-${arch}`);
  const node = path.join(folder, "node_modules", name, "bin", system === "win" ? "node.exe" : "node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
  const options = ["--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  if (!isOwn) options.push("--force", `--os=${system === "win" ? "win32" : system}`, `--cpu=${arch}`);
  const { code, output } = await runNpm(["install", ...options, `${name}@${version}`]);
  if (code !== 0 || !existsSync(node)) {
    throw new StepError(`Node ${version} could not be installed.`, { output: excerpt(output) });
  }
  return node;
}
