import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { toolsetInputSchema } from "../../lib/contract/toolset";
import { freePort } from "../../lib/free-port.test-support";
import { findMember } from "../../lib/json/json-text";
import { waitUntil } from "../../lib/wait-until.test-support";
import { runWords, serveRest } from "../cli/commands.test-support";
import { autoInvokeFunction } from "../engine/agent/execution-engine";
import { JSON_HEADERS } from "../mcp/gateway/gateway.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";
import { toCallUpdate } from "../models/vendor-arguments";
import { parseEvent } from "../models/vendor-response";

const ECHO = path.resolve("e2e/support/mcp-servers/echoing-numbers.mjs");
const BRIDGE = path.resolve("scripts/mcp.mjs");
const META = "io.modelcontextprotocol/";

/** Numbers that JavaScript writes with other characters than these, and some that it does not. */
const FIXED = ["9054686819491029395", "-9007199254740993", "1.0", "-0", "0.1000", "1e3", "1E+2", "1.50e-7", "7", "0.5"];

/** The same numbers in each run. */
function createNumbers(count: number): string[] {
  let state = 20_270_112;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return state % below;
  };
  const digits = (length: number): string => Array.from({ length }, () => String(next(10))).join("");
  return Array.from({ length: count }, () => {
    const whole = next(4) === 0 ? "0" : `${1 + next(9)}${digits(next(30))}`;
    const fraction = next(2) === 0 ? "" : `.${digits(1 + next(25))}`;
    const exponent = next(3) === 0 ? `${next(2) === 0 ? "e" : "E"}${["", "-", "+"][next(3)]}${next(40)}` : "";
    return `${next(2) === 0 ? "-" : ""}${whole}${fraction}${exponent}`;
  });
}

const NUMBERS = [...FIXED, ...createNumbers(40)];

/** Arguments as a client may write them; every form has the numbers in the same order. */
const FORMS: readonly [string, (numbers: readonly string[]) => string][] = [
  ["in one line", ([first, ...rest]) => `{"n":${first},"list":[${rest.join(",")}],"in":{"v1.5":"a"}}`],
  ["in several lines", ([first, ...rest]) => `{\n  "n": ${first},\n  "list": [ ${rest.join(",\n ")} ] }`],
  ["with escapes", ([first, ...rest]) => `{"t":"caf\\u00e9 \\/","n":${first},"list":[${rest.join(", ")}]}`],
  ["with a member twice", ([first, ...rest]) => `{"n":12345678901234567890,"n":${first},"list":[${rest.join(",")}]}`],
  ["of more than 16 kB", ([first, ...rest]) => `{"t":"${"x".repeat(20_000)}","n":${first},"list":[${rest.join(",")}]}`],
];

/** The numbers of arguments as they stand in their text. */
function readNumbers(text: string): string[] {
  const bare = text.replaceAll(/"n":\s*12345678901234567890,/g, "").replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return bare.match(/-?\d[\d.eE+-]*/g) ?? [];
}

/** The texts of one call: what its caller received, and what the upstream did, which it repeats. */
interface Answer {
  /** The result. */
  received: string;
  executionId?: string;
}

let running: GatewayContainer;
let rest: Awaited<ReturnType<typeof serveRest>>;
const children: ChildProcess[] = [];
const services = () => running.container.services;

async function startHttp(form: string): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [ECHO], {
    env: { ...process.env, PORT: String(port), FORM: form },
    stdio: "pipe",
  });
  children.push(child);
  await once(child.stderr as NonNullable<typeof child.stderr>, "data");
  return `http://127.0.0.1:${port}/mcp`;
}

beforeAll(async () => {
  running = await startGatewayContainer(await newDatabaseUrl());
  rest = await serveRest(running.container);
  const { servers } = services();
  const command = { command: process.execPath, args: [ECHO] };
  await servers.create(LOCAL_PRINCIPAL, { name: "stdio", transport: "stdio", ...command });
  await servers.create(LOCAL_PRINCIPAL, {
    name: "spaced",
    transport: "stdio",
    ...command,
    env: [{ name: "FORM", value: "spaced" }],
  });
  await servers.create(LOCAL_PRINCIPAL, { name: "json", transport: "http", url: await startHttp("sdk") });
  await servers.create(LOCAL_PRINCIPAL, { name: "numbered", transport: "http", url: await startHttp("numbered") });
  await servers.create(LOCAL_PRINCIPAL, { name: "routed", transport: "http", url: await startHttp("routed") });
  for (const name of ["stdio", "spaced", "json", "numbered", "routed"]) await servers.reconnect(LOCAL_PRINCIPAL, name);
  const overrides = [{ tool: "stdio__echo", arguments: [{ name: "team", mode: "fixed", value: "a" }] }];
  const toolset = toolsetInputSchema.parse({ name: "fixed", tools: ["stdio__echo"], overrides });
  await services().toolsets.create(LOCAL_PRINCIPAL, toolset);
}, 60_000);

