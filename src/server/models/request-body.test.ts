import { expect, it } from "vitest";
import type { Provider } from "../../lib/contract/tool-definition";
import type { ModelConnection } from "../engine/agent/chat-ports";
import { anthropic } from "./anthropic/anthropic";
import { ask, KEY, lastBody, user, WEATHER } from "./chat-client-suite/suite-bench.test-support";
import { startFakeAnthropic } from "./fake-vendors/anthropic.test-support";
import { startFakeGemini } from "./fake-vendors/gemini.test-support";
import { startFakeOllama } from "./fake-vendors/ollama.test-support";
import { startFakeOpenAIResponses } from "./fake-vendors/openai-responses.test-support";
import type { FakeVendor } from "./fake-vendors/vendor-server.test-support";
import { gemini } from "./gemini/gemini";
import { ollama } from "./ollama/ollama";
import { openai } from "./openai/responses";
import type { ChatClientOptions } from "./vendor-client";
import { VendorClient } from "./vendor-client";
import { requestBody } from "./wire-format";

const VENDORS: [Provider, () => Promise<FakeVendor>, (options: ChatClientOptions) => ModelConnection][] = [
  ["openai", startFakeOpenAIResponses, (options) => new VendorClient(openai, options)],
  ["anthropic", startFakeAnthropic, (options) => new VendorClient(anthropic, options)],
  ["gemini", startFakeGemini, (options) => new VendorClient(gemini, options)],
  ["ollama", startFakeOllama, (options) => new VendorClient(ollama, options)],
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
