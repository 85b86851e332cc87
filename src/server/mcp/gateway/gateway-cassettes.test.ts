import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { cassetteInputSchema, newCassetteSchema } from "../../../lib/contract/cassette";
import { runSettingsSchema } from "../../../lib/contract/run";
import { waitUntil } from "../../../lib/wait-until.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  type RawClient,
  rawClient,
  startGatewayContainer,
} from "./gateway-container.test-support";

const SERVERS = { asking: ["asking.mjs"], echoing: ["echo.mjs"], tasking: ["tasking.mjs"], offering: ["offering.mjs"] };
const ERAS = ["2025-11-25", "2026-07-28"] as const;
const ANSWER = { action: "accept", content: { age: 42 } } as const;

let server: GatewayContainer;
/** The answers that were given while the cassette was recorded. */
const recorded = new Map<string, string>();

const services = () => server.container.services;
const lastOf = async (client: RawClient, method: string, params: Record<string, unknown>) => {
  const messages = await client.ask(method, params);
  return { messages, last: messages.at(-1) ?? {} };
};
const call = (client: RawClient, name: string, args: Record<string, unknown> = {}, more = {}) =>
  lastOf(client, "tools/call", { name, arguments: args, ...more });
/** Without what names the answering program in the stateless protocol. */
const withoutEra = ({ resultType: _, _meta: __, ...result }: Record<string, unknown> = {}) => JSON.stringify(result);

const DEFINITION = JSON.stringify({
  name: "note",
  description: "Notes",
  type: "function",
  handler: "note",
  parameters: {
    type: "object",
    properties: { text: { type: "string" }, key: { type: "string", format: "password" } },
    required: ["text"],
  },
  implementation: { type: "builtin", handler: "echo" },
});

async function record(): Promise<void> {
  const client = await rawClient(server.url, "2025-11-25");
  const keep = async (key: string, answer: ReturnType<typeof lastOf>) => {
    const { last } = await answer;
    recorded.set(key, withoutEra(last.result) || JSON.stringify(last.error));
  };
  await keep("note", call(client, "note", { text: "a", key: "s3cr3t" }));
  await keep("invalid", call(client, "note", { txt: 1 }));
  await keep("sum", call(client, "tasking__steps", { n: 1 }));
  await keep("read", lastOf(client, "resources/read", { uri: "left://only" }));
  const sdk = new Client(
    { name: "recorder", version: "1" },
    { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } } },
  );
  sdk.setRequestHandler("elicitation/create", async () => ({ ...ANSWER }));
  await sdk.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  recorded.set("form", JSON.stringify((await sdk.callTool({ name: "asking__form", arguments: {} })).content));
  await sdk.close();
  await keep("log", call(client, "echoing__log"));
}

beforeAll(async () => {
  server = await startGatewayContainer(await newDatabaseUrl());
  await services().tools.create(LOCAL_PRINCIPAL, DEFINITION);
  for (const [name, [file = "", ...more]] of Object.entries(SERVERS)) {
    const args = [path.resolve("e2e/support/mcp-servers", file), ...more];
    await services().servers.create(LOCAL_PRINCIPAL, { name, transport: "stdio", command: process.execPath, args });
    await services().servers.reconnect(LOCAL_PRINCIPAL, name);
  }
  await record();
  const choice = { filter: { source: ["gateway"] } };
  await services().cassettes.create(LOCAL_PRINCIPAL, newCassetteSchema.parse({ name: "demo", choice }));
  for (const name of Object.keys(SERVERS)) await services().servers.delete(LOCAL_PRINCIPAL, name);
});
afterAll(() => server.stop());

const connect = (era: (typeof ERAS)[number], query = "") => rawClient(`${server.url}/cassettes/demo${query}`, era);
const report = (session: string) => services().cassettes.report("demo", session);