afterAll(async () => {
  await rest.close();
  await running.stop();
  for (const child of children) child.kill("SIGKILL");
});

async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body });
  const text = await response.text();
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, line = ""]) => line).at(-1);
  return { text: data ?? text, session: response.headers.get("mcp-session-id") };
}

async function callInSession(url: string, tool: string, args: string): Promise<Answer> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const { session } = await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  const headers = { "mcp-session-id": session ?? "", "mcp-protocol-version": "2025-11-25" };
  const body = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`;
  return { received: (await post(url, body, headers)).text };
}

async function callStateless(tool: string, args: string): Promise<Answer> {
  const meta = JSON.stringify({
    [`${META}protocolVersion`]: "2026-07-28",
    [`${META}clientInfo`]: { name: "raw", version: "1" },
    [`${META}clientCapabilities`]: {},
  });
  const body = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":${meta},"name":"${tool}","arguments":${args}}}`;
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool };
  return { received: (await post(running.url, body, headers)).text };
}

async function callOverStdio(tool: string, args: string): Promise<Answer> {
  const child = spawn(process.execPath, [BRIDGE], {
    env: { ...process.env, TOOLROOM_URL: running.url.replace("/mcp", "") },
  });
  children.push(child);
  let said = "";
  child.stdout.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  await waitUntil(() => said.includes('"id":1'), { what: "the handshake" });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const line = args.replaceAll("\n", " ");
  child.stdin.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"${tool}","arguments":${line}}}\n`);
  await waitUntil(() => said.split("\n").some((each) => each.includes('"id":2') && each.endsWith("}")), {
    what: "the answer",
  });
  child.kill();
  return { received: said.split("\n").find((each) => each.includes('"id":2')) ?? "" };
}

async function callByModel(tool: string, args: object | string): Promise<Answer> {
  const run = services().executions.run;
  let received = "";
  const executor = {
    async execute(name: string, given: { text: string }) {
      const executed = await run(LOCAL_PRINCIPAL, { tool: name, args: given as never, unmasked: true, waitMs: 20_000 });
      received = executed.resultText ?? "";
      return {
        success: true,
        status: "succeeded",
        result: null,
        tool_name: name,
        execution_time_ms: 0,
        execution_id: "",
      };
    },
  };
  await autoInvokeFunction(
    { type: "function_call", callId: "1", name: tool, arguments: args as never },
    { executor: executor as never, find: () => undefined },
  );
  return { received };
}

const ROUTES: readonly [string, (tool: string, args: string) => Promise<Answer>][] = [
  [
    "the console",
    async (tool, argumentsText) => {
      const call = { tool, argumentsText, waitMs: 20_000 };
      const { id, resultText } = await services().executions.run(LOCAL_PRINCIPAL, call);
      return { received: resultText ?? "", executionId: id };
    },
  ],
  [
    "REST",
    async (tool, args) => {
      const body = `{"waitMs":20000,"arguments":${args}}`;
      const { text } = await post(`${rest.url}/api/v1/tools/${tool}/execute`, body);
      const span = findMember(text, 0, "result");
      return { received: text.slice(span?.start, span?.end), executionId: JSON.parse(text).id };
    },
  ],
  [
    "the command line",
    async (tool, args) => {
      const { stdout } = await runWords(["call", tool, args, "--json"], { env: { TOOLROOM_URL: rest.url } });
      const span = findMember(stdout, 0, "result");
      return { received: stdout.slice(span?.start, span?.end), executionId: JSON.parse(stdout).id };
    },
  ],
  ["a session of the gateway", (tool, args) => callInSession(running.url, tool, args)],
  ["a stateless call of the gateway", callStateless],
  ["the gateway over stdio", callOverStdio],
  ["a toolset with a fixed argument", (_tool, args) => callInSession(`${running.url}/sets/fixed`, "stdio__echo", args)],
  ["a model that writes text", callByModel],
  [
    "a model whose vendor parses arguments",
    (tool, args) => {
      const event = parseEvent({ event: null, data: `{"message":{"arguments":${args}}}` }) as never;
      const { message } = event as { message: { arguments: never } };
      const update = toCallUpdate({ type: "function_call", callId: "1", name: tool, arguments: message.arguments });
      return callByModel(tool, (update as { argumentsDelta: string }).argumentsDelta);
    },
  ],
  [
    "a replay",
    async (tool, argumentsText) => {
      const { executions } = services();
      const { id } = await executions.run(LOCAL_PRINCIPAL, { tool, argumentsText, waitMs: 20_000 });
      const again = await executions.replay(LOCAL_PRINCIPAL, id, { waitMs: 20_000 });
      return { received: again.resultText ?? "", executionId: again.id };
    },
  ],
];

async function readNewest(): Promise<{ argumentsText: string; resultText: string }> {
  const { executions } = services();
  const [newest] = (await executions.list({}, undefined, 1)).items;
  const { argumentsText, resultText } = await executions.get(newest?.id ?? "");
  return { argumentsText, resultText: resultText ?? "" };
}

/** What the upstream got, and what it sent as structured content, out of a result. */
function readEcho(result: string): { sent: string[]; structured: string[] } {
  const from = result.trimStart().startsWith('{"jsonrpc"') ? (findMember(result, 0, "result")?.start ?? 0) : 0;
  const content = findMember(result, from, "content");
  const structured = findMember(result, from, "structuredContent");
  if (content === null || structured === null) throw new Error(`no result of the server: ${result.slice(0, 500)}`);
  const [block] = JSON.parse(result.slice(content.start, content.end)) as { text: string }[];
  return {
    sent: readNumbers(block?.text ?? ""),
    structured: readNumbers(result.slice(structured.start, structured.end)),
  };
}

describe.each(ROUTES)("numbers of a call by %s", (_route, call) => {
  it.each(FORMS)("EXE-06 reach the tool, the log and the caller digit for digit: %s", async (_form, write) => {
    const args = write(NUMBERS);
    const { received } = await call("stdio__echo", args);
    expect(readEcho(received)).toEqual({ sent: NUMBERS, structured: NUMBERS });
    const stored = await readNewest();
    expect(readNumbers(stored.argumentsText)).toEqual(NUMBERS);
    expect(readEcho(stored.resultText)).toEqual({ sent: NUMBERS, structured: NUMBERS });
  });
});

describe.each(["spaced", "json", "numbered"])("numbers of a call to a server whose messages are %s", (server) => {
  it.each(FORMS)("EXE-06 reach the tool, the log and the caller digit for digit: %s", async (_form, write) => {
    const { received } = await callInSession(running.url, `${server}__echo`, write(NUMBERS));
    expect(readEcho(received)).toEqual({ sent: NUMBERS, structured: NUMBERS });
    expect(readEcho((await readNewest()).resultText)).toEqual({ sent: NUMBERS, structured: NUMBERS });
  });
});

/** Reads a response until an event has a text. */
async function readUntil(response: Response, part: string): Promise<string> {
  const reader = response.body?.getReader();
  let said = "";
  for (;;) {
    const line = said.split("\n").find((each) => each.startsWith("data:") && each.includes(part));
    if (line !== undefined) return line.slice("data:".length).trim();
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`'${part}' did not come: ${said}`);
    said += Buffer.from(value ?? []).toString();
  }
}

describe("numbers beside arguments and results", () => {
  const ID = "9054686819491029395";
  const PRICE = "0.12345678901234567891";
  const VALUES = `{"id":${ID},"price":${PRICE}}`;

  it.each(["stdio", "spaced", "json", "numbered"])("EXE-06 of an error's data reach the caller: %s", async (server) => {
    const { received } = await callInSession(running.url, `${server}__fail`, VALUES);
    const error = findMember(received, 0, "error");
    const data = findMember(received, error?.start ?? 0, "data");
    expect(received.slice(data?.start, data?.end)).toBe(VALUES);
  });

  it("EXE-06 of an answer to a request for input reach the server", async () => {
    const capabilities = { elicitation: {} };
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "raw", version: "1" } };
    const begun = await post(running.url, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    const session = { "mcp-session-id": begun.session ?? "", "mcp-protocol-version": "2025-11-25" };
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "stdio__ask", arguments: {} } };
    const headers = { ...JSON_HEADERS, ...session };
    const response = await fetch(running.url, { method: "POST", headers, body: JSON.stringify(call) });
    const answering = response.clone();
    const { id } = JSON.parse(await readUntil(response, "elicitation/create"));
    await post(
      running.url,
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"action":"accept","content":${VALUES}}}`,
      session,
    );
    const { result } = JSON.parse(await readUntil(answering, '"result"'));
    expect(result.content[0].text).toBe(VALUES);
  });

  it("EXE-06 of parameters stand in their headers, and a header with another number is refused", async () => {
    const { executions } = services();
    const sent = await executions.run(LOCAL_PRINCIPAL, {
      tool: "routed__echo",
      argumentsText: `{"id":${ID},"count":3}`,
      waitMs: 20_000,
    });
    expect(JSON.parse(sent.resultText ?? "{}").content[0].text).toBe(`id=${ID} count=3`);
    const send = async (header: string | null) => {
      const meta = JSON.stringify({ [`${META}protocolVersion`]: "2026-07-28", [`${META}clientCapabilities`]: {} });
      const body = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":${meta},"name":"routed__echo","arguments":{"id":${ID}}}}`;
      const headers = {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "routed__echo",
        ...(header !== null && { "mcp-param-id": header }),
      };
      return JSON.parse((await post(running.url, body, headers)).text).error?.code;
    };
    expect(await send(ID)).toBe(undefined);
    expect(await send(`${ID}.0`)).toBe(undefined);
    // Programs that know doubles alone send none.
    expect(await send(null)).toBe(undefined);
    // Both are read as the same double.
    expect(await send("9054686819491029394")).toBe(-32020);
  });
});

