import type OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChatMessage, ChatOptions } from "../../lib/contract/chat";
import {
  ask,
  call,
  callsIn,
  lastBody,
  MODES,
  PNG,
  result,
  user,
  WEATHER,
} from "./chat-client-suite/suite-bench.test-support";
import { describeChatClient, type FakeVendor } from "./chat-client-suite.test-support";
import { FAKE_ENCRYPTED, startFakeOpenAIResponses } from "./fake-vendors/openai-responses.test-support";
import { openai } from "./openai/responses";
import { VendorClient } from "./vendor-client";

type Item = OpenAI.Responses.ResponseInputItem;
type Body = Omit<OpenAI.Responses.ResponseCreateParams, "input" | "tools"> & {
  input: Item[];
  tools: OpenAI.Responses.FunctionTool[];
};

describeChatClient({
  title: "OpenAIClient",
  vendorName: "OpenAI",
  startVendor: startFakeOpenAIResponses,
  createClient: (options) => new VendorClient(openai, options),
  takesImages: true,
  malformedArguments: "both",
  marksErrors: false,
  forcesTools: true,
  needsKey: true,
  cutOffs: ["max_output_tokens", "content_filter"],
  countsCached: true,
  listedModels: ["gpt-fake-0", "gpt-fake-1"],
  toolNamesInRequest: (body: Body) => body.tools.map(({ name }) => name),
  schemasInRequest: (body: Body) => Object.fromEntries(body.tools.map((tool) => [tool.name, tool.parameters])),
  callsInRequest: (body: Body) =>
    listItems(body, "function_call").map(({ call_id, name, arguments: text }) => ({
      callId: call_id,
      name,
      args: JSON.parse(text),
    })),
  resultsInRequest: (body: Body) =>
    listItems(body, "function_call_output").map(({ call_id, output }) => {
      const text =
        typeof output === "string" ? output : output.map((part) => ("text" in part ? part.text : "")).join("\n");
      return { callId: call_id as string, text, isError: text.startsWith("Error:") };
    }),
  toolChoiceInRequest: ({ tool_choice }: Body) => {
    if (typeof tool_choice === "string") return tool_choice;
    return tool_choice?.type === "function" ? { name: tool_choice.name } : "none";
  },
  systemInRequest: (body: Body) => body.instructions ?? "",
  maxOutputTokensInRequest: (body: Body) => body.max_output_tokens ?? undefined,
});