describe.each(ERAS)("a cassette for a client of %s, its servers gone", (era) => {
  it("lists the recorded tools, and answers with the recorded bytes", async () => {
    const client = await connect(era, `?session=all-${era}`);
    const { last } = await lastOf(client, "tools/list", {});
    expect(last.result?.tools).toMatchObject([
      { name: "asking__form" },
      { name: "echoing__log" },
      { name: "note" },
      { name: "tasking__steps" },
    ]);
    // A recorded secret stays masked, in arguments as a wildcard.
    const note = await call(client, "note", { key: "another", text: "a" });
    const unmasked = withoutEra(note.last.result).replace(/\[masked:[0-9a-f]{12}\]/, "s3cr3t");
    expect(unmasked).toBe(recorded.get("note"));
    expect(withoutEra((await call(client, "note", { txt: 1 })).last.result)).toBe(recorded.get("invalid"));
    expect(JSON.stringify((await call(client, "asking__form")).last.result?.content)).toBe(recorded.get("form"));
    const { last: read } = await lastOf(client, "resources/read", { uri: "left://only" });
    expect(JSON.stringify(read.result?.contents)).toBe(JSON.stringify(JSON.parse(recorded.get("read") ?? "").contents));
    const progress = await call(client, "tasking__steps", { n: 1 }, { _meta: { progressToken: "p" } });
    expect(withoutEra(progress.last.result)).toBe(recorded.get("sum"));
    const notified = progress.messages.filter(({ method }) => method === "notifications/progress");
    expect(notified.map(({ params }) => (params as { progressToken: string }).progressToken)).toContain("p");
    const logging = await call(client, "echoing__log", {}, { _meta: { "io.modelcontextprotocol/logLevel": "info" } });
    expect(withoutEra(logging.last.result)).toBe(recorded.get("log"));
    const logged = logging.messages.filter(({ method }) => method === "notifications/message");
    expect(logged.map(({ params }) => params)).toEqual([{ level: "warning", logger: "disk", data: "nearly full" }]);
    expect((await report(`all-${era}`)).line).toBe("reused=6/6 misses=0 live=0 out-of-order=2");
  });

  it("a changed argument is a miss that names the nearest recording and what differs", async () => {
    const client = await connect(era, `?session=miss-${era}`);
    const { last } = await call(client, "note", { text: "b", key: "x" });
    expect(last.result).toMatchObject({ isError: true });
    expect(last.result?.content).toMatchObject([
      {
        text: 'Cassette miss: No recording of \'note\' has these arguments. Nearest: call 1 of 6, which differs at /text: recorded "a", received "b"',
      },
    ]);
    const missing = await lastOf(client, "resources/read", { uri: "left://other" });
    expect(missing.last.error).toMatchObject({ message: "The resource 'left://other' is not part of this cassette" });
    const { line, plays, unusedCalls } = await report(`miss-${era}`);
    expect(line).toBe("reused=0/6 misses=2 live=0 unused=6");
    expect(plays[0]).toMatchObject({ name: "note", outcome: "missed", recording: 1, differences: [{ path: "/text" }] });
    expect(plays[0]?.argumentsText).toMatch(/^\{"text":"b","key":"\[masked:/);
    expect(unusedCalls).toHaveLength(6);
  });

  it("faults on demand: failures, cut results, 429 with Retry-After, dropped connections", async () => {
    const failing = await connect(era, "?session=f&faults=error=1");
    expect((await call(failing, "note", { text: "a", key: "k" })).last.result).toMatchObject({ isError: true });
    const cut = await connect(era, "?session=c&faults=cut=1");
    const { last } = await call(cut, "tasking__steps", { n: 1 });
    const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? "";
    const whole = textOf(JSON.parse(recorded.get("sum") ?? ""));
    expect(textOf(last.result)).toBe(whole.slice(0, Math.floor(whole.length / 2)));
    const limited = await connect(era, "?session=l&faults=rate-limit=1,retry-after=7");
    const { last: refusal } = await call(limited, "note", { text: "a", key: "k" });
    expect(refusal.error?.message).toBe("Injected fault: try again in 7 s");
    const dropped = await connect(era, "?session=d&faults=drop=1");
    await expect(call(dropped, "note", { text: "a", key: "k" })).rejects.toThrow("fetch failed");
    expect((await report("d")).line).toContain("faults=");
    await expect(connect(era, "?faults=nonsense")).resolves.toMatchObject({ server: { info: undefined } });
  });
});

describe("a cassette", () => {
  it("asks the client again where it says so, and another answer than the recorded one is a miss", async () => {
    const { lastEdit: _, ...demo } = await services().cassettes.get("demo");
    const input = cassetteInputSchema.parse({ name: "demo", settings: { ...demo.settings, questions: "ask" } });
    await services().cassettes.update(LOCAL_PRINCIPAL, "demo", input);
    const ask = async (age: number) => {
      const sdk = new Client(
        { name: `asked-${age}`, version: "1" },
        { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } } },
      );
      sdk.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { age } }));
      await sdk.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/cassettes/demo?session=ask-${age}`)));
      const { content } = await sdk.callTool({ name: "asking__form", arguments: {} });
      await sdk.close();
      return JSON.stringify(content);
    };
    expect(await ask(42)).toBe(recorded.get("form"));
    expect(await ask(7)).toContain("Cassette miss: The answer to 'How old?' is not the recorded one");
    expect((await report("ask-7")).figures.misses).toBe(1);
    await services().cassettes.update(LOCAL_PRINCIPAL, "demo", cassetteInputSchema.parse({ name: "demo" }));
  });

  it("runs a call without a recording live only where it says so, and counts it", async () => {
    const client = await connect("2025-11-25", "?session=live");
    const input = cassetteInputSchema.parse({ name: "demo", settings: { passthrough: true } });
    await services().cassettes.update(LOCAL_PRINCIPAL, "demo", input);
    const before = (await services().executions.list({}, undefined, 200)).items.length;
    const { last } = await call(client, "note", { text: "new" });
    expect(JSON.stringify(last.result)).toContain("new");
    expect(last.result).not.toHaveProperty("isError");
    expect((await services().executions.list({}, undefined, 200)).items).toHaveLength(before + 1);
    expect((await report("live")).line).toBe("reused=0/6 misses=0 live=1 unused=6");
    await services().cassettes.update(LOCAL_PRINCIPAL, "demo", cassetteInputSchema.parse({ name: "demo" }));
    expect((await call(client, "note", { text: "new" })).last.result).toMatchObject({ isError: true });
  });

  it("is a file that gives the same bytes after its import, and holds no secret", async () => {
    const file = await services().cassettes.exportFile("demo");
    expect(file).not.toContain("s3cr3t");
    await services().cassettes.import(LOCAL_PRINCIPAL, { text: file, name: "copy" });
    const copy = await services().cassettes.exportFile("copy");
    expect(copy.replace('"name":"copy"', '"name":"demo"')).toBe(file);
    await services().cassettes.delete(LOCAL_PRINCIPAL, "copy");
    await services().cassettes.import(LOCAL_PRINCIPAL, { text: copy });
    expect(await services().cassettes.exportFile("copy")).toBe(copy);
    const broken = `${file.split("\n").slice(0, 3).join("\n")}\n{"call":"note"}\n`;
    await expect(services().cassettes.import(LOCAL_PRINCIPAL, { text: broken, name: "bad" })).rejects.toThrow("Line 4");
  });

  it("leaves out what cannot be recorded, and counts it before", async () => {
    const preview = await services().cassettes.preview(
      newCassetteSchema.parse({ name: "x", choice: { filter: { source: ["gateway"] } }, tools: "servers" }),
    );
    expect(preview).toMatchObject({ callCount: 7, servers: ["asking", "echoing", "offering", "tasking"], leftOut: [] });
    const none = newCassetteSchema.parse({ name: "none", choice: { ids: ["exec_unknown00"] } });
    await expect(services().cassettes.create(LOCAL_PRINCIPAL, none)).rejects.toThrow("no call can be recorded");
  });

  it("answers the calls of a conversation: no tool runs, and a call without a recording fails", async () => {
    const settings = runSettingsSchema.parse({ provider: "demo", model: "demo", cassette: "demo" });
    const before = (await services().executions.list({}, undefined, 200)).items.length;
    const text = 'note {"text":"a","key":"any"} and note {"text":"unheard"}';
    const { id } = await services().runs.start(LOCAL_PRINCIPAL, { settings, text });
    await waitUntil(async () => (await services().runs.get(id)).status === "succeeded");
    const { events } = await services().runs.readLog(id);
    const results = events.flatMap((event) => (event.type === "tool_finished" ? [event] : []));
    expect(results).toMatchObject([
      { name: "note", status: "succeeded", recorded: true, executionId: null },
      { name: "note", status: "failed", result: { exception: { message: expect.stringContaining("Cassette miss") } } },
    ]);
    expect((await services().executions.list({}, undefined, 200)).items).toHaveLength(before);
    expect(await report(id)).toMatchObject({ client: "playground", line: "reused=1/6 misses=1 live=0 unused=5" });
    const unknown = { settings: { ...settings, cassette: "gone" }, text };
    await expect(services().runs.start(LOCAL_PRINCIPAL, unknown)).rejects.toThrow("There is no cassette 'gone'");
  });

  it("that was deleted serves no longer", async () => {
    await services().cassettes.delete(LOCAL_PRINCIPAL, "copy");
    const response = await fetch(`${server.url}/cassettes/copy`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("There is no cassette 'copy' here");
  });
});
