import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ChatRequest, Message, ToolCall } from "ollama";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChatMessage, ChatOptions, MediaContent } from "../../lib/contract/chat";
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
import { startFakeOllama } from "./fake-vendors/ollama.test-support";
import { ollama } from "./ollama/ollama";
import { VendorClient } from "./vendor-client";

type Sent = Omit<Message, "images" | "tool_calls"> & {
  tool_call_id?: string;
  images?: string[];
  tool_calls?: (ToolCall & { id?: string })[];
};
type Body = Omit<ChatRequest, "messages"> & { messages: Sent[] };

describeChatClient({
  title: "OllamaClient",
  vendorName: "Ollama",
  startVendor: startFakeOllama,
  createClient: (options) => new VendorClient(ollama, options),
  takesImages: true,
  malformedArguments: "never",
  marksErrors: false,
  forcesTools: false,
  needsKey: false,
  refuses: false,
  cutOffs: ["length"],
  countsCached: false,
  listedModels: ["another:8b", "fake:latest"],
  toolNamesInRequest: ({ tools }: Body) => (tools ?? []).map((tool) => tool.function.name ?? ""),
  schemasInRequest: ({ tools }: Body) =>
    Object.fromEntries((tools ?? []).map((tool) => [tool.function.name, tool.function.parameters])),
  callsInRequest: ({ messages }: Body) =>
    messages
      .flatMap(({ tool_calls = [] }) => tool_calls)
      .map(({ id, function: called }) => ({ callId: id ?? null, name: called.name, args: called.arguments })),
  resultsInRequest: ({ messages }: Body) =>
    messages
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id, content }) => ({
        callId: tool_call_id ?? null,
        text: content,
        isError: content.startsWith("Error:"),
      })),
  toolChoiceInRequest: ({ tools }: Body) => (tools ? "auto" : "none"),
  systemInRequest: ({ messages }: Body) => messages.find(({ role }) => role === "system")?.content ?? "",
  maxOutputTokensInRequest: ({ options }: Body) => options?.num_predict,
});

describe("OllamaClient", () => {
  let vendor: FakeVendor;
  beforeEach(async () => {
    vendor = await startFakeOllama();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await vendor.close();
  });
  const client = (apiKey: string | null = null, baseUrl = vendor.url) =>
    new VendorClient(ollama, { apiKey, baseUrl, retry: { sleep: async () => undefined } });
  async function sent(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<Body> {
    vendor.script([{ kind: "text", text: "Good." }]);
    await ask(client(), "whole", messages, options);
    return lastBody(vendor);
  }
  const image = (data: string): MediaContent => ({
    type: "media",
    kind: "image",
    mimeType: "image/png",
    data,
    bytes: 70,
  });

  it.each(MODES)("gives thoughts back with the call that they led to, and nowhere else (%s)", async (mode) => {
    const calls = [{ name: "get_weather", args: {} }];
    vendor.script([
      { kind: "calls", calls, reasoning: "Where is it?" },
      { kind: "text", text: "Hm.", reasoning: "Idle." },
    ]);
    const { response } = await ask(client(), mode, [user("Weather?")], { tools: [WEATHER] });
    expect(response.messages[0]?.contents[0]).toEqual({ type: "reasoning", text: "Where is it?" });
    const idle = await ask(client(), mode, [user("Hello")]);
    const body = await sent([user("Weather?"), ...response.messages, ...idle.response.messages]);
    expect(body.messages.map(({ thinking }) => thinking)).toEqual([undefined, "Where is it?", undefined, undefined]);
    expect(body.messages[2]).toMatchObject({ tool_name: "get_weather", tool_call_id: callsIn(response)[0]?.callId });
  });

  it("leaves the tools out for `none`, and sends a named tool alone", async () => {
    const tools = [WEATHER, { ...WEATHER, name: "other" }];
    expect(await sent([user("Hi")], { tools, toolChoice: "none" })).not.toHaveProperty("tools");
    const named = await sent([user("Hi")], { tools, toolChoice: { name: "other" } });
    expect(named.tools?.map((tool) => tool.function.name)).toEqual(["other"]);
  });

  it("says with the tool what its parameters as a whole say, which the server drops", async () => {
    const parameters = { description: "Either way.", properties: { a: true, b: { const: 1 } } };
    const body = await sent([user("Hi")], {
      tools: [{ ...WEATHER, parameters }],
      temperature: 0.3,
      stopSequences: ["END"],
    });
    expect(body.tools?.[0]?.function).toMatchObject({
      description: "The weather of a city.\nParameters: Either way.",
      parameters: { type: "object", properties: { a: {}, b: { enum: [1] } } },
    });
    expect(body.options).toEqual({ temperature: 0.3, stop: ["END"] });
  });

  it("OUT-02 images of results follow in a message of the user's", async () => {
    const items = [image(PNG), { ...image(PNG), mimeType: "image/gif" }];
    const body = await sent([
      user("Draw"),
      { role: "assistant", contents: [call("c1", "draw", {})] },
      { role: "tool", contents: [{ ...result("c1", "draw", "Drawn."), items }] },
    ]);
    expect(body.messages.slice(2)).toEqual([
      { role: "tool", tool_name: "draw", tool_call_id: "c1", content: "Drawn." },
      { role: "user", content: expect.stringContaining("images"), images: [PNG] },
    ]);
  });

  it("OUT-02 an image's data is never taken for the name of a file", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "ollama-client-"));
    const file = path.join(folder, "secret");
    writeFileSync(file, "the secret of the file");
    const body = await sent([{ role: "user", contents: [image(file)] }]);
    expect(Buffer.from(body.messages[0]?.images?.[0] ?? "", "base64").toString()).not.toContain("secret of");
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["load", "other"],
    ["stop", "stop"],
  ])("understands the reason %s as %s", async (reason, finishReason) => {
    vendor.script([{ kind: "stop_reason", reason, text: "Well" }]);
    const { response } = await ask(client(), "streaming", [user("Hello")]);
    expect(response.finishReason).toBe(finishReason);
  });

  it("sends the key, or the name and password of the address, and nothing of the environment's", async () => {
    vi.stubEnv("OLLAMA_API_KEY", "key-of-the-environment");
    const asked = async (ollama: VendorClient) => {
      vendor.script([{ kind: "text", text: "Good." }]);
      await ask(ollama, "whole", [user("Hi")]);
      return vendor.requests.at(-1)?.headers.authorization;
    };
    expect(await asked(client())).toBeUndefined();
    expect(await asked(client("a-key"))).toBe("Bearer a-key");
    const named = vendor.url.replace("//", "//ann:p%40ss@");
    expect(await asked(client(null, `${named}/api/`))).toBe(`Basic ${Buffer.from("ann:p@ss").toString("base64")}`);
  });

  it.each([
    ["<html>a proxy</html>\n", "protocol"],
    ['{"message":{"content":"a"},"done":false}\n', "connection"],
    ['\n\n{"message":{"content":"a"},"done":true}', null],
  ])("understands the lines %j, and writes none of them to the console", async (lines, kind) => {
    const written = ["log", "warn", "error"].map((name) => vi.spyOn(console, name as "log"));
    const fetch = async () => new Response(lines);
    const retry = { maxAttempts: 1 };
    const answer = ask(new VendorClient(ollama, { apiKey: null, baseUrl: vendor.url, retry, fetch }), "streaming", [
      user("Hi"),
    ]);
    if (kind === null) expect((await answer).response.finishReason).toBe("stop");
    else await expect(answer).rejects.toMatchObject({ kind });
    for (const spy of written) expect(spy).not.toHaveBeenCalled();
  });
});
