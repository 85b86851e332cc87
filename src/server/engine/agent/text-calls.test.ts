import { describe, expect, it } from "vitest";
import { portableName } from "../../../lib/portable-name";
import { ScriptedClient } from "../../models/scripted-client.test-support";
import { useFunctionInvocation } from "./function-invoking-client";
import { invocationEngine, user } from "./invocation.test-support";
import { findTextCalls } from "./text-calls";

const TOOLS = ["echo", "add", "files.read", "get weather"].map((name) => ({ name, description: "", parameters: {} }));
const one = (text: string) => ({ name: "echo", arguments: text });

const FORMS: [string, string, ReturnType<typeof findTextCalls>][] = [
  ["Llama", '{"name": "echo", "parameters": {"a": 1}}', [one('{"a":1}')]],
  ["OpenAI", '{"type":"function","function":{"name":"echo","arguments":"{\\"a\\": 1}"}}', [one('{"a": 1}')]],
  [
    "a list",
    '[{"name":"echo","arguments":{}},{"name":"add","arguments":{"a":1,"b":2}}]',
    [one("{}"), { name: "add", arguments: '{"a":1,"b":2}' }],
  ],
  [
    "Hermes",
    'I look.\n<tool_call>\n{"name": "echo", "arguments": {"a": "</b> \\"{"}}\n</tool_call>',
    [one('{"a":"</b> \\"{"}')],
  ],
  [
    "two of Hermes",
    '<tool_call>{"name":"echo","arguments":{}}</tool_call>\n<tool_call>{"name":"echo","arguments":{"a":2}}',
    [one("{}"), one('{"a":2}')],
  ],
  ["a function tag", '<function=echo>{"a": 1}</function>', [one('{"a": 1}')]],
  [
    "parameter tags",
    "<tool_call>\n<function=echo>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\ntwo\nlines\n</parameter>\n</function>\n</tool_call>",
    [one('{"a":1,"b":"two\\nlines"}')],
  ],
  ["Mistral", '[TOOL_CALLS] [{"name": "echo", "arguments": {"a": 1}}]', [one('{"a":1}')]],
  [
    "newer Mistral",
    '[TOOL_CALLS]echo[ARGS]{"a": 1}[TOOL_CALLS]add[CALL_ID]x9[ARGS]{"a":1,"b":2}',
    [one('{"a":1}'), { name: "add", arguments: '{"a":1,"b":2}' }],
  ],
  [
    "a python tag",
    '<|python_tag|>{"name": "echo", "parameters": {"a": 1}}; {"name": "echo", "parameters": {}}<|eom_id|>',
    [one('{"a":1}'), one("{}")],
  ],
  ["fenced JSON", 'I call it:\n```json\n{"name": "echo", "arguments": {"a": 1}}\n```\nDone.', [one('{"a":1}')]],
  ["other keys", '{"tool": "echo", "tool_input": {"a": 1}}', [one('{"a":1}')]],
  ["no arguments", '{"name":"echo","arguments":null}', [one("{}")]],
  ["a long number", '{"name":"echo","arguments":{"id":9054686819491029395}}', [one('{"id":9054686819491029395}')]],
  ["an alias", '{"name":"files_read_XX","arguments":{}}', []],
  ["JSON of something else", '{"name": "Ada", "parameters": {"a": 1}}', []],
  ["JSON without arguments", '{"name": "echo"}', []],
  ["prose", "Call echo with {a: 1}, or [TOOL] it.", []],
  ["broken JSON", '{"name": "echo", "parameters": {"a": "', []],
  ["an open string", '<tool_call>{"name": "ec', []],
];

describe("findTextCalls", () => {
  it.each(FORMS)("finds what a model wrote in the form of %s", (_form, text, expected) => {
    expect(findTextCalls(text, TOOLS)).toEqual(expected);
  });

  it("finds tools by the name that the model was sent", () => {
    for (const name of ["files.read", "get weather"]) {
      const text = JSON.stringify({ name: portableName(name), arguments: {} });
      expect(findTextCalls(text, TOOLS)).toEqual([{ name, arguments: "{}" }]);
    }
  });

  it("ends with any text", () => {
    for (const part of ["<tool_call>", "<function=a>", "{", '{"', "[TOOL_CALLS]", "```\n{", "<parameter=x>", "\\"]) {
      expect(findTextCalls(part.repeat(5_000), TOOLS)).toEqual([]);
    }
  });
});

describe("a call that a model writes as text", () => {
  const Client = useFunctionInvocation(ScriptedClient);
  const TEXT = '{"name": "echo", "parameters": {"a": 1}}';

  async function run(text: string, more: object = {}, options: object = {}) {
    const engine = invocationEngine();
    const client = new Client([{ text }, { text: "Done" }]);
    const invocation = { ...engine.invocation, ...more };
    const notices: string[] = [];
    let last = "";
    const asked = client.getStreamingResponse([user("Go")], { tools: engine.tools, invocation, ...options });
    for await (const update of asked) {
      if (update.type === "notice") notices.push(`${update.notice}: ${update.text}`);
      if (update.type === "response") last = update.response.finishReason;
    }
    return { ran: engine.ran, notices, last, client };
  }

  it("ends the run with a notice that names the tool, and nothing runs", async () => {
    const { ran, notices, client, last } = await run(TEXT);
    expect(ran).toEqual([]);
    expect(notices).toEqual([
      expect.stringMatching(/^call_as_text: .*a call of 'echo' that the model wrote as text\. Nothing ran/),
    ]);
    expect(client.requests).toHaveLength(1);
    expect(last).toBe("stop");
  });

  it("runs where the settings say so, and the model gets its result", async () => {
    const { ran, notices, client } = await run(TEXT, { runTextCalls: true });
    expect(ran).toEqual([{ name: "echo", args: { a: 1 } }]);
    expect(notices).toEqual([expect.stringMatching(/^call_as_text: .*which ran/)]);
    const [, , tool] = client.requests[1]?.messages ?? [];
    expect(tool).toMatchObject({ role: "tool", contents: [{ type: "function_result", result: '{"a":1}' }] });
  });

  it("asks for approval as any call, and does not run where tools are off", async () => {
    const destructive = '<tool_call>{"name":"delete_all","arguments":{}}</tool_call>';
    expect((await run(destructive, { runTextCalls: true })).ran).toEqual([]);
    const off = await run(TEXT, { runTextCalls: true }, { toolChoice: "none" });
    expect([off.ran, off.notices]).toEqual([[], []]);
  });
});
