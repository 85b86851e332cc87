import { expect, it } from "vitest";
import { MODEL_PROVIDER_KINDS } from "../../lib/contract/model";
import { createModelConnection } from "./create-model-connection";

it("AGT-12 makes a client of its own class for each kind of provider", () => {
  const settings = { apiKey: "key-for-tests", baseUrl: "http://127.0.0.1:9" };
  const names = MODEL_PROVIDER_KINDS.map((kind) => createModelConnection({ kind, ...settings }).constructor.name);
  expect(names).toEqual([
    "AnthropicClient",
    "OpenAIClient",
    "OpenAICompatibleClient",
    "GeminiClient",
    "OllamaClient",
    "DemoClient",
  ]);
});

it("makes a client without a key and without an address", () => {
  for (const kind of MODEL_PROVIDER_KINDS) {
    expect(() => createModelConnection({ kind, apiKey: null, baseUrl: null })).not.toThrow();
  }
});
