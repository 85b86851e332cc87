import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { STATE_DIR } from "./project-root.mjs";
import { excerpt, runNpm, StepError } from "./run-command.mjs";

/** Node as the npm package that carries it for this machine. @param {string} version @returns {Promise<string>} the program */
export async function installNode(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(STATE_DIR, "nodes", version);
  const node = path.join(folder, "node_modules", name, "bin", "node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
  const options = ["--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { code, output } = await runNpm(["install", ...options, `${name}@${version}`]);
  if (code !== 0 || !existsSync(node)) {
    throw new StepError(`Node ${version} could not be installed.`, { output: excerpt(output) });
  }
  return node;
}
