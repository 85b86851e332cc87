import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import {
  hasProxy,
  listProxies,
  type ProxyKind,
  PUBLIC_HOST,
  PUBLIC_PATH,
  type Proxy as RunningProxy,
  readPathBlock,
  readVariables,
  startProxy,
  startWith,
} from "../e2e/support/documented-proxies";
import { launchServer } from "../e2e/support/server";
import { freePort } from "../src/lib/free-port.test-support";
import { waitUntil } from "../src/lib/wait-until.test-support";

// npm run prove:proxies: what HAProxy, nginx, Caddy and Apache pass on, as our documents write them, under a path, and as
// their own first pages write them. Installs them with apt-get where it may.

const PACKAGES: Record<ProxyKind, string> = { haproxy: "haproxy", nginx: "nginx", caddy: "caddy", apache: "apache2" };
const ACCOUNT = { name: "Olivia", email: "o@example.org", password: "correct horse battery staple" };
/** Longer than the time that nginx, Apache and HAProxy wait for an answer where nothing else is configured. */
const LONG_CALL_S = process.argv.includes("--short") ? 5 : 70;
/** A client of its own, whose address differs from the proxy's. */
const CLIENT_ADDRESS = "127.0.0.2";

/** As the first pages of their documentation write them, with the addresses of our document. */
const TLS = {
  nginx: "ssl_certificate /etc/nginx/tools.example.org.crt; ssl_certificate_key /etc/nginx/tools.example.org.key;",
  apache: [
    "SSLEngine on",
    "SSLCertificateFile /etc/apache2/tools.example.org.crt",
    "SSLCertificateKeyFile /etc/apache2/tools.example.org.key",
  ].join("\n"),
};
const haproxy = (rule: string): string => `defaults
  mode http
  timeout connect 5s
  timeout client 50s
  timeout server 50s
frontend https
  bind :443 ssl crt /etc/haproxy/tools.example.org.pem
  ${rule}
  default_backend toolroom
backend toolroom
  server a 10.0.0.11:3000
`;
const nginx = (location: string): string =>
  `server { listen 443 ssl; server_name tools.example.org; ${TLS.nginx} ${location} }`;
const apache = (pass: string): string => `<VirtualHost *:443>\n${TLS.apache}\n${pass}\n</VirtualHost>`;

interface Plain {
  root: string;
  /** Under a path that the proxy removes. */
  removed: string;
}

const PLAIN: Record<ProxyKind, Plain> = {
  haproxy: { root: haproxy(""), removed: haproxy("http-request replace-path ^/toolroom/?(.*)$ /\\1") },
  nginx: {
    root: nginx("location / { proxy_pass http://10.0.0.11:3000; }"),
    removed: nginx("location /toolroom/ { proxy_pass http://10.0.0.11:3000/; }"),
  },
  caddy: {
    root: "tools.example.org {\n\treverse_proxy 10.0.0.11:3000\n}",
    removed: "tools.example.org {\n\thandle_path /toolroom/* {\n\t\treverse_proxy 10.0.0.11:3000\n\t}\n}",
  },
  apache: {
    root: apache("ProxyPass / http://10.0.0.11:3000/\nProxyPassReverse / http://10.0.0.11:3000/"),
    removed: apache("ProxyPass /toolroom/ http://10.0.0.11:3000/\nProxyPassReverse /toolroom/ http://10.0.0.11:3000/"),
  },
};

interface Setup {
  name: string;
  path: string;
  start(kind: ProxyKind, serverPort: number): Promise<RunningProxy>;
}

