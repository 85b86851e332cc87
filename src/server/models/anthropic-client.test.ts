import type Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChatMessage, ChatOptions } from "../../lib/contract/chat";
import { anthropic } from "./anthropic/anthropic";
import {
  ask,
  call,
  callsIn,
  lastBody,
  MODES,
  result,
  user,
  WEATHER,
} from "./chat-client-suite/suite-bench.test-support";
import { describeChatClient, type FakeVendor } from "./chat-client-suite.test-support";
import { FAKE_SIGNATURE, startFakeAnthropic } from "./fake-vendors/anthropic.test-support";
import { VendorClient } from "./vendor-client";

type Body = Omit<Anthropic.MessageCreateParams, "tools" | "system"> & {
  tools: Anthropic.Tool[];
  system: Anthropic.TextBlockParam[];
};

describeChatClient({
  title: "AnthropicClient",
  vendorName: "Anthropic",
  startVendor: startFakeAnthropic,
  createClient: (options) => new VendorClient(anthropic, options),
  takesImages: true,
  malformedArguments: "streaming",
  marksErrors: true,
  forcesTools: true,
  needsKey: true,
  cutOffs: ["max_tokens", "model_context_window_exceeded", "refusal"],
  countsCached: true,
  propertyNames: /^[a-zA-Z0-9_.-]{1,64}$/,
  listedModels: ["claude-fake-1", "claude-fake-2"],
  toolNamesInRequest: (body: Body) => body.tools.map(({ name }) => name),
  schemasInRequest: (body: Body) => Object.fromEntries(body.tools.map((tool) => [tool.name, tool.input_schema])),
  callsInRequest: (body: Body) =>
    listBlocks(body, "tool_use").map(({ id, name, input }) => ({ callId: id, name, args: input })),
  resultsInRequest: (body: Body) =>
    listBlocks(body, "tool_result").map(({ tool_use_id, content = "", is_error }) => ({
      callId: tool_use_id,
      text:
        typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join("\n"),
      isError: is_error === true,
    })),
  toolChoiceInRequest: ({ tool_choice }: Body) => {
    if (tool_choice?.type === "tool") return { name: tool_choice.name };
    return tool_choice?.type === "any" ? "required" : (tool_choice?.type ?? "auto");
  },
  systemInRequest: (body: Body) => body.system.map(({ text }) => text).join("\n"),
  maxOutputTokensInRequest: (body: Body) => body.max_tokens,
});

