import type OpenAI from "openai";
import { describe, expect, it, vi } from "vitest";
import type { OutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import { ask, callsIn, MODES, parsed, user, WEATHER } from "./chat-client-suite/suite-bench.test-support";
import { openaiCompatible } from "./openai/completions";
import { VendorClient } from "./vendor-client";

type Message = OpenAI.Chat.ChatCompletionMessageParam;

describe("OpenAICompatibleClient with sloppy endpoints", () => {
  const fetch = vi.fn<OutgoingFetch>();
  const client = new VendorClient(openaiCompatible, {
    apiKey: null,
    baseUrl: "http://127.0.0.1:9/v1",
    retry: { maxAttempts: 1 },
    fetch,
  });

  function answerWith(body: string, type: string, status = 200): void {
    fetch.mockImplementation(async () => new Response(body, { status, headers: { "content-type": type } }));
  }
  async function streamed(...chunks: unknown[]) {
    answerWith(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""), "text/event-stream");
    return ask(client, "streaming", [user("Weather?")], { tools: [WEATHER] });
  }
  const chunk = (delta: object, finish_reason: string | null = null) => ({ choices: [{ delta, finish_reason }] });
  const piece = (fields: object, name?: string, args?: unknown) =>
    chunk({
      tool_calls: [{ ...fields, function: { ...(name && { name }), ...(args !== undefined && { arguments: args }) } }],
    });
  const OSLO = { city: "Oslo" };
  const ROME = { city: "Rome" };

  it.each<[string, object[], object[]]>([
    [
      "no index",
      [
        piece({ id: "a" }, "get_weather", '{"city":'),
        piece({}, undefined, '"Oslo"}'),
        piece({ id: "b" }, "get_weather", '{"city":"Rome"}'),
      ],
      [OSLO, ROME],
    ],
    [
      "no ids",
      [piece({ index: 0 }, "get_weather", '{"city":"Oslo"}'), piece({ index: 1 }, "get_weather", '{"city":"Rome"}')],
      [OSLO, ROME],
    ],
    [
      "neither",
      [
        piece({}, "get_weather", '{"city":'),
        piece({}, undefined, '"Oslo"}'),
        piece({}, "get_weather", '{"city":"Rome"}'),
      ],
      [OSLO, ROME],
    ],
    [
      "one index for all",
      [
        piece({ index: 0, id: "a" }, "get_weather", '{"city":"Oslo"}'),
        piece({ index: 0, id: "b" }, "get_weather", '{"city":"Rome"}'),
      ],
      [OSLO, ROME],
    ],
    [
      "id and name in every delta",
      [piece({ index: 0, id: "a" }, "get_weather", '{"city":'), piece({ index: 0, id: "a" }, "get_weather", '"Oslo"}')],
      [OSLO],
    ],
    [
      "one id for all",
      [
        piece({ index: 0, id: "x" }, "get_weather", '{"city":"Oslo"}'),
        piece({ index: 1, id: "x" }, "get_weather", '{"city":"Rome"}'),
      ],
      [OSLO, ROME],
    ],
    ["arguments as an object", [piece({ index: 0, id: "a" }, "get_weather", OSLO)], [OSLO]],
    ["no arguments", [piece({ index: 0, id: "a" }, "get_weather")], [{}]],
    [
      "null for what is not there",
      [chunk({ content: null, tool_calls: null }), piece({ index: 0, id: null }, "get_weather", null)],
      [{}],
    ],
  ])("AGT-11 puts calls together that come with %s", async (_what, deltas, expected) => {
    const { response, updates } = await streamed(...deltas, chunk({}, "stop"));
    const calls = callsIn(response);
    expect(calls.map(parsed)).toEqual(expected);
    expect(calls.every(({ name }) => name === "get_weather")).toBe(true);
    const ids = calls.map(({ callId }) => callId);
    expect(new Set(ids).size).toBe(expected.length);
    expect(ids.every((id) => id.length > 0)).toBe(true);
    expect(new Set(updates.flatMap((update) => (update.type === "call_delta" ? [update.callId] : [])))).toEqual(
      new Set(ids),
    );
    expect(response.finishReason).toBe("tool_calls");
  });

  it("AGT-11 a chunk without choices, a missing [DONE] and missing tokens do no harm", async () => {
    const { response } = await streamed(
      { choices: [] },
      {},
      chunk({ content: "Good " }),
      chunk({ content: "day." }, "stop"),
    );
    expect(response).toEqual({
      messages: [{ role: "assistant", contents: [{ type: "text", text: "Good day." }] }],
      finishReason: "stop",
    });
  });

  it.each([
    ["max_tokens", "length"],
    ["content_filter", "refusal"],
    ["eos", "tool_calls"],
    ["function_call", "tool_calls"],
    ["a_word_of_tomorrow", "tool_calls"],
  ])("with a call, the reason %s means %s", async (reason, finishReason) => {
    const { response } = await streamed(piece({ index: 0, id: "a" }, "get_weather", "{}"), chunk({}, reason));
    expect(response.finishReason).toBe(finishReason);
  });

  it("a stream that ends without a reason to finish is a broken connection: its call may be cut", async () => {
    await expect(streamed(piece({ index: 0, id: "a" }, "get_weather", "{}"))).rejects.toMatchObject({
      kind: "connection",
    });
  });

  it("takes a whole answer where a stream was asked for", async () => {
    const message = {
      content: [{ type: "text", text: "Hm." }],
      tool_calls: [{ function: { name: "get_weather", arguments: OSLO } }],
    };
    answerWith(
      JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }, null, 2),
      "application/json; charset=utf-8",
    );
    for (const mode of MODES) {
      const { response } = await ask(client, mode, [user("Weather?")]);
      expect(callsIn(response).map(parsed)).toEqual([OSLO]);
      expect(response.messages[0]?.contents[0]).toEqual({ type: "text", text: "Hm." });
      expect(response.finishReason).toBe("tool_calls");
    }
  });

  it.each(MODES)("gives back with a call what the endpoint gave with it, such as a signature (%s)", async (mode) => {
    const tool_calls = [
      { index: 0, id: "a", function: { name: "get_weather", arguments: "{}" }, extra_content: { google: { s: 1 } } },
    ];
    const choice = mode === "whole" ? { message: { tool_calls } } : { delta: { tool_calls } };
    const body = JSON.stringify({ choices: [{ ...choice, finish_reason: "tool_calls" }] });
    answerWith(
      mode === "whole" ? body : `data: ${body}\n\n`,
      mode === "whole" ? "application/json" : "text/event-stream",
    );
    const { response } = await ask(client, mode, [user("Weather?")]);
    await ask(client, mode, [user("Weather?"), ...response.messages]);
    const request = fetch.mock.lastCall?.[1]?.body as string;
    const messages = (JSON.parse(request) as { messages: Message[] }).messages;
    expect(messages[1]).toMatchObject({ tool_calls: [{ id: "a", extra_content: { google: { s: 1 } } }] });
  });

  it.each<[string, string, number, string, string]>([
    ["a page", "<html>Welcome</html>", 200, "text/html", "protocol"],
    ["a page for an error", "<html>Bad gateway</html>", 502, "text/html", "failed (HTTP 502)"],
    [
      "an error as a text",
      '{"error":"model \\"x\\" does not support tools"}',
      400,
      "application/json",
      "does not support tools",
    ],
    [
      "an error in `message`",
      '{"object":"error","message":"It broke.","code":40004}',
      400,
      "application/json",
      "It broke.",
    ],
    ["an error in `detail`", '{"detail":"Not here."}', 404, "application/json", "Not here."],
    ["an error in a list", '[{"error":{"message":"In a list.","code":400}}]', 400, "application/json", "In a list."],
    ["an error with 200", '{"error":{"message":"Slow down.","code":429}}', 200, "application/json", "429"],
    ["an empty body", "", 200, "application/json", "protocol"],
  ])("understands %s", async (_what, body, status, type, expected) => {
    answerWith(body, type, status);
    const fault = await client.getResponse([user("Hi")], { model: "m" }).catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: "ChatClientError" });
    const { kind, message } = fault as { kind: string; message: string };
    expect(`${kind}: ${message}`).toContain(expected);
  });

  it("lists models from a bare list and from `models`", async () => {
    answerWith('[{"id":"b"},{"id":"a"},{"id":7},null,{"id":"text-embedding-1"}]', "application/json");
    expect(await client.listModels()).toEqual(["a", "b"]);
    answerWith('{"models":[{"name":"c"},"d"]}', "application/json");
    expect(await client.listModels()).toEqual(["c", "d"]);
    answerWith('{"nothing":1}', "application/json");
    await expect(client.listModels()).rejects.toMatchObject({ kind: "protocol" });
  });
});
