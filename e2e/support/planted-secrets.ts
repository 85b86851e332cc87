import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { waitUntil } from "../../src/lib/wait-until.test-support";
import { authorize, callAsOwner, ownerCookies, signInOwner } from "./accounts";
import { callApi, runTool } from "./api";
import { startOAuthServer } from "./mcp-servers/oauth-server.mjs";
import type { ExtraServer } from "./server";

const SERVERS = path.resolve("e2e/support/mcp-servers");
const VIEWER = { name: "Vera", email: "vera@example.org", password: "a viewer's long password" };

export const PLANTED = {
  environment: "planted-environment-41c9",
  stderr: "planted-stderr-77d0",
  variable: "planted-variable-c3f2",
  header: "planted-header-0b8e",
  clientSecret: "planted-client-secret-9a1d",
  providerKey: "planted-provider-key-5e60",
  argument: "planted-argument-d2b7",
  result: "planted-token-of-ann",
  urlPassword: "planted-url-password-18fa",
  errorBody: "planted-error-body-6c35",
  option: "planted-option-5d21",
  query: "planted-query-8c03",
  personal: "planted-personal-credential-3b77",
  apiToken: "planted-api-token-of-this-installation-2e",
  basic: Buffer.from("admin:planted-url-password-18fa").toString("base64"),
};

/** Everything that anyone got to read, by where it was. */
export type Seen = Map<string, string>;

interface Visitor {
  name: string;
  headers: Record<string, string>;
}

/** Answers everything with an error that repeats its headers. */
async function startRefusing(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    response.writeHead(500, { "content-type": "text/plain" }).end(JSON.stringify(request.headers));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close: () => void server.close() };
}

export async function writeLeaks(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, "secrets.json");
  const { argument: _argument, result: _result, ...leaked } = PLANTED;
  await writeFile(file, JSON.stringify(leaked));
  return file;
}

/** Signs the owner and a viewer in. */
async function signIn({ url, output }: ExtraServer): Promise<{ admin: Visitor; viewer: Visitor }> {
  await signInOwner(url, output);
  const invited = await callAsOwner<string>(url, "people.invite", { role: "viewer", email: null, validDays: 1 });
  const post = (address: string, body: object) =>
    fetch(new URL(address, url), {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify(body),
    });
  await post("/api/auth/link/use", { token: invited, ...VIEWER });
  const { email, password } = VIEWER;
  const signedIn = await post("/api/auth/sign-in/email", { email, password });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  const name = cookie.split("=", 1)[0];
  const own = ownerCookies().findLast((each) => each.name === name);
  return {
    admin: { name: "admin", headers: { cookie: `${own?.name}=${own?.value}` } },
    viewer: { name: "viewer", headers: { cookie } },
  };
}

/** Puts each secret where it belongs. The servers repeat what they know in every way there is. */
async function plant(url: string, leaks: string, refusing: string, signing: string): Promise<string> {
  const env = [
    { name: "SERVICE_TOKEN", value: PLANTED.environment },
    { name: "OTHER_SECRET", value: PLANTED.stderr },
    { name: "FROM_VARIABLE", value: "$" + "{VARIABLE_TOKEN}" },
    { name: "DATABASE", value: `postgres://admin:${PLANTED.urlPassword}@127.0.0.1/db` },
  ];
  const stdio = { transport: "stdio", command: process.execPath, args: [path.join(SERVERS, "leaking.mjs"), leaks] };
  const args = [...stdio.args, "--api-key", PLANTED.option];
  await callApi(url, "servers.create", { settings: { name: "leaking", ...stdio, args, env } });
  const credentials = { mode: "personal", slots: [{ name: "API_TOKEN", label: "Token" }] };
  await callApi(url, "servers.create", { settings: { name: "own", ...stdio, credentials } });
  const headers = [
    { name: "X-Service-Key", value: PLANTED.header },
    { name: "X-Refused-Key", value: PLANTED.errorBody },
  ];
  const http = { transport: "http", url: `${refusing}?api_key=${PLANTED.query}` };
  await callApi(url, "servers.create", { settings: { name: "refusing", ...http, headers } });
  const auth = { type: "client_credentials", clientId: "us", clientSecret: PLANTED.clientSecret };
  await callApi(url, "servers.create", {
    settings: { name: "signing", transport: "http", url: signing, headers, auth },
  });
  await callApi(url, "credentials.save", { name: "own", values: { API_TOKEN: PLANTED.personal } });
  await callApi(url, "credentials.test", { name: "own" });
  const provider = { name: "acme", kind: "openai", baseUrl: refusing, apiKey: PLANTED.providerKey };
  await callApi(url, "models.createProvider", { provider: { ...provider, models: ["m"], prices: [] } });
  await callApi(url, "models.testProvider", { name: "acme" }).catch(() => undefined);
  const settings = { title: "Talk", provider: "demo", model: "demo" };
  const { id } = await callApi<{ id: string }>(url, "transcripts.create", { settings });
  const listed = async () => (await callApi<{ items: { name: string }[] }>(url, "tools.list", {}, "GET")).items;
  await waitUntil(async () => (await listed()).filter(({ name }) => /^(leaking|own)__/.test(name)).length >= 10);
  await waitUntil(async () => (await listed()).some(({ name }) => name.startsWith("signing__")));
  return id;
}

