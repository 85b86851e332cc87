import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { quoteContext } from "../../lib/apps/app-context";
import type {
  ChatMessage,
  ChatOptions,
  ChatResponseUpdate,
  ChatTool,
  FunctionResultContent,
} from "../../lib/contract/chat";
import { listCalls, readMessageText } from "../../lib/contract/chat";
import type { JsonSchema } from "../../lib/contract/json";
import { DemoClient } from "./demo-client";

type ListedTool = { name: string; description: string; parameters?: JsonSchema; inputSchema?: JsonSchema };

const toTool = ({ name, description, parameters, inputSchema }: ListedTool, prefix = ""): ChatTool => ({
  name: `${prefix}${name}`,
  description,
  parameters: parameters ?? inputSchema ?? {},
});
const example = JSON.parse(readFileSync("config/toolroom.example.json", "utf8")) as {
  tools: { registry: ListedTool[] };
};
const OWN = example.tools.registry.map((tool) => toTool(tool));
const text = (description: string) => ({ type: "string", description });
const FILES = toTool({
  name: "files__read_file",
  description: "Read a file",
  parameters: { type: "object", properties: { path: text("Where") }, required: ["path"] },
});
const SUM = toTool({
  name: "everything__get-sum",
  description: "Returns the sum of two numbers",
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
});
const DROP = toTool({ name: "delete_file", description: "Delete a file of the project", parameters: FILES.parameters });
const amount = { type: "number", exclusiveMinimum: 0 };
const REFUND = toTool({
  name: "refund_order",
  description: "Refund an order",
  parameters: {
    type: "object",
    properties: { order_id: text("An id"), amount, reason: text("Shown to the customer") },
    required: ["order_id", "amount", "reason"],
  },
});
const FAILURES = toTool({
  name: "what_failed",
  description: "What failed in a period",
  parameters: {
    type: "object",
    properties: { period: { type: "string", enum: ["today", "yesterday", "week"] }, since: text("A time") },
  },
});
const TOOLS = [...OWN, FILES, SUM, DROP, REFUND, FAILURES];

const client = new DemoClient({ wordDelayMs: 0 });
const user = (said: string): ChatMessage => ({ role: "user", contents: [{ type: "text", text: said }] });

async function answer(messages: ChatMessage[], options: ChatOptions = {}): Promise<ChatMessage> {
  const response = await client.getResponse(messages, { tools: TOOLS, ...options });
  return response.messages[0] ?? { role: "assistant", contents: [] };
}

/** `name argumentsText` of each call. */
async function called(said: string, tools: readonly ChatTool[] = TOOLS): Promise<string[]> {
  return listCalls(await answer([user(said)], { tools })).map((call) => `${call.name} ${String(call.arguments)}`);
}

const result = (callId: string, name: string, given: Partial<FunctionResultContent>): ChatMessage => ({
  role: "tool",
  contents: [{ type: "function_result", callId, name, ...given }],
});

describe("the demo model and quotations", () => {
  it("neither does nor repeats what an App says with a message", async () => {
    const said = quoteContext({ executionId: "exec_1", tool: "map__show", text: "calculate 12*7" });
    const message = (own: string): ChatMessage => ({
      role: "user",
      contents: [said, own].map((part) => ({ type: "text", text: part })),
    });
    const refused = await answer([message("open the pod bay doors")], { tools: TOOLS });
    expect(listCalls(refused)).toEqual([]);
    expect(readMessageText(refused)).toContain("“open the pod bay doors”");
    expect(listCalls(await answer([message("what is 2+2")], { tools: TOOLS }))).toMatchObject([
      { arguments: '{"expression":"2+2"}' },
    ]);
  });

  it("AGT-13 does what it is asked, not what the quoted lines of a transcript say", async () => {
    const request =
      "Ann asks you in a running conversation:\n\nwhat is 2*3\n\nThe last lines:\n\n> Bob: what is 12*7\n> Ann: hey";
    expect(await called(request)).toEqual(['calculator {"expression":"2*3"}']);
  });
});

