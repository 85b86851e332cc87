import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { ExecutionDetail, RunDetail, ServerSummary, ToolDetail, TranscriptDetail } from "../../lib/contract";
import { waitUntil } from "../../lib/wait-until.test-support";

const CHILD = path.resolve("src/server/composition/server-process.test-support.ts");
const LEAKING = path.resolve("e2e/support/mcp-servers/leaking.mjs");

/** Every one begins alike, so that a part of it is found too. */
const PLANTED = {
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
  webhook: "planted-webhook-f04b",
  apiToken: "planted-api-token-of-this-installation-2e",
};

/** A whole server and its MCP servers start. */
const LIMIT_MS = 90_000;

interface Server {
  call<T>(procedure: string, input?: unknown): Promise<T>;
  logged(): string;
  stop(): Promise<void>;
}

async function startServer(folder: string): Promise<Server> {
  const child = spawn(process.execPath, ["--import", "tsx", CHILD], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      ...process.env,
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_LOG_LEVEL: "debug",
      TOOLROOM_API_TOKEN: PLANTED.apiToken,
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
      VARIABLE_TOKEN: PLANTED.variable,
    },
  });
  let logged = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (logged += chunk));
  const pending = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>();
  child.on("message", ({ id, value, error }: { id: number; value?: unknown; error?: string }) => {
    if (error === undefined) pending.get(id)?.resolve(value);
    else pending.get(id)?.reject(new Error(error));
  });
  const failed = once(child, "exit").then(() => Promise.reject(new Error(`It ended while it started: ${logged}`)));
  await Promise.race([once(child, "message"), failed]);
  let calls = 0;
  return {
    call(procedure, input) {
      calls += 1;
      const id = calls;
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
        child.send({ id, procedure, input });
      });
    },
    logged: () => logged,
    async stop() {
      child.disconnect();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** Answers everything with an error that repeats its headers. */
async function startRefusing(): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(500, { "content-type": "text/plain" }).end(JSON.stringify(request.headers));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function addServers(call: Server["call"], folder: string): Promise<void> {
  const oauth = await startOAuthServer({ clients: [{ client_id: "us", client_secret: PLANTED.clientSecret }] });
  onTestFinished(() => oauth.close());
  const env = [
    { name: "SERVICE", value: PLANTED.environment },
    { name: "OTHER", value: PLANTED.stderr },
    { name: "FROM_VARIABLE", value: "$" + "{VARIABLE_TOKEN}" },
    { name: "DATABASE", value: `postgres://admin:${PLANTED.urlPassword}@127.0.0.1/db` },
  ];
  const headers = [{ name: "X-Service", value: PLANTED.header }];
  const refusingHeaders = [{ name: "X-Refused", value: PLANTED.errorBody }];
  const auth = { type: "client_credentials", clientId: "us", clientSecret: PLANTED.clientSecret };
  const stdio = { transport: "stdio", command: process.execPath, args: [LEAKING, path.join(folder, "secrets.json")] };
  await call("servers.create", { settings: { name: "leaking", ...stdio, env } });
  await call("servers.create", { settings: { name: "remote", transport: "http", url: oauth.url, headers, auth } });
  const refusing = { transport: "http", url: await startRefusing(), headers: refusingHeaders };
  await call("servers.create", { settings: { name: "refusing", ...refusing } });
  await waitUntil(async () => {
    const { items } = await call<{ items: ServerSummary[] }>("servers.list");
    return items.filter(({ toolCount }) => toolCount > 0).length >= 2;
  });
}

async function useEverything(call: Server["call"]): Promise<{ executions: string[]; run: string; transcript: string }> {
  const provider = { name: "acme", kind: "openai", baseUrl: "http://127.0.0.1:9", apiKey: PLANTED.providerKey };
  await call("models.createProvider", { provider: { ...provider, models: ["m"], prices: [] } });
  await call("models.testProvider", { name: "acme" }).catch(() => undefined);
  const transcript = await call<TranscriptDetail>("transcripts.create", {
    settings: {
      ...{ title: "Talk", provider: "demo", model: "demo" },
      webhookUrl: `http://127.0.0.1:9/services/${PLANTED.webhook}`,
    },
  });
  const executions: string[] = [];
  const execute = async (tool: string, args: unknown): Promise<ExecutionDetail> => {
    const ran = await call<ExecutionDetail>("executions.run", { tool, argumentsText: JSON.stringify(args) });
    executions.push(ran.id);
    return ran;
  };
  for (const tool of ["leak", "fail", "refuse", "print"]) await execute(`leaking__${tool}`, {});
  const login = await execute("leaking__login", { user: "ann", password: PLANTED.argument });
  expect(login).toMatchObject({
    status: "succeeded",
    argumentsText: expect.stringMatching(/"\[masked:[0-9a-f]{12}\]"/),
  });
  await expect(call("executions.replay", { id: login.id })).rejects.toThrow(
    /password is masked: enter the value again/,
  );
  await execute("leaking__leak", { note: `the key is ${PLANTED.header}` });
  const { id } = await call<{ id: string }>("runs.start", {
    settings: { provider: "demo", model: "demo", tools: { mode: "all" } },
    text: "run leaking__leak",
  });
  await waitUntil(async () => (await call<RunDetail>("runs.get", { id })).status === "succeeded");
  return { executions, run: id, transcript: transcript.id };
}

/** What any page or program can read. */
async function readEverything(call: Server["call"], used: Awaited<ReturnType<typeof useEverything>>) {
  const { run, transcript } = used;
  const answers: Record<string, unknown> = {};
  const read = async (procedure: string, input?: unknown): Promise<void> => {
    const key = `${procedure} ${JSON.stringify(input)}`;
    answers[key] = await call(procedure, input).catch((error: Error) => error.message);
  };
  for (const id of used.executions) await read("executions.get", { id });
  await read("executions.list", {});
  await read("runs.list", {});
  await read("runs.get", { id: run });
  await read("runs.messages", { id: run, step: null, before: null });
  await read("transcripts.get", { id: transcript });
  await read("transcripts.list");
  await read("models.providers");
  await read("models.choices");
  await read("tools.list");
  await read("tools.get", { name: "leaking__login" });
  await read("system.info");
  await read("interactions.list");
  await read("test.heard");
  for (const name of ["leaking", "remote", "refusing"]) {
    for (const procedure of ["get", "log", "messages", "tools"]) await read(`servers.${procedure}`, { name });
  }
  return answers;
}

it(
  "a secret planted in any place is in no file of the database, no log line and no answer",
  async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-secrets-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { argument: _argument, result: _result, ...leaked } = PLANTED;
    const basic = Buffer.from(`admin:${PLANTED.urlPassword}`).toString("base64");
    await writeFile(path.join(folder, "secrets.json"), JSON.stringify({ ...leaked, basic }));
    const server = await startServer(folder);
    await addServers(server.call, folder);
    const used = await useEverything(server.call);
    const answers = await readEverything(server.call, used);
    const tool = await server.call<ToolDetail>("tools.get", { name: "leaking__leak" });
    expect(tool.definition.name).toBe("leaking__leak");
    await server.stop();

    for (const [name, secret] of Object.entries({ ...PLANTED, basic })) {
      for (const [question, answer] of Object.entries(answers)) {
        expect(JSON.stringify(answer) ?? "", `${name} in ${question}`).not.toContain(secret);
      }
      expect(server.logged(), `${name} in the log`).not.toContain(secret);
      for (const file of (await readdir(folder)).filter((entry) => entry.startsWith("test.db"))) {
        const bytes = await readFile(path.join(folder, file));
        expect(bytes.includes(secret), `${name} in ${file}`).toBe(false);
      }
    }
    expect(server.logged()).toContain("leaking__login");
    expect(JSON.stringify(answers)).toContain("[redacted]");
  },
  LIMIT_MS,
);
