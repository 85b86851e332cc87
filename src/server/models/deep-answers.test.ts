import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { anthropic } from "./anthropic/anthropic";
import { ask, callsIn, user } from "./chat-client-suite/suite-bench.test-support";
import { gemini } from "./gemini/gemini";
import { ollama } from "./ollama/ollama";
import { openaiCompatible } from "./openai/completions";
import { VendorClient } from "./vendor-client";

const DEEP = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** One answer, whatever is asked. */
async function serve(type: string, body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", type);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const geminiBody = `{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[{"functionCall":{"name":"t","args":${DEEP}}}]}}]}`;
const ollamaBody = `{"model":"m","done":true,"done_reason":"stop","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"t","arguments":${DEEP}}}]}}`;
const completionBody = `{"id":"c",\n"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","extra_content":${DEEP},"function":{"name":"t","arguments":${DEEP}}}]}}]}`;
const anthropicBody = `{"id":"m","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1},"content":[{"type":"odd","value":${DEEP}},{"type":"tool_use","id":"x","name":"t","input":${DEEP}}]}`;

const ANSWERS = [
  {
    vendor: gemini,
    whole: ["application/json", geminiBody],
    streamed: ["text/event-stream", `data: ${geminiBody}\n\n`],
  },
  { vendor: ollama, whole: ["application/json", ollamaBody], streamed: ["application/x-ndjson", `${ollamaBody}\n`] },
  // A whole answer where a stream was asked for is taken too.
  {
    vendor: openaiCompatible,
    whole: ["application/json", completionBody],
    streamed: ["application/json", completionBody],
  },
  // Its streams give arguments as text.
  { vendor: anthropic, whole: ["application/json", anthropicBody], streamed: null },
].flatMap(({ vendor, whole, streamed }) => [
  { mode: "whole" as const, vendor, answer: whole },
  ...(streamed === null ? [] : [{ mode: "streaming" as const, vendor, answer: streamed }]),
]);

describe("arguments nested 100,000 levels deep", () => {
  it.each(ANSWERS)("AGT-02 are a call that can be kept, refused and sent back: $vendor.name, $mode", async (given) => {
    const [type = "", body = ""] = given.answer;
    const client = new VendorClient(given.vendor, { apiKey: "k", baseUrl: await serve(type, body) });
    const { response, updates } = await ask(client, given.mode, [user("Go")]);
    const [call] = callsIn(response);
    expect(call?.arguments).toContain("nested deeper than 200");
    expect(structuredClone(JSON.parse(JSON.stringify({ response, updates })))).toEqual({ response, updates });
    // The next request carries the call.
    const [message] = response.messages;
    if (message === undefined) throw new Error("no message");
    const next = await ask(client, given.mode, [user("Go"), message, user("And?")]);
    expect(callsIn(next.response)).toHaveLength(1);
  });
});
