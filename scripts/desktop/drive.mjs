// Drives a package file as a user of a desktop does, on the system that it runs on: docs/operations.md says what it cannot show under Wine.
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { INSTALLED, installPackage } from "../pack/install.mjs";
import { runCommand, runNpm } from "../run-command.mjs";
import { writeClientTexts } from "./client-files.mjs";
import { isAlive, ToolroomProgram, waitFor } from "./toolroom-program.mjs";

const { values } = parseArgs({
  options: {
    /** The package file; without one it is installed in the folder already. */
    package: { type: "string" },
    /** For everything: empty, or with the installed package in `app`. */
    folder: { type: "string" },
    /** Gets a line of JSON for each check. */
    report: { type: "string" },
    /** The system whose folders the clients use, where it is not this one. */
    as: { type: "string" },
    /** A module that Toolroom loads first. */
    preload: { type: "string" },
    /** Wine shows no starts of processes and ends no trees, so that servers here end with their input. */
    wine: { type: "boolean", default: false },
  },
});
const folder = path.resolve(values.folder ?? "");
const platform = /** @type {NodeJS.Platform} */ (values.as ?? process.platform);
const report = values.report ?? path.join(folder, "report.jsonl");

const home = path.join(folder, "home of ada");
const cache = path.join(folder, "cache");
const npmSettings = {
  npm_config_cache: cache,
  npm_config_offline: "true",
  npm_config_update_notifier: "false",
};
const env = Object.assign({}, npmSettings, values.preload && { NODE_OPTIONS: `--require ${values.preload}` });
const toolroom = new ToolroomProgram({
  program: path.join(folder, "app", INSTALLED, "scripts/toolroom.mjs"),
  data: path.join(folder, "Data"),
  home,
  env,
});
const probe = path.join(folder, "desktop-probe-1.0.0.tgz");
const flags = values.wine ? [] : ["--stubborn"];
const onRunning = ["--data", toolroom.data];

/** Processes of servers; those that a failed check left are ended by the drive. @type {Set<number>} */
const seen = new Set();

/** @param {string} title @param {() => Promise<void>} body */
async function check(title, body) {
  const startedAt = performance.now();
  let error = "";
  try {
    await body();
  } catch (caught) {
    error = caught instanceof Error ? caught.message : String(caught);
  }
  const ms = Math.round(performance.now() - startedAt);
  appendFileSync(report, `${JSON.stringify({ title, ms, error })}\n`);
  // The later checks need this server.
  if (error !== "") throw new Error(`${title}: ${error}`);
}

/** @param {unknown} condition @param {string} message */
function demand(condition, message) {
  if (!condition) throw new Error(message);
}

/** Packs the server of the drive, so that no registry is asked. */
async function packProbe() {
  const source = path.join(folder, "probe");
  mkdirSync(source, { recursive: true });
  copyFileSync(path.join(import.meta.dirname, "probe-server.mjs"), path.join(source, "server.mjs"));
  const manifest = { name: "desktop-probe", version: "1.0.0", type: "module", bin: { "desktop-probe": "server.mjs" } };
  writeFileSync(path.join(source, "package.json"), JSON.stringify(manifest));
  const { code, output } = await runNpm(["pack", "--ignore-scripts", "--pack-destination", folder], {
    cwd: source,
    env: npmSettings,
  });
  demand(code === 0 && existsSync(probe), `npm pack ended with ${code}:\n${output}`);
}

/** In scripts that npm writes; Wine's `cmd.exe` ends at it. */
const GOTO_NO_LABEL = "endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & ";

/** Lets `npx` install the server as it always does, and takes what Wine cannot read out of the script that npm wrote. */
async function prepareForWine() {
  const npx = (process.env.npm_execpath ?? "").replace("npm-cli.js", "npx-cli.js");
  await runCommand(process.execPath, [npx, "-y", `file:${probe}`], { env: npmSettings });
  const installed = path.join(cache, "_npx");
  for (const name of readdirSync(installed, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith("desktop-probe.cmd")) continue;
    const script = path.join(installed, name);
    writeFileSync(script, readFileSync(script, "utf8").replace(GOTO_NO_LABEL, ""));
  }
}

const addProbe = () =>
  toolroom.run(["servers", "add", "probe", ...onRunning, "--", "npx", "-y", `file:${probe}`, ...flags]);

/** @returns {Promise<number[]>} the ids of the server, of what started it and of its helper */
async function readTree() {
  const { result } = await toolroom.request("POST", "/tools/probe__tree/execute", { arguments: {} });
  /** @type {number[]} */
  const pids = JSON.parse(result.content[0].text);
  for (const pid of pids) seen.add(pid);
  demand(pids.length === 3 && pids.every(isAlive), `Not all of ${pids} run`);
  return pids;
}