describe("OpenAIClient", () => {
  let vendor: FakeVendor;
  beforeEach(async () => {
    vendor = await startFakeOpenAIResponses();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await vendor.close();
  });
  const client = (apiKey: string | null = "key-for-tests") =>
    new VendorClient(openai, { apiKey, baseUrl: vendor.url, retry: { sleep: async () => undefined } });
  async function sent(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<Body> {
    vendor.script([{ kind: "text", text: "Good." }]);
    await ask(client(), "whole", messages, options);
    return lastBody(vendor);
  }

  it("leaves optional parameters optional: `strict` is false, not absent, and nothing is stored", async () => {
    const body = await sent([user("Hello")], { tools: [WEATHER], parallelToolCalls: false, maxOutputTokens: 1 });
    expect(body.tools).toMatchObject([{ type: "function", name: "get_weather", strict: false }]);
    expect(body).toMatchObject({ store: false, parallel_tool_calls: false, max_output_tokens: 16 });
    expect(body.include).toEqual(["reasoning.encrypted_content"]);
  });

  it.each(MODES)("gives reasoning back unchanged, before its call (%s)", async (mode) => {
    vendor.script([{ kind: "calls", calls: [{ name: "get_weather", args: {} }], reasoning: "Where is it?" }]);
    const { response, updates } = await ask(client(), mode, [user("Weather?")], { tools: [WEATHER] });
    expect(response.messages[0]?.contents[0]).toEqual({ type: "reasoning", text: "Where is it?" });
    if (mode === "streaming") expect(updates[0]).toEqual({ type: "reasoning", text: "Where " });
    const body = await sent([user("Weather?"), ...response.messages], { tools: [WEATHER] });
    expect(body.input.slice(1, 3)).toMatchObject([
      { type: "reasoning", encrypted_content: FAKE_ENCRYPTED, summary: [{ text: "Where is it?" }] },
      { type: "function_call", call_id: callsIn(response)[0]?.callId },
    ]);
  });

  it("sends no reasoning that nothing of the model's follows, which the vendor refuses", async () => {
    const reasoning = {
      type: "provider" as const,
      provider: "openai",
      value: { type: "reasoning", id: "rs_1", summary: [] },
    };
    const body = await sent([user("Hi"), { role: "assistant", contents: [reasoning] }, user("Go on")]);
    expect(body.input).toEqual([
      { role: "user", content: "Hi" },
      { role: "user", content: "Go on" },
    ]);
  });

  it.each(MODES)(
    "AGT-10 a stored answer names its conversation, and the next request sends only what is new (%s)",
    async (mode) => {
      vendor.script([{ kind: "calls", calls: [{ name: "get_weather", args: { city: "Oslo" } }] }]);
      const first = await ask(client(), mode, [user("Weather?")], { tools: [WEATHER], storeConversation: true });
      const { conversationId, responseId } = first.response;
      expect(conversationId).toBe(responseId);
      expect(lastBody(vendor)).toMatchObject({ store: true });
      expect(lastBody(vendor)).not.toHaveProperty("include");
      const callId = callsIn(first.response)[0]?.callId ?? "";
      vendor.script([{ kind: "text", text: "Rain." }]);
      const news: ChatMessage[] = [{ role: "tool", contents: [result(callId, "get_weather", "rain")] }];
      const options = { tools: [WEATHER], conversationId: conversationId ?? "", instructions: "Be brief." };
      const second = await ask(client(), mode, news, options);
      expect(lastBody(vendor)).toMatchObject({
        previous_response_id: conversationId,
        store: true,
        instructions: "Be brief.",
        input: [{ type: "function_call_output", call_id: callId, output: "rain" }],
      });
      expect(second.response.conversationId).toBe(second.response.responseId);
      expect(second.response.conversationId).not.toBe(conversationId);
    },
  );

  it("AGT-10 an answer that was not stored names no conversation", async () => {
    vendor.script([{ kind: "text", text: "Good." }]);
    const { response } = await ask(client(), "whole", [user("Hello")]);
    expect(response).not.toHaveProperty("conversationId");
  });

  it("OUT-02 an image in a result is part of its call's output", async () => {
    const image = { type: "media" as const, kind: "image" as const, mimeType: "image/png", data: PNG, bytes: 70 };
    const sound = { ...image, kind: "audio" as const, mimeType: "audio/wav" };
    const items = [{ type: "text" as const, text: "A chart." }, image, sound];
    const body = await sent([
      user("Draw"),
      { role: "assistant", contents: [call("c1", "draw", {})] },
      { role: "tool", contents: [{ ...result("c1", "draw", "A chart."), items }] },
    ]);
    expect(listItems(body, "function_call_output")[0]?.output).toEqual([
      { type: "input_text", text: "A chart." },
      { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PNG}` },
      { type: "input_text", text: "[audio audio/wav, 70 bytes: left out]" },
    ]);
  });

  it.each([
    ["temperature", "Unsupported parameter: 'temperature' is not supported with this model."],
    ["include", "Encrypted content is not supported with this model."],
    ["reasoning", "Your organization must be verified to generate reasoning summaries."],
  ])("sends a request without its %s where the model refuses it, then and later", async (part, message) => {
    const asked = client();
    vendor.script([
      { kind: "status", status: 400, message },
      { kind: "text", text: "A" },
      { kind: "text", text: "B" },
    ]);
    for (const text of ["one", "two"]) {
      const { response } = await ask(asked, "streaming", [user(text)], { temperature: 0.2 });
      expect(response.finishReason).toBe("stop");
    }
    expect(vendor.requests.map(({ body }) => part in body)).toEqual([true, false, false]);
  });

  it.each(["Invalid 'input'.", "Invalid 'temperature': decimal above maximum value. Expected a value <= 2."])(
    "a request that is refused otherwise is an error at once: %s",
    async (message) => {
      vendor.script([{ kind: "status", status: 400, message }]);
      const asked = ask(client(), "whole", [user("Hi")], { temperature: 3 });
      await expect(asked).rejects.toMatchObject({ kind: "bad_request" });
      expect(vendor.requests).toHaveLength(1);
    },
  );

  it("says `refusal` where a filter stopped the answer", async () => {
    vendor.script([{ kind: "stop_reason", reason: "content_filter", text: "Well" }]);
    const { response } = await ask(client(), "streaming", [user("Hello")]);
    expect(response).toMatchObject({ finishReason: "refusal", finishDetail: "content_filter" });
  });

  it("sends nothing of the environment's: no key, no organisation", async () => {
    vi.stubEnv("OPENAI_API_KEY", "key-of-the-environment");
    vi.stubEnv("OPENAI_ADMIN_KEY", "admin-of-the-environment");
    vi.stubEnv("OPENAI_ORG_ID", "org-of-the-environment");
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1/of-the-environment");
    vendor.script([{ kind: "status", status: 401 }]);
    await expect(client(null).getResponse([user("Hello")], { model: "m" })).rejects.toThrow(
      "OpenAI requires an API key (HTTP 401). Give this provider its key.",
    );
    expect(JSON.stringify(vendor.requests[0]?.headers)).not.toContain("of-the-environment");
    expect(vendor.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it.each([
    [{ type: "response.failed", response: { error: { code: "server_error", message: "It broke." } } }, "unexpected"],
    [{ type: "error", code: "context_length_exceeded", message: "Too long." }, "context_length"],
    [{ type: "error", code: "rate_limit_exceeded", message: "Slow down." }, "rate_limit"],
    [{ type: "response.created", response: {} }, "connection"],
  ])("understands the last event %j as %s", async (event, kind) => {
    const fetch = async () =>
      new Response(`data: ${JSON.stringify(event)}\n\n`, { headers: { "content-type": "text/event-stream" } });
    const broken = new VendorClient(openai, { apiKey: "k", baseUrl: vendor.url, retry: { maxAttempts: 1 }, fetch });
    await expect(ask(broken, "streaming", [user("Hi")])).rejects.toMatchObject({ kind });
  });
});

function listItems<Type extends Item["type"]>({ input }: Body, type: Type): Extract<Item, { type: Type }>[] {
  return input.filter((item): item is Extract<Item, { type: Type }> => item.type === type);
}
