import { describe, expect, it } from "vitest";
import type { ChatMessage, ChatResponse } from "../../../lib/contract/chat";
import { prepareTurn } from "../chat-turn";
import { openaiCompatible } from "./completions";

type Delta = Record<string, unknown>;

const CALL: Delta = {
  tool_calls: [
    {
      index: 0,
      id: "tool_1",
      type: "function",
      function: { name: "echo", arguments: '{"a":1}' },
      provider_specific_fields: { thought_signature: "opaque" },
    },
  ],
};
const settings = { streaming: true, host: "router" };
const turnOf = (messages: ChatMessage[], host = "router") =>
  prepareTurn(messages, { model: "m" }, { ...settings, host });

function readStream(deltas: Delta[]): ChatResponse {
  const reader = openaiCompatible.createReader(turnOf([]));
  for (const delta of deltas) Array.from(reader.read({ choices: [{ index: 0, delta }] }));
  Array.from(reader.read({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
  return reader.finish();
}

function readWhole(message: Delta): ChatResponse {
  const reader = openaiCompatible.createReader({ ...turnOf([]), streaming: false });
  Array.from(reader.read({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
  return reader.finish();
}

/** The assistant's message of the next request. */
function sentBack({ messages }: ChatResponse, host = "router", without: string[] = []): Delta {
  const body = openaiCompatible.toBody(turnOf(messages, host), new Set(without)) as { messages: Delta[] };
  return body.messages[0] ?? {};
}

const encrypted = { type: "reasoning.encrypted", data: "opaque", id: "tool_1", format: "google-gemini-v1", index: 0 };
const text = (text: string, more: Delta = {}) => ({ type: "reasoning.text", text, format: "a", index: 0, ...more });

describe("the thoughts of Chat Completions", () => {
  it.each<[string, Delta[], Delta]>([
    ["an encrypted part", [{ content: null, reasoning_details: [encrypted] }], { reasoning_details: [encrypted] }],
    [
      "encrypted parts of parallel calls",
      [{ reasoning_details: [encrypted] }, { reasoning_details: [{ ...encrypted, id: "tool_2" }] }],
      { reasoning_details: [encrypted, { ...encrypted, id: "tool_2" }] },
    ],
    [
      "a text in pieces with its signature",
      [
        { reasoning: "Where ", reasoning_details: [text("Where ", { signature: null })] },
        { reasoning: "is it?", reasoning_details: [text("is it?")] },
        { reasoning_details: [text("", { signature: "signed" })] },
        { reasoning_details: [text("And then", { index: 1 })] },
      ],
      {
        reasoning: "Where is it?",
        reasoning_details: [text("Where is it?", { signature: "signed" }), text("And then", { index: 1 })],
      },
    ],
    [
      "a summary",
      [{ reasoning_details: [{ type: "reasoning.summary", summary: "S" }] }],
      { reasoning_details: [{ type: "reasoning.summary", summary: "S" }] },
    ],
    ["reasoning", [{ reasoning: "Hm" }, { reasoning: "m" }], { reasoning: "Hmm" }],
    ["reasoning_content", [{ reasoning_content: "Hm" }, { reasoning_content: "m" }], { reasoning_content: "Hmm" }],
    [
      "blocks of a proxy",
      [
        { thinking_blocks: [{ type: "thinking", thinking: "Hm" }] },
        { thinking_blocks: [{ type: "thinking", thinking: "m" }] },
        { thinking_blocks: [{ type: "thinking", thinking: "", signature: "signed" }] },
        { thinking_blocks: [{ type: "redacted_thinking", data: "x" }] },
      ],
      {
        thinking_blocks: [
          { type: "thinking", thinking: "Hmm", signature: "signed" },
          { type: "redacted_thinking", data: "x" },
        ],
      },
    ],
  ])("go back as they came, beside the calls: %s", (_title, deltas, expected) => {
    const response = readStream([...deltas, CALL]);
    const message = sentBack(response);
    expect(message).toMatchObject({ ...expected, tool_calls: [{ id: "tool_1" }] });
    const members = Object.keys(message).filter((key) => !["role", "content", "tool_calls"].includes(key));
    expect(members.sort()).toEqual(Object.keys(expected).sort());
    expect(sentBack(readWhole({ content: null, ...expected, ...CALL }))).toEqual(message);
    const elsewhere = sentBack(response, "another");
    expect(Object.keys(elsewhere)).toEqual(["role", "content", "tool_calls"]);
    expect(Object.keys(sentBack(response, "router", ["reasoning"]))).toEqual(["role", "content", "tool_calls"]);
    expect(JSON.stringify(elsewhere)).not.toContain("opaque");
  });

  it("go back with an answer in text too where they are signed, and are left out where they are plain", () => {
    const response = readStream([{ reasoning: "Hm", reasoning_details: [text("Hm")] }, { content: "Hello" }]);
    expect(sentBack(response)).toEqual({ role: "assistant", content: "Hello", reasoning_details: [text("Hm")] });
  });

  it("are shown once, also where only the parts have text", () => {
    const shown = readStream([{ reasoning_details: [text("Hm")] }, { content: "Hello" }]).messages[0]?.contents[0];
    expect(shown).toEqual({ type: "reasoning", text: "Hm" });
    const both = readStream([{ reasoning: "Hm", reasoning_details: [text("Hm")] }]).messages[0]?.contents[0];
    expect(both).toEqual({ type: "reasoning", text: "Hm" });
  });

  it("of a wrong form are passed over, and the signature of a call goes back with it", () => {
    const deep = Array.from({ length: 500 }).reduce<unknown>((inner) => [inner], "x");
    const odd = [{ reasoning_details: "x" }, { reasoning_details: [null, 1, "x"] }, { reasoning_details: [deep] }];
    const message = sentBack(readStream([...odd, { thinking_blocks: {} }, CALL]));
    expect(Object.keys(message)).toEqual(["role", "content", "tool_calls"]);
    expect(message.tool_calls).toMatchObject([{ provider_specific_fields: { thought_signature: "opaque" } }]);
  });
});