describe("the demo model calls the tool that a request names", () => {
  it.each([
    ["what is 12*7", ['calculator {"expression":"12*7"}']],
    ["How much is (3 + 4) × sqrt(16)?", ['calculator {"expression":"(3 + 4) * sqrt(16)"}']],
    ["calculator 2^10", ['calculator {"expression":"2^10"}']],
    ["weather in Oslo", ['get_weather {"location":"Oslo"}']],
    ["What is the weather in New York?", ['get_weather {"location":"New York"}']],
    ["clock Europe/Oslo", ['clock {"timezone":"Europe/Oslo"}']],
    ["slow_report steps=3", ['slow_report {"steps":3}']],
    ["echo hello world", ['echo {"message":"hello world"}']],
    ["search tools for weather", ['search_tools {"query":"weather"}']],
    ['call files__read_file with {"path":"/tmp/x"}', ['files__read_file {"path":"/tmp/x"}']],
    ["read_file /etc/hosts", ['files__read_file {"path":"/etc/hosts"}']],
    ["get_sum a=1 b=2", ['everything__get-sum {"a":1,"b":2}']],
    ["call getSum with a=1, b=2", ['everything__get-sum {"a":1,"b":2}']],
    ['delete_file path="/tmp/a file"', ['delete_file {"path":"/tmp/a file"}']],
    ["get_weather nonsense=1 location=Oslo", ['get_weather {"nonsense":1,"location":"Oslo"}']],
    [
      "Please refund order ord_5512 with 12.50 because it arrived broken",
      ['refund_order {"order_id":"ord_5512","amount":12.5,"reason":"it arrived broken"}'],
    ],
    [
      "refund order ord_5512 with 12.50, arrived broken",
      ['refund_order {"order_id":"ord_5512","amount":12.5,"reason":"arrived broken"}'],
    ],
    ["what failed yesterday and why?", ['what_failed {"period":"yesterday"}']],
    ["What failed in the last week", ['what_failed {"period":"week"}']],
    ["what failed?", ["what_failed {}"]],
    ["get_sum of 3 and 4.5", ['everything__get-sum {"a":3,"b":4.5}']],
  ])("AGT-12 %s", async (said, expected) => {
    expect(await called(said)).toEqual(expected);
  });

  it("AGT-02 requests joined by and, a comma, a semicolon or a line are called in one turn", async () => {
    expect(await called('echo {"a":1} and call get_sum, get_sum a=1')).toEqual([
      'echo {"a":1}',
      'everything__get-sum {"a":0,"b":0}',
      'everything__get-sum {"a":1,"b":0}',
    ]);
    expect(await called("weather in Oslo; clock\nwhat is 2+2")).toEqual([
      'get_weather {"location":"Oslo"}',
      "clock {}",
      'calculator {"expression":"2+2"}',
    ]);
    expect(await called('echo "weather in Oslo; and then the clock"')).toEqual([
      'echo {"message":"weather in Oslo; and then the clock"}',
    ]);
    expect(await called("echo this and that")).toEqual(['echo {"message":"this and that"}']);
  });

  it("JSON of the request is sent as it was written, digit for digit", async () => {
    expect(await called('echo {"id": 12345678901234567890, "__proto__": 1}')).toEqual([
      'echo {"id": 12345678901234567890, "__proto__": 1}',
    ]);
  });

  it("a named tool that is not there is never replaced by another, nor a deleting one guessed", async () => {
    expect(await called('call files__write_file with {"path":"/tmp/x"}')).toEqual([]);
    expect(await called("the file /tmp/x of the project", [DROP])).toEqual([]);
    expect(await called("file /tmp/x", [DROP])).toEqual([]);
  });

  it("says what it made up, and what it found no tool for", async () => {
    const message = await answer([user("get_sum and call get_sum a=1; fly to the moon")]);
    expect(readMessageText(message)).toContain("No `a`, `b` given for `everything__get-sum`: using sample values.");
    expect(readMessageText(message)).toContain("No `b` given for `everything__get-sum`");
    expect(readMessageText(message)).toContain("No tool for “fly to the moon”.");
  });
});

describe("the demo model in a conversation", () => {
  it("AGT-08 reports the results, and answers the next message", async () => {
    const messages = [user("weather in Oslo")];
    const first = await answer(messages);
    expect(listCalls(first)).toMatchObject([{ callId: "demo_1", name: "get_weather" }]);
    messages.push(first, result("demo_1", "get_weather", { result: '{"temperature":22,"condition":"sunny"}' }));
    const second = await answer(messages);
    expect(readMessageText(second)).toContain('`get_weather` returned `{"temperature":22,"condition":"sunny"}`.');
    expect(listCalls(second)).toEqual([]);
    messages.push(second, user("what is 12*7"));
    expect(listCalls(await answer(messages))).toMatchObject([{ callId: "demo_2", name: "calculator" }]);
  });

  it("AGT-05 errors and refusals are reported unchanged", async () => {
    const messages = [user("weather in Oslo and clock")];
    messages.push(await answer(messages));
    messages.push(
      result("demo_1", "get_weather", { exception: { kind: "rejected", message: "Not on a Sunday" } }),
      result("demo_2", "clock", { exception: { kind: "tool_error", message: "No clock here" } }),
    );
    const said = readMessageText(await answer(messages));
    expect(said).toMatch(/`get_weather`.* was rejected\. Not on a Sunday/);
    expect(said).toMatch(/`clock` failed: No clock here/);
  });

  it("AGT-09 with tools off it calls none and says so, with the results that it has", async () => {
    const messages = [user("what is 12*7")];
    const refused = await answer(messages, { toolChoice: "none" });
    expect(listCalls(refused)).toEqual([]);
    expect(readMessageText(refused)).toBe("Tools are off for this answer, so `calculator` did not run.");
    messages.push(await answer(messages), result("demo_1", "calculator", { result: "84" }));
    const last = await answer(messages, { toolChoice: "none" });
    expect([readMessageText(last), listCalls(last)]).toEqual(["`calculator` returned 84.", []]);
  });

  it("a tool that it must call is called once, whatever the request", async () => {
    const messages = [user("hm")];
    const first = await answer(messages, { toolChoice: { name: "clock" } });
    expect(listCalls(first)).toMatchObject([{ name: "clock" }]);
    messages.push(first, result("demo_1", "clock", { result: "noon" }));
    expect(listCalls(await answer(messages, { toolChoice: "required" }))).toEqual([]);
  });

  it("it never passes for a language model: greetings say what it is, and it refuses other requests in one sentence with one that works", async () => {
    for (const said of ["hello", "what is the capital of France?", "write a poem", ""]) {
      const message = await answer([user(said)]);
      expect(readMessageText(message)).toMatch(/demo model.*rules|rules.*demo model/);
      expect(listCalls(message)).toEqual([]);
    }
    expect(readMessageText(await answer([user("write a poem")]))).toBe(
      "The demo model follows fixed rules and has no tool for “write a poem”; name one of its tools, such as `what is 12*7`, or choose another model.",
    );
    const help = readMessageText(await answer([user("help")]));
    const examples = [...help.matchAll(/^- `(.+)`$/gm)].map(([, request = ""]) => request);
    expect(examples.length).toBe(4);
    for (const request of examples) expect((await called(request)).length, request).toBe(1);
    expect(readMessageText(await answer([user("hello")], { tools: [] }))).toContain("This run has no tools");
  });
});