/** Calls every tool through the console's procedure, REST and the gateway, and lets a model call one. */
async function use(
  url: string,
  transcript: string,
  seen: Seen,
): Promise<{ executions: string[]; login: string; run: string }> {
  const executions: string[] = [];
  for (const server of ["leaking", "own"]) {
    for (const tool of ["leak", "fail", "refuse", "print"]) {
      executions.push((await runTool(url, `${server}__${tool}`, {})).id);
    }
  }
  const login = await runTool(url, "leaking__login", { user: "ann", password: PLANTED.argument });
  executions.push(login.id);
  executions.push((await runTool(url, "leaking__leak", { note: `the key is ${PLANTED.header}` })).id);
  const rest = async (address: string, body: object) => {
    const response = await fetch(new URL(`/api/v1${address}`, url), {
      method: "POST",
      headers: { ...authorize(url), "content-type": "application/json" },
      body: JSON.stringify({ ...body, waitMs: 10_000 }),
    });
    // The program that made the call gets what its tool returned.
    const answer = (await response.json()) as Record<string, unknown>;
    const { result: _result, error: _error, ...stored } = answer;
    seen.set(`POST ${address}`, JSON.stringify(response.ok ? stored : answer));
  };
  await rest("/tools/leaking__leak/execute", { arguments: {} });
  await rest("/tools/leaking__fail/execute", { arguments: {} });
  await rest("/tools/own__leak/execute", { arguments: {} });
  await rest("/tools/leaking__login/execute", { arguments: { user: "ann", password: PLANTED.argument } });
  await rest("/tools/leaking__login/validate", { arguments: { password: PLANTED.argument } });
  await rest(`/executions/${login.id}/replay`, {});
  await rest(`/executions/${executions[0]}/replay`, {});
  const chat = { provider: "demo", model: "demo", instructions: "", tools: { mode: "all" } };
  const { id } = await callApi<{ id: string }>(url, "runs.start", { settings: chat, text: "run leaking__leak" });
  await waitUntil(
    async () => (await callApi<{ status: string }>(url, "runs.get", { id }, "GET")).status === "succeeded",
  );
  await callApi(url, "transcripts.append", {
    id: transcript,
    segments: [{ text: "Hey Toolroom, run leaking__leak?" }],
  });
  return { executions, login: login.id, run: id };
}

async function readGateway(url: string, seen: Seen): Promise<void> {
  const headers: Record<string, string> = {
    ...authorize(url),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  for (const address of ["/mcp", "/mcp/leaking", "/mcp/own"]) {
    const session: Record<string, string> = {};
    const ask = async (method: string, params: object = {}) => {
      const response = await fetch(new URL(address, url), {
        method: "POST",
        headers: { ...headers, ...session },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const id = response.headers.get("mcp-session-id");
      if (id !== null) session["mcp-session-id"] = id;
      seen.set(`${address} ${method} ${JSON.stringify(params)}`, await response.text());
    };
    await ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    });
    for (const method of ["tools/list", "resources/list", "prompts/list", "logging/setLevel"]) await ask(method);
    if (address === "/mcp") await ask("tools/call", { name: "leaking__print", arguments: {} });
    await ask("tools/call", { name: "refusing__none", arguments: {} });
  }
}

async function readPages(url: string, visitors: readonly Visitor[], paths: readonly string[], seen: Seen) {
  for (const { name, headers } of visitors) {
    for (const page of paths) {
      const response = await fetch(new URL(page, url), { headers, redirect: "manual" });
      seen.set(`${name} GET ${page} ${response.status}`, await response.text());
    }
  }
}

/** Live events from now on. @returns ends it */
async function listen(url: string, { name, headers }: Visitor, seen: Seen): Promise<() => void> {
  const end = new AbortController();
  const response = await fetch(new URL("/api/live", url), { headers, signal: end.signal });
  let text = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      seen.set(`${name} live events`, text);
    }
  })().catch(() => undefined);
  return () => {
    end.abort();
    void reading;
  };
}