const SETUPS: readonly Setup[] = [
  {
    name: "documented",
    path: "",
    start: startProxy,
  },
  {
    name: "documented, path",
    path: PUBLIC_PATH,
    start: (kind, port) => startWith(kind, readPathBlock(kind), port, PUBLIC_PATH),
  },
  {
    name: "plain",
    path: "",
    start: (kind, port) => startWith(kind, PLAIN[kind].root, port),
  },
  {
    name: "plain, path removed",
    path: PUBLIC_PATH,
    start: (kind, port) => startWith(kind, PLAIN[kind].removed, port, PUBLIC_PATH),
  },
];

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** A client of the proxy. */
function createClient(port: number, path: string) {
  let cookie = "";

  function open(target: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const own = {
        host: PUBLIC_HOST,
        ...(method === "GET" ? {} : { origin: `https://${PUBLIC_HOST}` }),
        ...(cookie === "" ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json", "content-length": `${body.length}` }),
      };
      const options = { method, headers: { ...own, ...headers }, agent: false, rejectUnauthorized: false };
      const at = { localAddress: CLIENT_ADDRESS, servername: PUBLIC_HOST };
      const sent = https.request(`https://127.0.0.1:${port}${path}${target}`, { ...options, ...at }, resolve);
      sent.on("error", reject).end(body);
    });
  }

  return {
    open,
    async ask(target: string, asked?: Asked) {
      try {
        const response = await open(target, asked);
        return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
      } catch (error) {
        return { status: 0, headers: {}, body: String(error) };
      }
    },
    takeCookies(headers: IncomingMessage["headers"]): void {
      cookie = (headers["set-cookie"] ?? []).map((each) => each.split(";", 1)[0]).join("; ");
    },
  };
}

type Client = ReturnType<typeof createClient>;

interface Answered {
  status: number;
  body: string;
}

/** The status, and whether it is Toolroom's answer or the proxy's page. */
function describeAnswer({ status, body }: Answered): string {
  return `${status}${/^\s*[[{]/.test(body) ? "" : " by the proxy"}`;
}

function expectAnswer(answer: Answered, ...allowed: number[]): string {
  const isOwn = /^\s*[[{]/.test(answer.body);
  return isOwn && allowed.includes(answer.status) ? "yes" : describeAnswer(answer);
}

/** Reads until a text has come. @returns the seconds that it took */
async function waitForText(response: IncomingMessage, wanted: RegExp, limitMs: number): Promise<number | null> {
  const startedAt = performance.now();
  const timer = setTimeout(() => response.destroy(), limitMs);
  let read = "";
  try {
    for await (const chunk of response) {
      read += chunk;
      if (wanted.test(read)) return (performance.now() - startedAt) / 1_000;
    }
  } catch {
    // Cut off by the limit, or by the proxy.
  } finally {
    clearTimeout(timer);
  }
  if (process.argv.includes("--verbose")) console.error(read.slice(0, 300));
  return null;
}

let sentRequests = 0;
/** Each with an id of its own: the gateway refuses one that a running call has. */
function rpc(method: string, params: object): string {
  sentRequests += 1;
  return JSON.stringify({ jsonrpc: "2.0", id: sentRequests, method, params });
}
const MCP_HEADERS = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };

/** @returns the headers of a session at the gateway */
async function openSession(client: Client, token: string): Promise<Record<string, string>> {
  const headers = { ...MCP_HEADERS, authorization: `Bearer ${token}` };
  const info = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "proxies", version: "1" } };
  const opened = await client.ask("/mcp", { method: "POST", headers, body: rpc("initialize", info) });
  return { ...headers, "mcp-session-id": String(opened.headers["mcp-session-id"] ?? "") };
}

async function callWithProgress(client: Client, headers: Record<string, string>): Promise<string> {
  const call = {
    name: "slow_report",
    arguments: { steps: 4, step_ms: 1_000 },
    _meta: { progressToken: "p" },
  };
  const response = await client.open("/mcp", { method: "POST", headers, body: rpc("tools/call", call) });
  if (response.statusCode !== 200)
    return describeAnswer({ status: response.statusCode ?? 0, body: await text(response) });
  const seconds = await waitForText(response, /notifications\/progress/, 10_000);
  response.destroy();
  if (seconds === null) return "no progress";
  return seconds < 3 ? "yes" : `after ${seconds.toFixed(1)} s`;
}

