import type OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChatMessage, ChatOptions } from "../../lib/contract/chat";
import { ask, call, lastBody, MODES, PNG, result, user, WEATHER } from "./chat-client-suite/suite-bench.test-support";
import { describeChatClient, type FakeVendor } from "./chat-client-suite.test-support";
import { startFakeOpenAIChat } from "./fake-vendors/openai-chat.test-support";
import { openaiCompatible } from "./openai/completions";
import { VendorClient } from "./vendor-client";

type Body = Omit<OpenAI.Chat.ChatCompletionCreateParams, "tools"> & {
  tools?: OpenAI.Chat.ChatCompletionFunctionTool[];
};

describeChatClient({
  title: "OpenAICompatibleClient",
  vendorName: "127.0.0.1",
  startVendor: startFakeOpenAIChat,
  createClient: (options) => new VendorClient(openaiCompatible, options),
  takesImages: true,
  malformedArguments: "both",
  marksErrors: false,
  forcesTools: true,
  needsKey: false,
  cutOffs: ["length", "content_filter", "error"],
  countsCached: true,
  propertyNames: /^[a-zA-Z0-9_.-]{1,64}$/,
  listedModels: ["fake-chat-0", "fake-chat-1"],
  toolNamesInRequest: ({ tools = [] }: Body) => tools.map((tool) => tool.function.name),
  schemasInRequest: ({ tools = [] }: Body) =>
    Object.fromEntries(tools.map((tool) => [tool.function.name, tool.function.parameters])),
  callsInRequest: ({ messages }: Body) =>
    messages
      .flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []))
      .flatMap((each) =>
        each.type === "function"
          ? [{ callId: each.id, name: each.function.name, args: JSON.parse(each.function.arguments) }]
          : [],
      ),
  resultsInRequest: ({ messages }: Body) =>
    messages
      .filter((message) => message.role === "tool")
      .map(({ tool_call_id, content }) => {
        const text = String(content);
        return { callId: tool_call_id, text, isError: text.startsWith("Error:") };
      }),
  toolChoiceInRequest: ({ tools, tool_choice: choice }: Body) => {
    if (typeof choice === "object") return choice.type === "function" ? { name: choice.function.name } : "none";
    return choice ?? (tools ? "auto" : "none");
  },
  systemInRequest: ({ messages }: Body) => String(messages.find(({ role }) => role === "system")?.content ?? ""),
  maxOutputTokensInRequest: (body: Body) => body.max_tokens ?? undefined,
});