interface Planted {
  url: string;
  seen: Seen;
  /** The admin and a viewer. */
  visitors: readonly Visitor[];
  executions: readonly string[];
  login: string;
  run: string;
}

const SERVER_NAMES = ["leaking", "own", "refusing", "signing"];

/** Reads everything that programs can read: the gateway, the REST API, procedures, exports and live events. */
async function readAnswers({ url, seen, visitors, executions, run }: Planted): Promise<void> {
  await readGateway(url, seen);
  const rest = ["/tools", "/tools/leaking__login", "/executions", `/runs/${run}`, `/runs/${run}/events`, "/servers"];
  const paths = [
    ...[...rest, "/health", "/openapi.json", ...executions.map((id) => `/executions/${id}`)].map(
      (at) => `/api/v1${at}`,
    ),
    ...["jsonl", "csv"].map((format) => `/api/audit/export?format=${format}`),
  ];
  await readPages(url, visitors, paths, seen);
  for (const format of ["catalogue", "mcp"]) {
    const input = { format, tools: null, servers: null };
    const exported = await callApi(url, "sharing.export", input).catch((error: Error) => error.message);
    seen.set(`export ${format}`, JSON.stringify(exported));
  }
  for (const name of SERVER_NAMES) {
    for (const procedure of ["get", "log", "messages", "tools"]) {
      seen.set(`${procedure} ${name}`, JSON.stringify(await callApi(url, `servers.${procedure}`, { name }, "GET")));
    }
  }
  const models = ["models.providers", "models.choices"];
  for (const procedure of [...models, "system.info", "interactions.list"]) {
    seen.set(procedure, JSON.stringify(await callApi(url, procedure, null, "GET")));
  }
}

/** Reads the pages of the console, for an admin and a viewer. */
async function readConsole({ url, seen, visitors, executions, login, run }: Planted): Promise<void> {
  const settings = ["", "/account", "/people", "/audit", "/models", "/sharing"].map((page) => `/settings${page}`);
  const paths = [
    "/",
    "/tools",
    "/executions",
    "/runs",
    "/approvals",
    "/servers",
    "/playground",
    ...settings,
    `/runs/${run}`,
    "/tools/leaking__login",
    // One that succeeded, one that failed, one with masks.
    ...[executions[0], executions[1], login].map((id) => `/executions/${id}`),
    `/compare?left=${executions[0]}&right=${executions[1]}`,
    ...SERVER_NAMES.flatMap((name) =>
      ["", "/edit", "?tab=log", "?tab=log&show=messages"].map((tab) => `/servers/${name}${tab}`),
    ),
  ];
  await readPages(url, visitors, paths, seen);
}

/** Uses everything with secrets in it, and reads what users and programs can read, the server's output and its files. */
export async function collect(server: ExtraServer, leaks: string): Promise<Seen> {
  const { url } = server;
  const seen: Seen = new Map();
  const { admin, viewer } = await signIn(server);
  const refusing = await startRefusing();
  const oauth = await startOAuthServer({ clients: [{ client_id: "us", client_secret: PLANTED.clientSecret }] });
  const ends = [await listen(url, admin, seen), await listen(url, viewer, seen), refusing.close, oauth.close];
  try {
    const transcript = await plant(url, leaks, refusing.url, oauth.url);
    const used = await use(url, transcript, seen);
    const planted = { url, seen, visitors: [admin, viewer], ...used };
    await readConsole(planted);
    await readAnswers(planted);
  } finally {
    for (const end of ends) void end();
  }
  await server.stop();
  seen.set("the server's output", server.output());
  for (const file of await readdir(path.dirname(server.databaseFile))) {
    if (!file.startsWith(path.basename(server.databaseFile)) || file.endsWith(".key")) continue;
    seen.set(`file ${file}`, await readFile(path.join(path.dirname(server.databaseFile), file), "latin1"));
  }
  return seen;
}
