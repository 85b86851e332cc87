import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text as readStream } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Command } from "commander";
import { parse as parseToml } from "smol-toml";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse as parseYaml } from "yaml";
import { createProver, serverFile, writeRunningServer } from "../../../../scripts/running-server.mjs";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { type Container, createContainer } from "../../main/container";
import { readEnv } from "../../main/env";
import { openCatalog } from "../../main/open-catalog";
import { registerWrapCommands } from "./wrap-commands";
import type { WrapIo } from "./wrap-io";

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const EVERYTHING = path.join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const MEMORY = path.join(ROOT, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
const SECRET = "planted-token-7f3a9c";
/** Nothing of the test reaches a network. */
const INHERITED = { PASSED_ON: "1", HTTPS_PROXY: "http://127.0.0.1:9", SSL_CERT_FILE: "/certificates.pem" };

const home = mkdtempSync(path.join(tmpdir(), "toolroom-wrap-client-"));
const database = path.join(home, "data/toolroom.db");
const env = {
  HOME: home,
  DATABASE_URL: `file:${database}`,
  TOOLROOM_CONFIG: path.join(home, "toolroom.json"),
  PATH: process.env.PATH,
  TOOLROOM_LOG_LEVEL: "silent",
  TOOLROOM_SHUTDOWN_GRACE_MS: "50",
};

const FILES = {
  ".config/Claude/claude_desktop_config.json": `{
  // my servers
  "mcpServers": {
    "everything": {
      "command": ${JSON.stringify(process.execPath)},
      "args": [${JSON.stringify(EVERYTHING)}, "stdio"],
      "env": { "API_TOKEN": "${SECRET}" },
    },
  },
}
`,
  ".codex/config.toml": `model = "gpt-5"\r\n\r\n[mcp_servers.memory]\r\ncommand = ${JSON.stringify(process.execPath)}\r\nargs = [${JSON.stringify(MEMORY)}]\r\n\r\n[mcp_servers.memory.env]\r\nMEMORY_FILE_PATH = ${JSON.stringify(path.join(home, "memory.json"))}\r\n`,
  ".config/goose/config.yaml": `extensions:
  everything: # the same as in Claude Desktop
    type: stdio
    cmd: ${JSON.stringify(process.execPath)}
    args: [${JSON.stringify(EVERYTHING)}, stdio]
    envs:
      API_TOKEN: ${SECRET}
    enabled: true
`,
};

/** Runs a command line with the real import at the database. */
async function run(...args: string[]): Promise<string> {
  const stdout = new PassThrough();
  const io: WrapIo = {
    stdin: Readable.from([]),
    stdout,
    env,
    cwd: home,
    rootDir: ROOT,
    openCatalog: ({ create, databaseUrl = env.DATABASE_URL }) =>
      openCatalog(readEnv({ ...env, DATABASE_URL: databaseUrl }), { create }),
  };
  const program = new Command().exitOverride();
  registerWrapCommands(program, io);
  try {
    await program.parseAsync(args, { from: "user" });
  } finally {
    stdout.end();
  }
  return await readStream(stdout);
}

interface Entry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Each client's reading of its own file. */
const readEntry = {
  claude: (): Entry =>
    JSON.parse(
      readFile(".config/Claude/claude_desktop_config.json")
        .replace(/\/\/.*$/m, "")
        .replace(/,(?=\s*[}\]])/g, ""),
    ).mcpServers.toolroom,
  codex: (): Entry =>
    (parseToml(readFile(".codex/config.toml")) as { mcp_servers: { toolroom: never } }).mcp_servers.toolroom,
  goose: (): Entry => {
    const { cmd, args, envs } = parseYaml(readFile(".config/goose/config.yaml")).extensions.toolroom;
    return { command: cmd, args, env: envs };
  },
};
const readFile = (file: string): string => readFileSync(path.join(home, file), "utf8");

let container: Container;
let stop: () => Promise<void>;
let said: string;

beforeAll(async () => {
  writeFileSync(env.TOOLROOM_CONFIG, '{ "serverEnvironment": ["PASSED_*"] }');
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), text);
  }
  said = await run("wrap", "--yes");
  container = await createContainer(readEnv({ ...env, ...INHERITED, NOT_PASSED: "no" }));
  const note = serverFile(ROOT, env.DATABASE_URL);
  const prove = createProver(note);
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    if (request.url?.startsWith("/healthz")) {
      response.end(JSON.stringify({ status: "ok", proof: prove(request.url, port) }));
    } else void container.gateway.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The note names the configuration of its process.
  vi.stubEnv("TOOLROOM_CONFIG", env.TOOLROOM_CONFIG);
  const remove = writeRunningServer(note, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.unstubAllEnvs();
  stop = async () => {
    remove();
    server.closeAllConnections();
    server.close();
    await container.close();
  };
}, 120_000);
afterAll(async () => await stop?.());