describe("AnthropicClient", () => {
  let vendor: FakeVendor;
  beforeEach(async () => {
    vendor = await startFakeAnthropic();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await vendor.close();
  });
  const client = (apiKey: string | null = "key-for-tests") =>
    new VendorClient(anthropic, { apiKey, baseUrl: vendor.url });
  async function sent(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<Body> {
    vendor.script([{ kind: "text", text: "Good." }]);
    await ask(client(), "whole", messages, options);
    return lastBody(vendor);
  }

  it.each(MODES)("gives signed thinking back unchanged, before its calls (%s)", async (mode) => {
    vendor.script([{ kind: "calls", calls: [{ name: "get_weather", args: {} }], reasoning: "Where is it?" }]);
    const { response, updates } = await ask(client(), mode, [user("Weather?")], { tools: [WEATHER] });
    expect(response.messages[0]?.contents[0]).toEqual({ type: "reasoning", text: "Where is it?" });
    if (mode === "streaming") expect(updates[0]).toEqual({ type: "reasoning", text: expect.stringMatching(/^Where /) });
    const body = await sent([user("Weather?"), ...response.messages], { tools: [WEATHER] });
    expect(body.messages[1]?.content).toMatchObject([
      { type: "thinking", thinking: "Where is it?", signature: FAKE_SIGNATURE },
      { type: "tool_use", id: callsIn(response)[0]?.callId },
    ]);
  });

  it("AGT-08 puts all results of a turn, and what a user says next, into the next user message", async () => {
    const body = await sent(
      [
        user("Weather?"),
        { role: "assistant", contents: [call("a", "get_weather", {}), call("b", "get_weather", {})] },
        { role: "tool", contents: [result("b", "get_weather", "sun")] },
        { role: "tool", contents: [result("a", "get_weather", "rain")] },
        user("And now?"),
      ],
      { tools: [WEATHER] },
    );
    expect(body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(body.messages[2]?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "a", content: "rain" },
      { type: "tool_result", tool_use_id: "b", content: "sun" },
      { type: "text", text: "And now?" },
    ]);
  });

  it.each([
    ["pause_turn", "pause"],
    ["stop_sequence", "stop"],
    ["model_context_window_exceeded", "context_length"],
    ["a_reason_of_tomorrow", "other"],
  ])("understands the stop reason %s as %s", async (reason, finishReason) => {
    vendor.script([{ kind: "stop_reason", reason, text: "Well" }]);
    const { response } = await ask(client(), "streaming", [user("Hello")]);
    expect(response).toMatchObject({ finishReason, finishDetail: reason });
  });

  it("marks what the vendor may keep in its cache: instructions, tools, and the last message", async () => {
    const body = await sent([user("Hello")], {
      instructions: "Be brief.",
      tools: [WEATHER, { ...WEATHER, name: "b" }],
    });
    const marked = { cache_control: { type: "ephemeral" } };
    expect(body.system).toMatchObject([marked]);
    expect(body.tools.map((tool) => "cache_control" in tool)).toEqual([false, true]);
    expect(body.messages.at(-1)?.content).toMatchObject([marked]);
  });

  it("names the tools of the history where none may be called any more", async () => {
    const history: ChatMessage[] = [user("Weather?"), { role: "assistant", contents: [call("a", "files.read", {})] }];
    const body = await sent(history);
    expect(body.tools.map(({ name }) => name)).toEqual(listBlocks(body, "tool_use").map(({ name }) => name));
    expect(body.tool_choice).toEqual({ type: "none" });
  });

  it("asks for one call at a time, sends a default output limit and no temperature", async () => {
    const body = await sent([user("Hello")], { tools: [WEATHER], parallelToolCalls: false, temperature: 0.5 });
    expect(body.tool_choice).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect(body.max_tokens).toBe(8192);
    expect(body).not.toHaveProperty("temperature");
  });

  it("passes stop sequences on, except those of white space, which the API refuses", async () => {
    const body = await sent([user("Hello")], { stopSequences: ["END", "\n"] });
    expect(body.stop_sequences).toEqual(["END"]);
  });

  it("uses no key of the environment when it is configured without one", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "key-of-the-environment");
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "token-of-the-environment");
    vendor.script([{ kind: "status", status: 401 }]);
    await expect(client(null).getResponse([user("Hello")], { model: "m" })).rejects.toThrow(
      "Anthropic requires an API key (HTTP 401). Give this provider its key.",
    );
    expect(JSON.stringify(vendor.requests[0]?.headers)).not.toContain("of-the-environment");
  });

  it("sends its key beside a name and password of the base URL", async () => {
    vendor.script([{ kind: "text", text: "Good." }]);
    const baseUrl = vendor.url.replace("http://", "http://me:word@");
    await ask(new VendorClient(anthropic, { apiKey: "key-for-tests", baseUrl }), "whole", [user("Hi")]);
    const authorization = expect.stringMatching(/^Basic /);
    expect(vendor.requests[0]?.headers).toMatchObject({ authorization, "x-api-key": "key-for-tests" });
  });

  it("accepts a base URL that already ends with the version", async () => {
    vendor.script([{ kind: "text", text: "Good." }]);
    const { response } = await ask(
      new VendorClient(anthropic, { apiKey: "k", baseUrl: `${vendor.url}/v1/` }),
      "whole",
      [user("Hi")],
    );
    expect(response.finishReason).toBe("stop");
  });

  it("ends with `connection` where a stream ends in good order but without an end of its answer", async () => {
    const fetch = async () => {
      const start = {
        type: "message_start",
        message: { id: "m", model: "m", usage: { input_tokens: 1, output_tokens: 1 } },
      };
      return new Response(`event: message_start\ndata: ${JSON.stringify(start)}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });
    };
    const retry = { maxAttempts: 1 };
    const stream = ask(new VendorClient(anthropic, { apiKey: "k", baseUrl: vendor.url, retry, fetch }), "streaming", [
      user("Hi"),
    ]);
    await expect(stream).rejects.toMatchObject({ kind: "connection", message: expect.stringContaining("ended early") });
  });
});

function listBlocks<Type extends Anthropic.ContentBlockParam["type"]>(
  { messages }: Body,
  type: Type,
): Extract<Anthropic.ContentBlockParam, { type: Type }>[] {
  const blocks = messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : (content as Anthropic.ContentBlockParam[]),
  );
  return blocks.filter((block): block is Extract<typeof block, { type: Type }> => block.type === type);
}
