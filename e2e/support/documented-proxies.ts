import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { waitUntil } from "../../src/lib/wait-until.test-support";

const DOCUMENT = path.resolve(import.meta.dirname, "../../docs/operations.md");
const SECTION = /\n## A proxy or balancer\n([\s\S]*?)\n## /.exec(readFileSync(DOCUMENT, "utf8"))?.[1] ?? "";
/** The addresses of the document: of the proxy, and of the server. */
const PROXY = "10.0.0.5";
const SERVER = "10.0.0.11:3000";
export const PUBLIC_HOST = "tools.example.org";

/** The path of the section about a host that others share. */
export const PUBLIC_PATH = "/toolroom";

export interface Proxy {
  /** Null for the stand-in of a program that this machine does not have. */
  port: number | null;
  send(method: string, target: string, body?: string): Promise<{ status: number; location: string; body: string }>;
  close(): Promise<void>;
}

function readBlock(language: string): string {
  const block = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(SECTION)?.[1];
  if (block === undefined) throw new Error(`The section has no ${language} block`);
  return block;
}

/** Replaces what differs on the test's machine; what the document does not have is an error. */
function adapt(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((adapted, [before, after]) => {
    if (!adapted.includes(before)) throw new Error(`The document does not have ${before}`);
    return adapted.replaceAll(before, after);
  }, text);
}

/** The variables that the section asks for, with the proxy on this machine. */
export function readVariables(): Record<string, string> {
  const line = adapt(readBlock("bash"), { [PROXY]: "127.0.0.1" });
  return Object.fromEntries([...line.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]));
}

/** The kinds of proxies in the section. */
export const listProxies = (): ProxyKind[] =>
  [...SECTION.matchAll(/```(\w+)/g)].map(([, language = ""]) => language).filter(isKind);

const isKind = (language: string): language is ProxyKind => Object.hasOwn(PROGRAMS, language);

/** The block of a proxy as the section has it under a path, which replaces one of its lines. */
export function readPathBlock(kind: ProxyKind): string {
  const line = new RegExp(`^- \\*\\*${kind}\\*\\*: (.*)$`, "im").exec(SECTION)?.[1] ?? "";
  const quoted = [...line.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
  const before = quoted.pop() ?? "";
  return adapt(readBlock(kind), { [before]: quoted.join("\n") });
}

export function hasProxy(kind: ProxyKind): Promise<boolean> {
  return hasProgram(PROGRAMS[kind]);
}

export type ProxyKind = "haproxy" | "nginx" | "caddy" | "apache";

/** Starts the program with a block of configuration that has the addresses of the document. @param path under which the block serves Toolroom */
export const startWith = (kind: ProxyKind, block: string, serverPort: number, path = ""): Promise<Proxy> =>
  startProgram(PROGRAMS[kind], block, serverPort, path);

/** Starts the documented proxy where the machine has the program, else one that sends the headers that its block sets. */
export async function startProxy(kind: ProxyKind, serverPort: number): Promise<Proxy> {
  const block = readBlock(kind);
  if (await hasProxy(kind)) return startWith(kind, block, serverPort);
  return startForwarder(HEADERS[kind](block), serverPort);
}

interface ProxyProgram {
  command: string;
  /** Prints the version and ends. */
  version: string;
  /** What the document's block becomes with the addresses and files of the test. */
  configure(block: string, addresses: { port: number; server: string }, file: (name: string) => string): string;
  args(file: (name: string) => string): string[];
}

const PROGRAMS: Record<ProxyKind, ProxyProgram> = {
  haproxy: {
    command: "haproxy",
    version: "-v",
    configure: (block, { port, server }, file) =>
      adapt(block, {
        ":443": `127.0.0.1:${port}`,
        "/etc/haproxy/tools.example.org.pem": file("pem"),
        [SERVER]: server,
      }),
    args: (file) => ["-db", "-f", file("cfg")],
  },
  nginx: {
    command: "nginx",
    version: "-v",
    configure: (block, { port, server }, file) => {
      const adapted = adapt(block, {
        "listen 443": `listen 127.0.0.1:${port}`,
        "/etc/nginx/tools.example.org.crt": file("crt"),
        "/etc/nginx/tools.example.org.key": file("key"),
        [SERVER]: server,
      });
      const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path ${file(name)};`,
      );
      // The workers of a root's nginx are another user, who may not enter a temporary folder.
      const user = process.getuid?.() === 0 ? "user root; " : "";
      return `${user}daemon off; pid ${file("pid")}; error_log ${file("log")}; events {} http { access_log off; ${folders.join(" ")}\n${adapted} }`;
    },
    args: (file) => ["-p", file(""), "-c", file("cfg")],
  },
  caddy: {
    command: "caddy",
    version: "version",
    configure: (block, { port, server }, file) => {
      const adapted = adapt(block, {
        [`${PUBLIC_HOST} {`]: `https://${PUBLIC_HOST}:${port} {\n\tbind 127.0.0.1\n\ttls ${file("crt")} ${file("key")}`,
        [SERVER]: server,
      });
      return `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${file("storage")}\n}\n${adapted}`;
    },
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file("cfg")],
  },
  apache: {
    command: "apache2",
    version: "-v",
    configure: (block, { port, server }, file) => {
      const adapted = adapt(block, {
        "*:443": `127.0.0.1:${port}`,
        "/etc/apache2/tools.example.org.crt": file("crt"),
        "/etc/apache2/tools.example.org.key": file("key"),
        [SERVER]: server,
      });
      const modules = ["mpm_event", "authz_core", "ssl", "proxy", "proxy_http", "headers", "reqtimeout"].map(
        (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
      );
      const own = [
        `ServerRoot ${file("")}`,
        `PidFile ${file("pid")}`,
        `ErrorLog ${file("log")}`,
        `Listen 127.0.0.1:${port}`,
      ];
      return [...modules, ...own, `ServerName ${PUBLIC_HOST}`, `DefaultRuntimeDir ${file("")}`, adapted].join("\n");
    },
    args: (file) => ["-D", "FOREGROUND", "-f", file("cfg")],
  },
};

