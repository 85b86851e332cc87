import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { freePort } from "../src/lib/free-port.test-support";

const FOLDER = path.resolve(import.meta.dirname, "../.toolroom/bench");
const INSTALL_LIMIT_MS = 120_000;
const START_LIMIT_MS = 120_000;
const LOOK_AGAIN_MS = 200;
const run = promisify(execFile);

/** The echo server in both forms. */
export interface PeerServers {
  stdio: { command: string; args: string[] };
  http: { url: string };
}

export interface Peer {
  name: string;
  url: string;
  mode: "legacy" | "sse";
  headers?: Record<string, string>;
  /** The names of the echo tool, by server; a server that is missing is left out. */
  tools: Partial<Record<keyof PeerServers, string>>;
  child: ChildProcess;
}

interface PeerProgram {
  name: string;
  /** Found on PATH, where the folders of `PEERS` come first. */
  command: string;
  start(
    command: string,
    servers: PeerServers,
    place: { folder: string; port: number },
  ): Promise<Omit<Peer, "name" | "child"> & { args: string[]; env?: Record<string, string>; ready: ReadyCheck }>;
}

/** Resolves to true once the peer can be measured; asked again until then. */
type ReadyCheck = () => Promise<boolean>;

const isOk = async (url: string): Promise<boolean> => {
  const response = await fetch(url).catch(() => null);
  await response?.arrayBuffer();
  return response?.ok === true;
};

const MCP_HUB: PeerProgram = {
  name: "mcp-hub",
  command: process.execPath,
  async start(_command, { stdio, http }, { folder, port }) {
    const cli = path.join(folder, "node_modules/mcp-hub/dist/cli.js");
    await access(cli).catch(() => installMcpHub(folder));
    const config = path.join(folder, "servers.json");
    await writeFile(config, JSON.stringify({ mcpServers: { stdio, http } }));
    const origin = `http://127.0.0.1:${port}`;
    return {
      args: [cli, "--port", String(port), "--config", config],
      url: `${origin}/mcp`,
      mode: "sse",
      tools: { http: "http__echo", stdio: "stdio__echo" },
      async ready() {
        const health = await fetch(`${origin}/api/health`).catch(() => null);
        const { servers = [] } = ((await health?.json()) ?? {}) as { servers?: { status: string }[] };
        return servers.filter(({ status }) => status === "connected").length === 2;
      },
    };
  },
};

const FAST_MCP: PeerProgram = {
  name: "FastMCP's proxy",
  command: "fastmcp",
  async start(_command, { stdio, http }, { folder, port }) {
    const config = path.join(folder, "servers.json");
    await writeFile(config, JSON.stringify({ mcpServers: { stdio, http: { ...http, transport: "http" } } }));
    const url = `http://127.0.0.1:${port}/mcp`;
    return {
      args: ["run", config, "--transport", "http", "--host", "127.0.0.1", "--port", String(port), "--no-banner"],
      url,
      mode: "legacy",
      tools: { http: "http_echo", stdio: "stdio_echo" },
      // It has no page; a request without a session is refused once it listens.
      ready: () =>
        fetch(url).then(
          ({ status }) => status < 500,
          () => false,
        ),
    };
  },
};

const LITE_LLM: PeerProgram = {
  name: "LiteLLM",
  command: "litellm",
  async start(_command, { stdio, http }, { folder, port }) {
    const key = `sk-${randomBytes(12).toString("hex")}`;
    const config = path.join(folder, "config.yaml");
    const servers = {
      http: { ...http, transport: "http", allow_all_keys: true },
      stdio: { ...stdio, transport: "stdio", allow_all_keys: true },
    };
    // JSON is YAML.
    await writeFile(config, JSON.stringify({ general_settings: { master_key: key }, mcp_servers: servers }));
    const origin = `http://127.0.0.1:${port}`;
    return {
      args: ["--config", config, "--host", "127.0.0.1", "--port", String(port), "--telemetry", "False"],
      env: { LITELLM_LOCAL_MODEL_COST_MAP: "True" },
      url: `${origin}/mcp/`,
      mode: "legacy",
      headers: { authorization: `Bearer ${key}` },
      tools: { http: "http-echo", stdio: "stdio-echo" },
      ready: () => isOk(`${origin}/health/liveliness`),
    };
  },
};

