// npm run nodes [-- 22 24]: installs the package of the build that is there with each version of Node that Toolroom supports, opens a
// page and calls a tool; and reads what a start with an older Node says.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runEntryPoint } from "./entry-point.mjs";
import { installNode } from "./install-node.mjs";
import { INSTALLED } from "./pack/install.mjs";
import { packToolroom } from "./pack.mjs";
import { ROOT } from "./project-root.mjs";
import { excerpt, runCommand, runNpm, StepError } from "./run-command.mjs";
import { ensureNode, ensureRunnable, report, seconds } from "./setup.mjs";

const SUPPORTED = ["20.19", "22", "24", "26"];
const TOO_OLD = "18";
const READY = /^Toolroom is ready: (http:\/\/\S+)$/m;
const START_LIMIT_MS = 120_000;

/** npm's own program, to be run by another Node. */
async function findNpm() {
  const { output } = await runNpm(["root", "--global"]);
  const file = [process.env.npm_execpath, path.join(output.trim(), "npm/bin/npm-cli.js")].find(
    (each) => each?.endsWith("npm-cli.js") && existsSync(each),
  );
  if (file === undefined) throw new StepError("npm's program was not found.");
  return file;
}

/** @param {string} node @param {string} home @returns {Record<string, string>} */
function describeUser(node, home) {
  return { PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`, HOME: home, TMPDIR: home };
}

/** @param {string} file the package @param {string} node @param {string} folder */
async function installWith(file, node, folder) {
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
  const options = ["--prefix", folder, "--offline", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const env = describeUser(node, folder);
  const { code, output } = await runCommand(node, [await findNpm(), "install", ...options, file], { env });
  if (code !== 0) throw new StepError("The package could not be installed.", { output: excerpt(output) });
  return path.join(folder, INSTALLED, "scripts/toolroom.mjs");
}

/** Starts it, opens a page, calls a tool by the command line, and ends it. @param {string} node @param {string} program @param {string} home */
async function useToolroom(node, program, home) {
  const env = { ...process.env, ...describeUser(node, home) };
  const child = spawn(node, [program, "--port", "0"], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
    });
  }
  try {
    const deadline = Date.now() + START_LIMIT_MS;
    while (!READY.test(said) && child.exitCode === null && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const url = READY.exec(said)?.[1];
    if (url === undefined) throw new StepError("It did not start.", { output: excerpt(said) });
    const page = await fetch(`${url}/tools/calculator`);
    const html = await page.text();
    if (!page.ok || !html.includes("calculator")) throw new StepError(`Its page answered ${page.status}.`);
    const words = ["call", "calculator", '{"expression":"det([1, 2; 3, 4])"}'];
    const { code, output } = await runCommand(node, [program, ...words], { env });
    if (code !== 0 || !output.includes("-2")) throw new StepError("A call failed.", { output });
  } finally {
    child.kill("SIGTERM");
    await closed;
  }
  if (child.exitCode !== 0) throw new StepError(`It ended with ${child.exitCode}.`, { output: excerpt(said) });
}

/** @param {string} node @param {string} program @param {string} home */
async function readRefusal(node, program, home) {
  for (const script of [
    program,
    path.join(path.dirname(program), "start.mjs"),
    path.join(path.dirname(program), "mcp.mjs"),
  ]) {
    const { code, output } = await runCommand(node, [script], { env: describeUser(node, home) });
    if (code === 1 && /^\s*Toolroom needs Node 20\.19 or newer; this is \S+\.\n.+\s*$/.test(output)) continue;
    throw new StepError(`${path.basename(script)} with an old Node does not say what to do.`, {
      output: excerpt(output),
    });
  }
}

/** @param {string} version @param {(node: string, program: string, home: string) => Promise<void>} work @param {string} file */
async function tryNode(version, file, work) {
  const node = await installNode(version);
  const folder = mkdtempSync(path.join(tmpdir(), `toolroom-node-${version}-`));
  const startedAt = performance.now();
  try {
    // An old Node starts what another one installed.
    const installer = work === readRefusal ? process.execPath : node;
    const program = await installWith(file, installer, folder);
    const installedAt = performance.now();
    await work(node, program, folder);
    const { output } = await runCommand(node, ["--version"]);
    const times = `installed in ${seconds(installedAt - startedAt)}, used in ${seconds(performance.now() - installedAt)}`;
    report(output.trim(), work === readRefusal ? "refused with one sentence" : times);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await runEntryPoint(async () => {
  ensureNode();
  const named = process.argv.slice(2);
  await ensureRunnable();
  const file = await packToolroom();
  report("package", path.relative(ROOT, file));
  for (const version of named.length > 0 ? named : SUPPORTED) await tryNode(version, file, useToolroom);
  if (named.length === 0) await tryNode(TOO_OLD, file, readRefusal);
});