const connectFirst = async ({ command, args, env: settings }: Entry, name: string) => {
  const client = new FirstClient({ name, version: "1.0.0" });
  await client.connect(
    new FirstTransport({ command, args, env: { ...safeEnv(), ...settings }, stderr: "ignore" }) as never,
  );
  return client;
};
const connectSecond = async ({ command, args, env: settings }: Entry, name: string) => {
  const client = new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(
    new StdioClientTransport({ command, args, env: { ...safeEnv(), ...settings }, stderr: "ignore" }),
  );
  return client;
};
const safeEnv = () => ({ PATH: process.env.PATH ?? "", HOME: home });

/** The names that a server has for its tools, as Toolroom stored them. */
function listOwnTools(server: string): string[] {
  const raw = new Sqlite(database, { readonly: true });
  const { tools } = raw.prepare(`SELECT "tools" FROM "McpServerState" WHERE "name" = ?`).get(server) as {
    tools: string;
  };
  raw.close();
  return (JSON.parse(tools) as { name: string }[]).map(({ name }) => name).sort();
}

describe("a wrapped client", () => {
  it("has exactly its own servers' tools under their own names at its first request, gets the same results, and its calls are recorded", async () => {
    const direct = await connectSecond({ command: process.execPath, args: [EVERYTHING, "stdio"], env: {} }, "direct");
    const wanted = await direct.callTool({ name: "get-sum", arguments: { a: 2, b: 40 } });
    const own = (await direct.listTools()).tools.map(({ name }) => name);
    await direct.close();
    const servers = { claude: "everything", codex: "memory", goose: "everything" };
    for (const [name, read] of Object.entries(readEntry)) {
      const connect = name === "codex" ? connectFirst : connectSecond;
      const client = await connect(read(), `wrapped-${name}`);
      const names = (await client.listTools()).tools.map((tool) => tool.name);
      expect([name, names]).toEqual([name, listOwnTools(servers[name as "claude"])]);
      if (name === "codex") await client.callTool({ name: "read_graph", arguments: {} });
      else {
        expect(names).toEqual(expect.arrayContaining(own));
        expect(await client.callTool({ name: "get-sum", arguments: { a: 2, b: 40 } })).toEqual(wanted);
      }
      await client.close();
    }
    const raw = new Sqlite(database, { readonly: true });
    const calls = raw
      .prepare(`SELECT "toolName", "client", "status" FROM "Execution" WHERE "source" = 'gateway' ORDER BY "startedAt"`)
      .all();
    raw.close();
    expect(calls).toEqual(
      Object.entries(servers).map(([name, server]) => ({
        toolName: server === "memory" ? "memory__read_graph" : "everything__get-sum",
        client: `wrapped-${name}/1.0.0`,
        status: "succeeded",
      })),
    );
  }, 120_000);

  it("has servers that inherit what reaches the network and what the configuration lists", async () => {
    const client = await connectSecond(readEntry.claude(), "environment");
    const { content } = await client.callTool({ name: "get-env", arguments: {} });
    await client.close();
    const text = (content as { text: string }[])[0]?.text ?? "";
    const { API_TOKEN: _own, ...inherited } = JSON.parse(text.replaceAll("[redacted]", ""));
    expect(inherited).toMatchObject(INHERITED);
    expect(Object.keys(inherited)).not.toContain("NOT_PASSED");
  });

  it("leaves its secrets in the backup and the encrypted store alone", async () => {
    expect(said).toContain("everything");
    expect(said).not.toContain(SECRET);
    expect(readFile("data/wrap/state.json")).not.toContain(SECRET);
    for (const file of Object.keys(FILES)) expect(readFile(file)).not.toContain(SECRET);
    const raw = new Sqlite(database, { readonly: true });
    const rows = JSON.stringify(raw.prepare(`SELECT * FROM "McpServer"`).all(), (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    raw.close();
    expect(rows).toContain("API_TOKEN");
    expect(rows).not.toContain(SECRET);
    // The server that two clients had alike is one in Toolroom.
    expect(
      container.services.servers
        .list()
        .items.map(({ name }) => name)
        .sort(),
    ).toEqual(["everything", "memory"]);
  });

  it("gets each byte back", async () => {
    await stop();
    const unwrapped = await run("unwrap");
    for (const [file, text] of Object.entries(FILES)) expect(readFile(file)).toBe(text);
    expect(unwrapped.match(/restored byte for byte/g)).toHaveLength(3);
    expect(await run("unwrap")).toBe("No file is wrapped.\n");
    const again = await run("wrap", "codex", "--yes");
    expect(again).toContain("is in Toolroom already");
    await run("unwrap", "codex");
    expect(readFile(".codex/config.toml")).toBe(FILES[".codex/config.toml"]);
  }, 60_000);
});
