import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { callRuleInputSchema } from "../../lib/contract/call-rule";
import { toolsetInputSchema } from "../../lib/contract/toolset";
import { waitUntil } from "../../lib/wait-until.test-support";
import { runWords, serveRest } from "../cli/commands.test-support";
import { autoInvokeFunction } from "../engine/agent/execution-engine";
import { JSON_HEADERS } from "../mcp/gateway/gateway.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";

const ECHO = path.resolve("e2e/support/mcp-servers/echoing-numbers.mjs");
const BRIDGE = path.resolve("scripts/mcp.mjs");
const META = "io.modelcontextprotocol/";
const TOOL = "crm__echo";
const ARGS = '{"mail":"ada@example.com","name":"Ada","id":9054686819491029395}';
const MARK = "[redacted by rule No emails]";

let running: GatewayContainer;
let rest: Awaited<ReturnType<typeof serveRest>>;
const children: ChildProcess[] = [];
const services = () => running.container.services;

beforeAll(async () => {
  running = await startGatewayContainer(await newDatabaseUrl());
  rest = await serveRest(running.container);
  const { servers, rules, toolsets } = services();
  const settings = { name: "crm", transport: "stdio" as const, command: process.execPath, args: [ECHO] };
  await servers.create(LOCAL_PRINCIPAL, settings);
  await servers.reconnect(LOCAL_PRINCIPAL, "crm");
  await toolsets.create(LOCAL_PRINCIPAL, toolsetInputSchema.parse({ name: "crm_set", tools: [TOOL] }));
  const effect = { kind: "redact", paths: ["result.echo.mail"] };
  await rules.create(LOCAL_PRINCIPAL, callRuleInputSchema.parse({ name: "No emails", effect }));
}, 60_000);

afterAll(async () => {
  await rest.close();
  await running.stop();
  for (const child of children) child.kill("SIGKILL");
});

async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body });
  return { text: await response.text(), session: response.headers.get("mcp-session-id") };
}

const CLIENT = { name: "raw", version: "1" };

async function openSession(url: string): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT };
  const { session } = await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  return { "mcp-session-id": session ?? "", "mcp-protocol-version": "2025-11-25" };
}

async function callInSession(url: string, name: string, args = ARGS, more = ""): Promise<string> {
  const body = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"${name}","arguments":${args}${more}}}`;
  return (await post(url, body, await openSession(url))).text;
}

async function callStateless(): Promise<string> {
  const meta = JSON.stringify({
    [`${META}protocolVersion`]: "2026-07-28",
    [`${META}clientInfo`]: CLIENT,
    [`${META}clientCapabilities`]: {},
  });
  const body = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":${meta},"name":"${TOOL}","arguments":${ARGS}}}`;
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": TOOL };
  return (await post(running.url, body, headers)).text;
}

async function callOverStdio(): Promise<string> {
  const env = { ...process.env, TOOLROOM_URL: running.url.replace("/mcp", "") };
  const child = spawn(process.execPath, [BRIDGE], { env });
  children.push(child);
  let said = "";
  child.stdout.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  await waitUntil(() => said.includes('"id":1'), { what: "the handshake" });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  child.stdin.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"${TOOL}","arguments":${ARGS}}}\n`);
  const find = () => said.split("\n").find((each) => each.includes('"id":2') && each.endsWith("}"));
  await waitUntil(() => find() !== undefined, { what: "the answer" });
  child.kill();
  return find() ?? "";
}

const execute = (headers: Record<string, string> = {}) =>
  post(`${rest.url}/api/v1/tools/${TOOL}/execute`, `{"waitMs":20000,"arguments":${ARGS}}`, headers);

/** The result without the arguments that an execution has beside it. */
const toResult = (text: string): string => JSON.stringify((JSON.parse(text) as { result: unknown }).result);

const DOORS: readonly [string, () => Promise<string>][] = [
  ["a session of the gateway", () => callInSession(running.url, TOOL)],
  ["the address of its server", () => callInSession(`${running.url}/crm`, TOOL)],
  ["a toolset", () => callInSession(`${running.url}/sets/crm_set`, TOOL)],
  ["a stateless call of the gateway", callStateless],
  ["the gateway over stdio", callOverStdio],
  ["REST", async () => toResult((await execute()).text)],
  [
    "a repeated REST request",
    async () => {
      const headers = { "idempotency-key": "one-key" };
      await execute(headers);
      return toResult((await execute(headers)).text);
    },
  ],
  [
    "the command line",
    async () => {
      const { stdout } = await runWords(["call", TOOL, ARGS, "--json"], { env: { TOOLROOM_URL: rest.url } });
      return toResult(stdout);
    },
  ],
  [
    "a model",
    async () => {
      const content = await autoInvokeFunction(
        { type: "function_call", callId: "1", name: TOOL, arguments: ARGS },
        {
          executor: running.container.services.executions as never,
          find: () => undefined,
          options: { source: "agent" },
        },
      );
      return JSON.stringify(content);
    },
  ],
];

describe("a rule that redacts holds at every door", () => {
  it.each(DOORS)("%s", async (_door, call) => {
    const received = await call();
    expect(received).toContain(MARK);
    expect(received).toContain("Ada");
    expect(received).toContain("9054686819491029");
    expect(received).not.toContain("ada@example.com");
    const [newest] = (await services().executions.list({}, undefined, 1)).items;
    const stored = await services().executions.get(newest?.id ?? "");
    expect(stored.resultText).toContain("ada@example.com");
    expect(stored.modelView?.text).not.toContain("ada@example.com");
    expect(stored.received?.resultText).not.toContain("ada@example.com");
  });

  it("a model that reads the result of its call again", async () => {
    const headers = await openSession(running.url);
    const send = async (id: number, name: string, args: string) =>
      (
        await post(
          running.url,
          `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
          headers,
        )
      ).text;
    await send(2, TOOL, ARGS);
    const [newest] = (await services().executions.list({}, undefined, 1)).items;
    const again = await send(3, "read_result", JSON.stringify({ execution_id: newest?.id }));
    expect(again).not.toContain("ada@example.com");
  });

  it("a user of the console sees what is stored", async () => {
    const { executions } = services();
    const { resultText } = await executions.run(LOCAL_PRINCIPAL, { tool: TOOL, argumentsText: ARGS, waitMs: 20_000 });
    expect(resultText).toContain("ada@example.com");
  });
});
