// npm run upgrade [-- <commit>]: packs an earlier commit and proves with it that the package of the build that is there upgrades
// its data, and that both bring the copy back. The packed file stays in .toolroom/older.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensureBrowser } from "./browser.mjs";
import { runEntryPoint } from "./entry-point.mjs";
import { ROOT, STATE_DIR } from "./project-root.mjs";
import { excerpt, runCommand, StepError } from "./run-command.mjs";
import { ensureNode, ensureRunnable, report } from "./setup.mjs";
import { runBrowserTests } from "./test-steps.mjs";

const PACKER = "scripts/pack.mjs";
const JOURNEY = ["e2e/package.spec.ts", "-g", "an upgrade keeps a copy", "--workers=1"];

/** @param {string[]} args @returns {Promise<string | null>} null where git says no */
async function askGit(...args) {
  const { code, output } = await runCommand("git", args);
  return code === 0 ? output.trim() : null;
}

/**
 * The newest commit whose database this one upgrades; where no such commit can be packed, the one before this.
 * @returns {Promise<string | null>} null without a history
 */
async function findOlderCommit() {
  const change = await askGit("log", "-1", "--format=%H", "--", "prisma/migrations");
  for (const name of [change ? `${change}^` : "", "HEAD~1"]) {
    const commit = name && (await askGit("rev-parse", "--verify", "--quiet", `${name}^{commit}`));
    if (commit && (await askGit("cat-file", "-e", `${commit}:${PACKER}`)) !== null) return commit;
  }
  return null;
}

/** The packages of this clone, where the commit uses the same: links, since a copy would take 1.2 GB. @param {string} folder */
async function sharePackages(folder) {
  const lock = (/** @type {string} */ root) => readFileSync(path.join(root, "package-lock.json"), "utf8");
  if (lock(folder) !== lock(ROOT)) return;
  const { code } = await runCommand("cp", ["-al", path.join(ROOT, "node_modules"), path.join(folder, "node_modules")]);
  // Another disk has no links to this one: the commit installs its own.
  if (code !== 0) rmSync(path.join(folder, "node_modules"), { recursive: true, force: true });
}

/** @param {string} commit @returns {Promise<string>} the package of that commit */
async function packCommit(commit) {
  const file = path.join(STATE_DIR, "older", `${commit}.tgz`);
  if (existsSync(file)) return file;
  mkdirSync(path.dirname(file), { recursive: true });
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-older-"));
  try {
    const unpack = `git archive ${commit} | tar -x -C "${folder}"`;
    const unpacked = await runCommand("sh", ["-c", unpack]);
    if (unpacked.code !== 0) throw new StepError(`${commit} could not be read.`, { output: unpacked.output });
    await sharePackages(folder);
    report("older package", `packing ${commit.slice(0, 12)}, a minute where its packages are those of this clone`);
    const packed = await runCommand(process.execPath, [path.join(folder, PACKER)]);
    const name = /^ {2}package +(.+), [\d.]+ MB$/m.exec(packed.output)?.[1];
    if (packed.code !== 0 || name === undefined) {
      throw new StepError(`${commit} could not be packed.`, { output: excerpt(packed.output) });
    }
    cpSync(path.join(folder, name), `${file}.part`);
    renameSync(`${file}.part`, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return file;
}

await runEntryPoint(async () => {
  ensureNode();
  const [named] = process.argv.slice(2);
  const commit =
    named === undefined
      ? await findOlderCommit()
      : await askGit("rev-parse", "--verify", "--quiet", `${named}^{commit}`);
  if (commit === null) {
    if (named !== undefined) throw new StepError(`There is no commit ${named}.`);
    console.log(
      "SKIPPED: this clone has no history, so there is no older package to upgrade from (git fetch --unshallow).",
    );
    return;
  }
  await ensureRunnable();
  const file = await packCommit(commit);
  report("older package", path.relative(ROOT, file));
  process.env.OLDER_PACKAGE = file;
  const { failed, note } = await runBrowserTests(await ensureBrowser(), JOURNEY);
  if (failed > 0) throw new StepError(`The upgrade from ${commit.slice(0, 12)} failed: ${note}.`);
  console.log(`Upgraded from ${commit.slice(0, 12)} and back.`);
});