describe("numbers of a call of an API", () => {
  const requests: { url: string; headers: Record<string, unknown>; body: string }[] = [];
  const api = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    requests.push({ url: request.url ?? "", headers: request.headers, body });
    response.writeHead(200, { "content-type": "application/json" }).end(`{ "total": ${request.headers["x-n"]} }`);
  });
  afterAll(() => void api.close());

  it("EXE-06 stand in the path, the query, a header and the body, and come back, digit for digit", async () => {
    await new Promise<void>((resolve) => void api.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const number = { type: "number" };
    const parameter = (name: string, where: string, more: object = {}) => ({
      name,
      in: where,
      required: true,
      schema: number,
      ...more,
    });
    const schema = { type: "object", properties: { body: number, rows: { type: "array", items: number } } };
    const document = {
      openapi: "3.1.0",
      info: { title: "numbers", version: "1" },
      paths: {
        "/items/{id}": {
          post: {
            operationId: "save",
            parameters: [
              parameter("id", "path"),
              parameter("q", "query"),
              parameter("list", "query", { schema: { type: "array", items: number } }),
              parameter("filter", "query", { content: { "application/json": { schema: { type: "object" } } } }),
              parameter("x-n", "header"),
            ],
            requestBody: { required: true, content: { "application/json": { schema } } },
            responses: {},
          },
        },
      },
    };
    const { servers } = services();
    await servers.create(LOCAL_PRINCIPAL, {
      name: "api",
      transport: "openapi",
      document: { from: "text", text: JSON.stringify(document) },
      url: origin,
    });
    await servers.reconnect(LOCAL_PRINCIPAL, "api");
    for (const n of NUMBERS) {
      const args = `{"id":${n},"q":${n},"list":[${n},${n}],"filter":{"min":${n}},"x-n":${n},"body":${n},"rows":[${n}]}`;
      const { received } = await callInSession(running.url, "api__save", args);
      const sent = requests.at(-1);
      const query = [`q=${n}`, `list=${n}`, `list=${n}`, `filter={"min":${n}}`].join("&");
      expect(decodeURIComponent(sent?.url ?? "")).toBe(`/items/${n}?${query}`);
      expect(sent?.headers["x-n"]).toBe(n);
      expect(sent?.body).toBe(`{"body":${n},"rows":[${n}]}`);
      const from = findMember(received, 0, "result")?.start ?? 0;
      const span = findMember(received, from, "structuredContent");
      expect(readNumbers(received.slice(span?.start, span?.end))).toEqual([n]);
      const stored = (await readNewest()).resultText;
      const storedSpan = findMember(stored, 0, "structuredContent");
      expect(readNumbers(stored.slice(storedSpan?.start, storedSpan?.end))).toEqual([n]);
    }
  });
});
