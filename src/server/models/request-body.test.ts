import { expect, it } from "vitest";
import type { Provider } from "../../lib/contract/tool-definition";
import type { ModelConnection } from "../engine/agent/chat-ports";
import { AnthropicClient } from "./anthropic-client";
import { ask, KEY, lastBody, user, WEATHER } from "./chat-client-suite/suite-bench.test-support";
import { startFakeAnthropic } from "./fake-vendors/anthropic.test-support";
import { startFakeGemini } from "./fake-vendors/gemini.test-support";
import { startFakeOllama } from "./fake-vendors/ollama.test-support";
import { startFakeOpenAIResponses } from "./fake-vendors/openai-responses.test-support";
import type { FakeVendor } from "./fake-vendors/vendor-server.test-support";
import { GeminiClient } from "./gemini-client";
import { OllamaClient } from "./ollama-client";
import { OpenAIClient } from "./openai-client";
import { requestBody } from "./request-body";
import type { ChatClientOptions } from "./vendor-client";

const VENDORS: [Provider, () => Promise<FakeVendor>, (options: ChatClientOptions) => ModelConnection][] = [
  ["openai", startFakeOpenAIResponses, (options) => new OpenAIClient(options)],
  ["anthropic", startFakeAnthropic, (options) => new AnthropicClient(options)],
  ["gemini", startFakeGemini, (options) => new GeminiClient(options)],
  ["ollama", startFakeOllama, (options) => new OllamaClient(options)],
];

it.each(VENDORS)("the request body shown for %s is what its client sends", async (provider, start, create) => {
  const vendor = await start();
  try {
    vendor.script([{ kind: "text", text: "Good." }]);
    const client = create({ apiKey: KEY, baseUrl: vendor.url });
    await ask(client, "streaming", [user("Hello")], { tools: [WEATHER], model: "fake-model" });
    const shown = requestBody(provider, WEATHER, { model: "fake-model", message: "Hello" });
    expect(JSON.parse(JSON.stringify(shown))).toEqual(lastBody(vendor));
  } finally {
    await vendor.close();
  }
});