describe("OpenAICompatibleClient", () => {
  let vendor: FakeVendor;
  beforeEach(async () => {
    vendor = await startFakeOpenAIChat();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await vendor.close();
  });
  const client = (apiKey: string | null = null, baseUrl: string | null = vendor.url) =>
    new VendorClient(openaiCompatible, { apiKey, baseUrl, retry: { sleep: async () => undefined } });
  async function sent(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<Body> {
    vendor.script([{ kind: "text", text: "Good." }]);
    await ask(client(), "whole", messages, options);
    return lastBody(vendor);
  }
  const drawn = (...mimeTypes: string[]): ChatMessage[] => [
    user("Draw"),
    { role: "assistant", contents: [call("c1", "draw", {}), call("c2", "draw", {})] },
    {
      role: "tool",
      contents: [
        {
          ...result("c1", "draw", "Drawn."),
          items: mimeTypes.map((mimeType) => ({ type: "media", kind: "image", mimeType, data: PNG, bytes: 70 })),
        },
        result("c2", "draw", "Nothing."),
      ],
    },
  ];

  it("OUT-02 images of results follow in a message of the user's, after all results of the turn", async () => {
    const { messages } = await sent(drawn("image/png", "image/tiff"));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    expect(messages[2]).toEqual({ role: "tool", tool_call_id: "c1", content: "Drawn." });
    expect(messages[4]?.content).toEqual([
      { type: "text", text: expect.stringContaining("images") },
      { type: "text", text: "draw (call c1):" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
    ]);
  });

  it("OUT-02 a model that takes no images is asked again with the text alone", async () => {
    const picture = { type: "media" as const, kind: "image" as const, mimeType: "image/png", data: PNG, bytes: 70 };
    vendor.script([
      { kind: "status", status: 500, message: "image input is not supported - hint: you may need the mmproj" },
      { kind: "text", text: "Good." },
    ]);
    await ask(client(), "streaming", [...drawn("image/png"), { role: "user", contents: [picture] }]);
    expect(vendor.requests).toHaveLength(2);
    const body: Body = lastBody(vendor);
    expect(JSON.stringify(body)).not.toContain(PNG);
    expect(body.messages.at(-1)).toEqual({ role: "user", content: "[image image/png, 70 bytes: left out]" });
  });

  it("fails where the images that are refused are required", async () => {
    const picture = { type: "media" as const, kind: "image" as const, mimeType: "image/png", data: PNG, bytes: 70 };
    vendor.script([{ kind: "status", status: 400, message: "image input is not supported" }]);
    const asked = ask(client(), "whole", [{ role: "user", contents: [picture] }], { requireMedia: true });
    await expect(asked).rejects.toThrow("image input is not supported");
    expect(vendor.requests).toHaveLength(1);
  });

  it.each([
    ["stream_options", "Unrecognized request argument supplied: stream_options"],
    ["parallel_tool_calls", "Unknown parameter: 'parallel_tool_calls'."],
    ["max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."],
    ["stop", "Unsupported parameter: 'stop' is not supported with this model."],
  ])("sends a request without %s where the server refuses it, then and later", async (part, message) => {
    const compatible = client();
    vendor.script([
      { kind: "status", status: 422, message },
      { kind: "text", text: "A" },
      { kind: "text", text: "B" },
    ]);
    const options = { tools: [WEATHER], parallelToolCalls: false, maxOutputTokens: 50, stopSequences: ["END"] };
    for (const text of ["one", "two"]) await ask(compatible, "streaming", [user(text)], options);
    expect(vendor.requests.map(({ body }) => part in body)).toEqual([true, false, false]);
    if (part === "max_tokens") expect(lastBody(vendor).max_completion_tokens).toBe(50);
  });

  it.each(MODES)(
    "gives thoughts back with the calls that they led to, to the same endpoint only (%s)",
    async (mode) => {
      vendor.script([{ kind: "calls", calls: [{ name: "get_weather", args: {} }], reasoning: "Where is it?" }]);
      const { response } = await ask(client(), mode, [user("Weather?")], { tools: [WEATHER] });
      expect(response.messages[0]?.contents[0]).toEqual({ type: "reasoning", text: "Where is it?" });
      const history = [user("Weather?"), ...response.messages];
      expect((await sent(history)).messages[1]).toMatchObject({ reasoning_content: "Where is it?" });
      const elsewhere = await startFakeOpenAIChat();
      elsewhere.script([{ kind: "text", text: "Good." }]);
      await ask(client(null, elsewhere.url), "whole", history);
      expect(JSON.stringify(lastBody(elsewhere))).not.toContain("Where is it?");
      await elsewhere.close();
    },
  );

  it.each([
    ["llama.cpp", 500, "Expected 'content' to be a string or an array"],
    ["LM Studio", 400, "Invalid 'content': 'content' field must be a string or an array of objects."],
    ["mlx-lm", 500, "argument of type 'NoneType' is not iterable"],
    ["a schema", 422, "messages.1.content: Input should be a valid string, input: null"],
  ])("sends empty text beside calls where %s refuses null, then and later", async (_server, status, message) => {
    const compatible = client();
    const history = [
      user("Weather?"),
      { role: "assistant" as const, contents: [call("c1", "get_weather", {})] },
      { role: "tool" as const, contents: [result("c1", "get_weather", "Sun.")] },
    ];
    vendor.script([
      { kind: "status", status, message },
      { kind: "text", text: "A" },
      { kind: "text", text: "B" },
    ]);
    for (const mode of MODES) await ask(compatible, mode, history, { tools: [WEATHER] });
    const contents = vendor.requests.map(({ body }) => body.messages[1].content);
    expect(contents).toEqual([null, "", ""]);
  });

  it("takes the address in the forms that users copy, and says so when there is none", async () => {
    const bare = vendor.url.replace(/\/v1$/, "");
    for (const baseUrl of [`${vendor.url}/`, `${vendor.url}/chat/completions`, bare, `${bare}/`]) {
      vendor.script([{ kind: "text", text: "Good." }]);
      await ask(client(null, baseUrl), "whole", [user("Hi")]);
      expect(vendor.requests.at(-1)?.path).toBe("/v1/chat/completions");
    }
    await expect(client(null, null).getResponse([user("Hi")], { model: "m" })).rejects.toThrow("Give it its base URL");
  });

  it("sends the key, or the name and password of the address, and nothing of the environment's", async () => {
    for (const name of ["OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"]) {
      vi.stubEnv(name, "of-the-environment");
    }
    const asked = async (compatible: VendorClient) => {
      vendor.script([{ kind: "text", text: "Good." }]);
      await ask(compatible, "whole", [user("Hi")]);
      expect(JSON.stringify(vendor.requests.at(-1)?.headers)).not.toContain("of-the-environment");
      return vendor.requests.at(-1)?.headers.authorization;
    };
    expect(await asked(client())).toBeUndefined();
    expect(await asked(client("a-key"))).toBe("Bearer a-key");
    const basic = `Basic ${Buffer.from("ann:pass").toString("base64")}`;
    expect(await asked(client(null, vendor.url.replace("//", "//ann:pass@")))).toBe(basic);
  });
});
