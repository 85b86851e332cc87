// npm run test:node -- 26 [--check | --all]: the unit tests with another version of Node, or everything that `npm run check` or `npm test` runs.
// The project's files are copied beside the state of this clone: native modules are compiled for one version.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { runEntryPoint } from "./entry-point.mjs";
import { installNode } from "./install-node.mjs";
import { ROOT, STATE_DIR } from "./project-root.mjs";
import { runCommand, StepError } from "./run-command.mjs";
import { readSampleSeed } from "./sample-seed.mjs";
import { ensureNode, report } from "./setup.mjs";

/** Installed and built files of an earlier run, which the tests of this one find current or replace. */
const KEPT = new Set(["node_modules", ".toolroom", ".next"]);

/** Copies the files that git tracks or would track. @param {string} folder */
function copyProject(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!KEPT.has(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  for (const file of new Set(listed.split("\0"))) {
    const source = path.join(ROOT, file);
    if (file !== "" && existsSync(source)) cpSync(source, path.join(folder, file));
  }
  // Checks ask git which files there are.
  for (const command of [
    ["init", "-q"],
    ["add", "-A"],
  ])
    execFileSync("git", command, { cwd: folder });
}

await runEntryPoint(async () => {
  ensureNode();
  const words = process.argv.slice(2);
  const version = words.find((word) => !word.startsWith("--"));
  if (version === undefined || !/^\d+(\.\d+){0,2}$/.test(version)) {
    throw new StepError("Name the version of Node to test with.", { wayOut: "npm run test:node -- 26" });
  }
  const node = await installNode(version);
  const folder = path.join(STATE_DIR, "nodes", version, "project");
  copyProject(folder);
  report("node", `${version}, in ${path.relative(ROOT, folder)}`);
  const options = words.includes("--all") ? [] : [words.includes("--check") ? "--check" : "--unit"];
  // The copy has no commit.
  const sample = process.env.TOOLROOM_TEST_SAMPLE ?? readSampleSeed();
  const { code } = await runCommand(node, ["scripts/test.mjs", ...options], {
    cwd: folder,
    env: {
      PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`,
      CI: "",
      TOOLROOM_TEST_SAMPLE: sample,
    },
    show: true,
  });
  process.exitCode = code;
});