/** @param {number[]} pids @param {string} when */
const waitForEnd = (pids, when) =>
  waitFor(() => !pids.some(isAlive), `${pids.filter(isAlive).join(", ")} of ${pids} still run after ${when}`);

/** Until the notes for a later Toolroom name the server. @param {number} pid */
const waitForNote = (pid) =>
  waitFor(() => {
    const notes = path.join(toolroom.data, "processes");
    const names = existsSync(notes) ? readdirSync(notes).filter((name) => name.endsWith(".json")) : [];
    return names.some((name) => readFileSync(path.join(notes, name), "utf8").includes(`"pid":${pid},`));
  }, "the note of the server's processes");

async function proveServers() {
  await check("an npx server connects by npm's own npx", async () => {
    await addProbe();
    const { items } = JSON.parse(await toolroom.run(["servers", "list", "--json", ...onRunning]));
    const server = items.find((/** @type {{ name: string }} */ { name }) => name === "probe");
    demand(server?.state.status === "connected", JSON.stringify(server));
    demand((await toolroom.run(["tools", "list", ...onRunning])).includes("probe__echo"), "probe__echo is not listed");
  });
  await check("a call gets its result, and executions list has it", async () => {
    const text = "a b  100% ü";
    const output = await toolroom.run(["call", ...onRunning, "probe__echo", "--text", text]);
    demand(output.includes(text), `It returned ${output}`);
    const { items } = JSON.parse(await toolroom.run(["executions", "list", "--json", ...onRunning]));
    const { toolName, status } = items[0] ?? {};
    demand(toolName === "probe__echo" && status === "succeeded", JSON.stringify(items[0]));
  });
}

async function proveCase() {
  const other =
    platform === "win32" ? toolroom.data.replace(/^./, (drive) => drive.toLowerCase()) : toolroom.data.toLowerCase();
  if (other === toolroom.data || !existsSync(other)) return;
  await check("a folder in another case is the same one", async () => {
    const list = await toolroom.run(["servers", "list", "--data", other]);
    demand(list.includes("probe"), `With --data ${other} it printed ${list}`);
  });
}

async function proveTrees() {
  await check("a server's processes end whole when it reconnects and when it is removed", async () => {
    const first = await readTree();
    await toolroom.request("POST", "/servers/probe/connect");
    await waitForEnd(first, "a new connection");
    const second = await readTree();
    await toolroom.request("DELETE", "/servers/probe");
    await waitForEnd(second, "it was removed");
  });
  await check("a kill of Toolroom leaves no process once it has started again", async () => {
    await addProbe();
    const pids = await readTree();
    if (!values.wine) await waitForNote(pids[0] ?? 0);
    await toolroom.kill();
    await toolroom.start();
    await waitForEnd(pids, "a kill of Toolroom and its next start");
  });
  await check("Toolroom ends with its servers when it is asked to", async () => {
    await toolroom.request("POST", "/servers/probe/connect");
    const pids = await readTree();
    await toolroom.stop();
    await waitForEnd(pids, "the end of Toolroom");
  });
}

async function proveWrap() {
  const texts = writeClientTexts(home, platform, path.join(folder, "probe", "server.mjs"));
  for (const [client, text] of texts) {
    mkdirSync(path.dirname(client), { recursive: true });
    writeFileSync(client, text);
  }
  const data = path.join(folder, "wrapped");
  await check("wrap moves the servers of Claude Desktop, Cursor, VS Code, Codex and Goose", async () => {
    const output = await toolroom.run(["wrap", "--yes", "--data", data]);
    for (const [client, text] of texts) {
      const now = readFileSync(client, "utf8");
      demand(now !== text && now.includes("toolroom"), `${client} was not changed:\n${output}`);
    }
  });
  await check("unwrap restores the five files byte for byte", async () => {
    const output = await toolroom.run(["unwrap", "--yes", "--data", data]);
    for (const [client, text] of texts) {
      demand(readFileSync(client, "utf8") === text, `${client} is not what it was:\n${output}`);
    }
  });
}

mkdirSync(home, { recursive: true });
try {
  const { package: file } = values;
  if (file !== undefined) {
    await check("npm installs the package file", () => installPackage(file, path.join(folder, "app"), { cache }));
  }
  await check("Toolroom starts, and the console answers with 200", async () => {
    await toolroom.start();
    const { status } = await fetch(`${toolroom.url}/tools`);
    demand(status === 200, `GET /tools was answered with ${status}`);
  });
  await packProbe();
  if (values.wine) await prepareForWine();
  await proveServers();
  await proveCase();
  await proveTrees();
  await proveWrap();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await toolroom.kill();
  if (process.exitCode === 1) for (const pid of [...seen].filter(isAlive)) process.kill(pid, "SIGKILL");
}