/** Without a token for progress, so that nothing but the result has to come. */
async function callForLong(client: Client, headers: Record<string, string>): Promise<string> {
  const call = { name: "slow_report", arguments: { steps: LONG_CALL_S / 5, step_ms: 5_000 } };
  const answer = await client.ask("/mcp", { method: "POST", headers, body: rpc("tools/call", call) });
  if (answer.body.includes("finished_at")) return "yes";
  return answer.status === 200 || answer.status === 0 ? "cut off" : describeAnswer(answer);
}

async function followStream(client: Client): Promise<string> {
  const response = await client.open("/api/live", { headers: { accept: "text/event-stream" } });
  if (response.statusCode !== 200) return `${response.statusCode}`;
  const waiting = waitForText(response, /execution/, 10_000);
  const body = JSON.stringify({ arguments: { message: "live" } });
  await client.ask("/api/v1/tools/echo/execute", { method: "POST", body });
  const seconds = await waiting;
  response.destroy();
  return seconds === null ? "nothing came" : seconds < 3 ? "yes" : `after ${seconds.toFixed(1)} s`;
}

async function walkPages(client: Client, path: string): Promise<string> {
  for (const page of ["/", "/tools", "/executions", "/settings/audit"]) {
    const answer = await client.ask(page, { headers: { accept: "text/html" } });
    if (answer.status !== 200) return `${page} ${answer.status}`;
    for (const [, file = ""] of answer.body.matchAll(/(?:src|href)="([^"]*\/_next\/static\/[^"]*)"/g)) {
      if (!file.startsWith(`${path}/_next/`)) return `${file} is not below ${path}`;
      const asset = await client.ask(file.slice(path.length));
      if (asset.status !== 200) return `${file} ${asset.status}`;
    }
  }
  return "yes";
}