const hasProgram = ({ command, version }: ProxyProgram): Promise<boolean> =>
  promisify(execFile)(command, [version]).then(
    () => true,
    () => false,
  );

/** The headers that each kind of proxy sends with this block, for a client at 203.0.113.7 that uses TLS. */
const HEADERS: Record<ProxyKind, (block: string) => Record<string, string>> = {
  haproxy: (block) => ({
    ...(block.includes("option forwardfor") && { "x-forwarded-for": "203.0.113.7" }),
    ...Object.fromEntries([...block.matchAll(/set-header (\S+) (\S+)/g)].map(([, name = "", value]) => [name, value])),
  }),
  nginx: (block) => {
    const values: Record<string, string> = {
      $http_host: PUBLIC_HOST,
      $proxy_add_x_forwarded_for: "203.0.113.7",
      $scheme: "https",
      '""': "",
    };
    const set = [...block.matchAll(/proxy_set_header (\S+) (\S+);/g)];
    return Object.fromEntries(
      set.map(([, name = "", value = ""]) => [name, values[value] ?? value]).filter(([, value]) => value !== ""),
    );
  },
  // What it adds without being asked.
  caddy: () => ({
    "x-forwarded-for": "203.0.113.7",
    "x-forwarded-proto": "https",
    "x-forwarded-host": PUBLIC_HOST,
    via: "2.0 Caddy",
  }),
  apache: (block) => ({
    "x-forwarded-for": "203.0.113.7",
    "x-forwarded-host": PUBLIC_HOST,
    ...Object.fromEntries(
      [...block.matchAll(/RequestHeader set (\S+) (\S+)/g)].map(([, name = "", value = ""]) => [name, value]),
    ),
  }),
};

async function startForwarder(headers: Record<string, string>, serverPort: number): Promise<Proxy> {
  const server = http.createServer((request, response) => {
    const options = { method: request.method, port: serverPort, headers: { ...request.headers, ...headers } };
    const upstream = http.request(`http://127.0.0.1${request.url}`, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on("error", () => response.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port: null,
    send: (method, target, body) => send(http.request, `http://127.0.0.1:${port}${target}`, method, body),
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function startProgram(
  program: ProxyProgram,
  block: string,
  serverPort: number,
  publicPath: string,
): Promise<Proxy> {
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-proxy-"));
  const file = (name: string): string => path.join(folder, name);
  const subject = ["-subj", `/CN=${PUBLIC_HOST}`, "-days", "1", "-keyout", file("key"), "-out", file("crt")];
  await promisify(execFile)("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject]);
  await writeFile(file("pem"), `${await readFile(file("crt"), "utf8")}${await readFile(file("key"), "utf8")}`);
  const port = await findFreePort();
  await writeFile(file("cfg"), program.configure(block, { port, server: `127.0.0.1:${serverPort}` }, file));
  const child = spawn(program.command, program.args(file), { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const ask = (method: string, target: string, body?: string) =>
    send(https.request, `https://127.0.0.1:${port}${target}`, method, body);
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${program.command} ended:\n${output}`);
    return (await ask("GET", `${publicPath}/healthz`).catch(() => null))?.status === 200;
  };
  await waitUntil(isReady);
  return {
    port,
    send: ask,
    async close() {
      // nginx ends its workers only when it is asked.
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function send(request: typeof http.request, url: string, method: string, body = ""): ReturnType<Proxy["send"]> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: PUBLIC_HOST,
      accept: "application/json, text/event-stream",
      ...(method === "POST" && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    };
    // The certificate is the test's own.
    const options = { method, headers, agent: false, rejectUnauthorized: false };
    const sent = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? "", body: text }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