describe("the demo model and hostile text", () => {
  it.each([
    ["brackets", "[".repeat(50_000)],
    ["nested JSON", `echo ${"[".repeat(3000)}${"]".repeat(3000)}`],
    ["blanks", `echo${" ".repeat(50_000)}x${"\n".repeat(50_000)}and`],
    ["digits", "1".repeat(50_000)],
    ["quotes", "'a ".repeat(20_000)],
    ["joined words", "a and ".repeat(10_000)],
    ["commas", ", .".repeat(20_000)],
    ["private characters", "\uE0007\uE001 echo \uE0000\uE001"],
  ])("%s are answered like any other request", async (_, said) => {
    const message = await answer([user(said)], {
      tools: Array.from({ length: 200 }, (_, at) => ({ ...SUM, name: `t${at}__x` })).concat(TOOLS),
    });
    expect(message.contents.length).toBeGreaterThan(0);
    expect(listCalls(message).length).toBeLessThanOrEqual(20);
  });
});

describe("the demo model's stream", () => {
  it("AGT-11 comes word by word, its pieces are the response, and it is the same each time", async () => {
    const read = async () => {
      const updates: ChatResponseUpdate[] = [];
      const asked = [user("count to 30; echo hi")];
      for await (const update of client.getStreamingResponse(asked, { tools: TOOLS })) updates.push(update);
      return updates;
    };
    const updates = await read();
    expect(await read()).toEqual(updates);
    const last = updates.at(-1);
    const message = last?.type === "response" ? last.response.messages[0] : undefined;
    if (message === undefined) throw new Error("no response");
    expect(updates.map((update) => (update.type === "text" ? update.text : "")).join("")).toBe(
      readMessageText(message),
    );
    expect(updates.map((u) => (u.type === "call_delta" ? u.argumentsDelta : "")).join("")).toBe('{"message":"hi"}');
    expect(last).toMatchObject({ response: { finishReason: "tool_calls", model: "demo" } });
  });

  it("a long answer can be stopped in the middle", async () => {
    const stop = new AbortController();
    const slow = new DemoClient({ wordDelayMs: 1 });
    let words = 0;
    const reading = (async () => {
      for await (const _ of slow.getStreamingResponse([user("write a long story")], { signal: stop.signal })) {
        words += 1;
        if (words === 5) stop.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: "ChatClientError", kind: "aborted" });
    expect(words).toBe(5);
    await expect(client.getResponse([user("x")], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      kind: "aborted",
    });
  });
});

describe("the demo model on tools that others wrote", () => {
  const folder = path.resolve("../shared/fixtures/mcp-tools");
  const listed = (file: string): ListedTool[] =>
    (JSON.parse(readFileSync(path.join(folder, file), "utf8")) as { tools: ListedTool[] }).tools;

  it("each tool of the example configuration is called by its name", async () => {
    for (const { name } of OWN)
      expect(await called(`call ${name}`), name).toMatchObject([expect.stringMatching(`^${name} `)]);
  });

  it.runIf(existsSync(folder))(
    "each tool of two published servers is called by name, with all that it requires",
    async () => {
      for (const file of ["everything.json", "github.json"]) {
        const tools = listed(file).map((tool) => toTool(tool, "srv__"));
        for (const tool of tools) {
          const message = await answer([user(`call ${tool.name}`)], { tools });
          const [call] = listCalls(message);
          expect(call?.name).toBe(tool.name);
          const given = JSON.parse(String(call?.arguments)) as object;
          const { required } = tool.parameters as { required?: string[] };
          expect(Object.keys(given)).toEqual(expect.arrayContaining(required ?? []));
        }
      }
    },
  );
});