/** @returns what each thing came to */
async function driveProxy(port: number, path: string, link: string): Promise<Record<string, string>> {
  const client = createClient(port, path);
  const found: Record<string, string> = {};
  const post = (body: object | string): Asked => ({
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const back = await client.ask("/tools", { headers: { accept: "text/html" } });
  const location = String(back.headers.location ?? "").replace(`https://${PUBLIC_HOST}`, "");
  found.redirect = location === `${path}/sign-in?to=%2Ftools` ? "yes" : `${back.status} ${location}`;
  await client.ask("/api/auth/link/use", post({ token: link, ...ACCOUNT }));
  const { email, password } = ACCOUNT;
  const signedIn = await client.ask("/api/auth/sign-in/email", post({ email, password, rememberMe: true }));
  const cookies = signedIn.headers["set-cookie"] ?? [];
  const isRight =
    cookies.length > 0 && cookies.every((each) => each.includes("Secure") && each.includes(`Path=${path || "/"};`));
  found["sign-in, Secure cookie"] = isRight
    ? "yes"
    : `${describeAnswer(signedIn)} ${cookies.map((each) => each.replace(/=[^;]*/, "=…")).join(" + ")}`;
  client.takeCookies(signedIn.headers);
  const audit = await client.ask(
    `/api/trpc/audit.list?input=${encodeURIComponent(JSON.stringify({ json: { limit: 20 } }))}`,
  );
  found["client's address"] = audit.body.includes(`"${CLIENT_ADDRESS}"`) ? "yes" : "the proxy's";
  const input = { name: "proxies", scopes: ["read", "run"], tools: null, servers: null, validDays: 1 };
  const created = await client.ask("/api/trpc/tokens.create", post({ json: input }));
  const token = String(JSON.parse(created.body).result?.data.json.text ?? "");
  found["pages and scripts"] = await walkPages(client, path);
  found["live stream"] = await followStream(client);
  const session = await openSession(client, token);
  found["progress at /mcp"] = await callWithProgress(client, session);
  const long = callForLong(client, session);
  const filler = " ".repeat(1_000_000 * 7);
  const small = await client.ask("/api/v1/tools/echo/execute", post(`{"arguments":{"message":"x"}}${filler}`));
  found["body of 7 MB"] = expectAnswer(small, 200);
  const large = await client.ask(
    "/api/v1/catalog/preview",
    post(JSON.stringify({ text: "x".repeat(9_900_000) }) + " ".repeat(13_000_000)),
  );
  found["body of 23 MB"] = expectAnswer(large, 200, 400, 422);
  const slash = await client.ask("/api/v1/tools/a%2Fb");
  found["%2F in a path"] = slash.body.includes("'a/b'") ? "yes" : describeAnswer(slash);
  found[`call of ${LONG_CALL_S} s at /mcp`] = await long;
  return found;
}

/** The example, whose slow tool may take longer. */
async function writeConfiguration(): Promise<string> {
  const config = JSON.parse(readFileSync("config/toolroom.example.json", "utf8"));
  for (const tool of config.tools.registry)
    if (tool.name === "slow_report") tool.timeout_ms = (LONG_CALL_S + 30) * 1_000;
  config.handlers = config.handlers.map((file: string) => path.resolve("config", file));
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-proxies-"));
  const file = path.join(folder, "toolroom.json");
  await writeFile(file, JSON.stringify(config));
  return file;
}

async function proveSetup(kind: ProxyKind, { path: base, start }: Setup): Promise<Record<string, string>> {
  const port = await freePort();
  const env = {
    TOOLROOM_AUTH: "on",
    ...readVariables(),
    TOOLROOM_PUBLIC_URL: `https://${PUBLIC_HOST}${base}`,
    TOOLROOM_CONFIG: configuration,
  };
  const server = await launchServer({ port, env });
  try {
    const findLink = () => /\/join#(\S+)/.exec(server.output())?.[1];
    await waitUntil(() => findLink() !== undefined);
    const proxy = await start(kind, server.port);
    try {
      return await driveProxy(proxy.port ?? 0, base, findLink() ?? "");
    } finally {
      await proxy.close();
    }
  } catch (error) {
    return { started: String(error).split("\n", 3).join(" ").slice(0, 200) };
  } finally {
    await server.dispose();
  }
}

/** Debian's packages start a service, which is stopped again where it was not there. */
async function install(kind: ProxyKind): Promise<void> {
  const isDebian = /ID(?:_LIKE)?=.*debian/.test(readFileSync("/etc/os-release", "utf8"));
  if ((await hasProxy(kind)) || !isDebian || process.getuid?.() !== 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  await promisify(execFile)("apt-get", ["install", "-y", "-q", PACKAGES[kind]], { env });
}

function printTable(setup: Setup, columns: readonly [string, Record<string, string>][]): void {
  const rows = [...new Set(columns.flatMap(([, found]) => Object.keys(found)))];
  console.log(`\n### ${setup.name}\n\n| | ${columns.map(([kind]) => kind).join(" | ")} |`);
  console.log(`| :-- |${columns.map(() => " :-- |").join("")}`);
  for (const row of rows) console.log(`| ${row} | ${columns.map(([, found]) => found[row] ?? "–").join(" | ")} |`);
}

const configuration = await writeConfiguration();
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const kinds: ProxyKind[] = [];
for (const kind of listProxies()) {
  await install(kind);
  if (await hasProxy(kind)) kinds.push(kind);
  else console.log(`${kind} is not installed: it is left out.`);
}
let isRefused = false;
for (const setup of SETUPS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const columns = await Promise.all(
    kinds.map(async (kind): Promise<[string, Record<string, string>]> => [kind, await proveSetup(kind, setup)]),
  );
  printTable(setup, columns);
  const isOurs = setup.name.startsWith("documented");
  isRefused ||= isOurs && columns.some(([, found]) => Object.values(found).some((value) => value !== "yes"));
}
await rm(path.dirname(configuration), { recursive: true });
if (isRefused) {
  console.error("\nA documented configuration does not pass everything on.");
  process.exitCode = 1;
}