const CONTEXT_FORGE: PeerProgram = {
  name: "ContextForge",
  command: "mcpgateway",
  async start(_command, { http }, { folder, port }) {
    await rm(path.join(folder, "gateway.db"), { force: true });
    const origin = `http://127.0.0.1:${port}`;
    const secret = (): string => randomBytes(48).toString("base64url");
    const key = secret();
    const authorization = `Bearer ${signAdminToken(key)}`;
    return {
      args: ["mcpgateway.main:app", "--host", "127.0.0.1", "--port", String(port)],
      env: {
        // Without sign-in it refuses every server and serves no tool, whatever its settings say of unauthenticated admins.
        AUTH_REQUIRED: "true",
        JWT_SECRET_KEY: key,
        // The echo server is on loopback; one client may send 100 requests a minute otherwise.
        SSRF_PROTECTION_ENABLED: "false",
        RATE_LIMITING_ENABLED: "false",
        MCPGATEWAY_UI_ENABLED: "false",
        CACHE_TYPE: "memory",
        LOG_LEVEL: "ERROR",
        DATABASE_URL: `sqlite:///${path.join(folder, "gateway.db")}`,
        AUTH_ENCRYPTION_SECRET: secret(),
        BASIC_AUTH_PASSWORD: secret(),
        PLATFORM_ADMIN_PASSWORD: secret(),
      },
      url: `${origin}/mcp/`,
      mode: "legacy",
      headers: { authorization },
      tools: { http: "http-echo" },
      async ready() {
        if (!(await isOk(`${origin}/health`))) return false;
        const body = JSON.stringify({ name: "http", url: http.url, transport: "STREAMABLEHTTP" });
        const headers = { "content-type": "application/json", authorization };
        const added = await fetch(`${origin}/gateways`, { method: "POST", headers, body });
        // A second try finds the first one's row.
        if (!added.ok && added.status !== 409) throw new Error(`${added.status} ${await added.text()}`);
        return true;
      },
    };
  },
};

/** What `mcpgateway.utils.create_jwt_token` makes for its first admin. */
function signAdminToken(key: string): string {
  const email = "admin@example.com";
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    sub: email,
    iss: "mcpgateway",
    aud: "mcpgateway-api",
    jti: randomUUID(),
    iat: now,
    exp: now + 86_400,
    token_use: "session",
    teams: null,
    is_admin: true,
    user: { email, is_admin: true, auth_provider: "local" },
  };
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

const PROGRAMS = [MCP_HUB, FAST_MCP, LITE_LLM, CONTEXT_FORGE];

/** The other gateways that are installed, with the same servers; mcp-hub is installed on demand. Says which are left out. */
export async function startPeers(servers: PeerServers): Promise<Peer[]> {
  const wanted = process.env.ONLY?.split(",").map((name) => name.trim().toLowerCase());
  const peers: Peer[] = [];
  for (const program of PROGRAMS) {
    if (wanted !== undefined && !wanted.some((name) => program.name.toLowerCase().startsWith(name))) continue;
    try {
      peers.push(await startPeer(program, servers));
    } catch (error) {
      console.log(`${program.name} is left out: ${String(error).split("\n")[0]}`);
    }
  }
  return peers;
}

async function startPeer({ name, command, start }: PeerProgram, servers: PeerServers): Promise<Peer> {
  const folder = path.join(FOLDER, name.toLowerCase().replaceAll(/[^a-z]+/g, "-"));
  await mkdir(folder, { recursive: true });
  const file = path.isAbsolute(command) ? command : await findCommand(command);
  const { args, env, ready, ...peer } = await start(file, servers, { folder, port: await freePort() });
  // Logs and state are written below the home folder.
  const homes = { HOME: folder, XDG_STATE_HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const { DATABASE_URL: _own, ...inherited } = process.env;
  const child = spawn(file, args, { stdio: "ignore", cwd: folder, env: { ...inherited, ...homes, ...env } });
  try {
    await waitUntil(child, ready);
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  }
  return { name, ...peer, child };
}

async function findCommand(command: string): Promise<string> {
  const folders = [process.env.PEERS, process.env.PATH].flatMap((list) => list?.split(path.delimiter) ?? []);
  for (const folder of folders) {
    const file = path.join(folder, command);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  throw new Error(`${command} is not installed`);
}

async function waitUntil(child: ChildProcess, ready: ReadyCheck): Promise<void> {
  const giveUpAt = Date.now() + START_LIMIT_MS;
  while (Date.now() < giveUpAt) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    if (await ready()) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`it was not ready within ${START_LIMIT_MS / 1000} s`);
}

async function installMcpHub(folder: string): Promise<void> {
  await writeFile(path.join(folder, "package.json"), '{"private":true}');
  const args = ["install", "--no-audit", "--no-fund", "--no-save", "mcp-hub@4.2"];
  await run("npm", args, { cwd: folder, timeout: INSTALL_LIMIT_MS });
}

/** Megabytes that a process holds in memory; null where `ps` does not say. */
export async function residentMb(pid: number | undefined): Promise<number | null> {
  const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.trim() === "" ? null : Math.round(Number(stdout) / 1024);
}
