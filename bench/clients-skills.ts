/**
 * `npm run clients -- skills`: the MCP Inspector's checks of skills (SEP-2640), of three servers without Toolroom, through
 * their addresses at the gateway, and of all skills at `/mcp`. A fourth server lists a digest that its file does not have.
 */
import { spawn } from "node:child_process";
import { access, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { launchServer } from "../e2e/support/server";
import { waitUntil } from "../src/lib/wait-until.test-support";

const HERE = import.meta.dirname;
const PLAIN_SERVER = path.join(HERE, "../e2e/support/mcp-servers/skilled.mjs");
const FASTMCP = "fastmcp==4.2.3";
const ERAS = ["legacy", "modern"] as const;
type Era = (typeof ERAS)[number];
/** What the Inspector exits with: every skill passed, or one breaks a rule. */
const PASSED = 0;
const BROKEN = 7;
const START_LIMIT_MS = 120_000;

const SKILL_FILES: Readonly<Record<string, string | Uint8Array>> = {
  "release-notes/SKILL.md":
    '---\nname: release-notes\ndescription: Writes release notes\nlicense: MIT\nmetadata:\n  owner: docs\n  version: "2.10"\n---\n\nRead references/ü.md first.\n',
  "release-notes/references/ü.md": "Grüße, 世界\r\nwithout a newline at the end",
  "triage/SKILL.md": "---\nname: triage\ndescription: Sorts reports\n---\n\nSee assets/mark.bin.\n",
  "triage/assets/mark.bin": new Uint8Array([0, 255, 254, 1]),
};

interface SkillServer {
  name: string;
  /** The command line, for the Inspector. */
  target: string[];
  /** Its settings in Toolroom. */
  entry: object;
  /** The eras in which it serves skills without Toolroom. */
  eras: readonly Era[];
}

interface Verified {
  exit: number | null;
  /** The URIs of all skills and files, sorted. */
  uris: string[];
  detail: string;
}

interface Installed {
  folder: string;
  /** A Node that the Inspector accepts. */
  node: string;
}

/** Installs FastMCP into an environment of its own. */
async function preparePython({ folder }: Installed): Promise<string> {
  const environment = path.join(folder, "python");
  const python = path.join(environment, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const isReady = await access(python).then(
    () => true,
    () => false,
  );
  if (!isReady) await runToEnd("python3", ["-m", "venv", environment]);
  await runToEnd(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", FASTMCP]);
  return python;
}

function toStdio(name: string, line: string[], eras: readonly Era[], settings: object = {}): SkillServer {
  const [command, ...args] = line;
  return {
    name,
    target: line,
    entry: {
      type: "stdio",
      command,
      args,
      ...settings,
    },
    eras,
  };
}

async function waitForServers(url: string): Promise<void> {
  await waitUntil(
    async () => {
      const response = await fetch(`${url}/api/v1/servers`);
      const { items } = (await response.json()) as { items: { state: { status: string } }[] };
      return items.every(({ state }) => state.status === "connected");
    },
    { timeoutMs: START_LIMIT_MS },
  );
}

async function runToEnd(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}`);
}

/** @param target the address, or the command, of a server */
async function verify({ folder, node }: Installed, target: readonly string[], era: Era): Promise<Verified> {
  const inspector = path.join(folder, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const options = ["--method", "skills/list", "--verify", "--require-digests", "--protocol-era", era, "--quiet"];
  const child = spawn(node, [inspector, "--cli", ...target, ...options], {
    cwd: folder,
    env: {
      ...process.env,
      HOME: folder,
      MCP_CATALOG_PATH: path.join(folder, "inspector.json"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const exit = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  const reports = lines.map((line) => JSON.parse(line) as { uri: string; files?: { uri: string }[] });
  const uris = reports.flatMap(({ uri, files = [] }) => [uri, ...files.map((file) => file.uri)]).sort();
  return { exit, uris, detail: exit === PASSED ? "" : `${output}${errors}`.slice(0, 400) };
}

/** Runs the Inspector's checks; returns how many of them failed. @param folder of this run */
export async function runSkillChecks(installed: Installed, folder: string): Promise<number> {
  const skills = path.join(folder, "skills");
  for (const [file, content] of Object.entries(SKILL_FILES)) {
    await mkdir(path.dirname(path.join(skills, file)), { recursive: true });
    await writeFile(path.join(skills, file), content);
  }
  const python = await preparePython(installed);
  const fastMcpServer = path.join(HERE, "skills-fastmcp-server.py");
  const servers: SkillServer[] = [
    toStdio("sdk", [process.execPath, path.join(HERE, "skills-sdk-server.mjs"), skills], ERAS),
    // FastMCP declares skills in the newer protocol only, which Toolroom speaks over stdio where the settings say so.
    toStdio("fastmcp", [python, fastMcpServer, skills], ["modern"], { protocol: "stateless" }),
    toStdio("plain", [process.execPath, PLAIN_SERVER, "plain", "sound"], ["legacy"]),
  ];
  const altered = toStdio("altered", [process.execPath, PLAIN_SERVER, "altered", "stateless"], []);
  const mcpServers = Object.fromEntries([...servers, altered].map(({ name, entry }) => [name, entry]));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [] }, mcpServers }));
  const databaseFile = path.join(folder, "toolroom.db");
  const toolroom = await launchServer({ databaseFile, env: { TOOLROOM_CONFIG: config } });
  await waitForServers(toolroom.url);
  const address = (name: string) => ["--server-url", `${toolroom.url}/mcp/${name}`, "--transport", "http"];
  const totals = { legacy: 0, modern: 0 };
  let failed = 0;
  const report = (row: readonly string[], problem: string): void => {
    console.log([...row, problem === "" ? "ok" : "FAILED"].map((cell) => cell.padEnd(14)).join(""));
    if (problem === "") return;
    failed += 1;
    console.log(`  ${problem}`);
  };

  console.log(["server", "path", "era", "files", "result"].map((cell) => cell.padEnd(14)).join(""));
  for (const { name, target, eras } of servers) {
    for (const era of ERAS) {
      const direct = eras.includes(era) ? await verify(installed, target, era) : null;
      if (direct !== null) report([name, "direct", era, countUris(direct)], direct.detail);
      const served = await verify(installed, address(name), era);
      totals[era] += new Set(served.uris).size;
      const lacks = direct !== null && direct.uris.join() !== served.uris.join();
      const problem =
        served.uris.length === 0 ? "no skill is listed" : lacks ? "other files than without Toolroom" : "";
      report([name, "gateway", era, countUris(served)], served.detail || problem);
    }
  }
  const together = `${toolroom.url}/mcp?servers=${servers.map(({ name }) => name).join(",")}`;
  for (const era of ERAS) {
    const all = await verify(installed, ["--server-url", together, "--transport", "http"], era);
    const isWhole = new Set(all.uris).size === totals[era];
    report(["all three", "gateway", era, countUris(all)], all.detail || (isWhole ? "" : `${totals[era]} are served`));
    const wrong = await verify(installed, address(altered.name), era);
    const isFound = wrong.exit === BROKEN && wrong.uris.includes("skill://altered/SKILL.md");
    const problem = isFound ? "" : `the wrong digest is not reported: ${wrong.detail}`;
    report([altered.name, "gateway", era, countUris(wrong)], problem);
  }
  await toolroom.stop();
  return failed;
}

const countUris = ({ uris }: Verified): string => `${new Set(uris).size}`;
