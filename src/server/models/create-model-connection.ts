import type { ModelConnection, ModelConnectionSettings, ResponseLimits } from "../engine/agent/chat-ports";
import type { OutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import { AnthropicClient } from "./anthropic-client";
import { DemoClient } from "./demo-client";
import { GeminiClient } from "./gemini-client";
import { OllamaClient } from "./ollama-client";
import { OpenAIClient } from "./openai-client";
import { OpenAICompatibleClient } from "./openai-compatible-client";

/** Sends no request. */
export function createModelConnection(
  { kind, apiKey, baseUrl }: ModelConnectionSettings,
  limits?: ResponseLimits,
  fetch?: OutgoingFetch,
): ModelConnection {
  const options = { apiKey, baseUrl, limits, fetch };
  switch (kind) {
    case "anthropic":
      return new AnthropicClient(options);
    case "openai":
      return new OpenAIClient(options);
    case "openai-compatible":
      return new OpenAICompatibleClient(options);
    case "gemini":
      return new GeminiClient(options);
    case "ollama":
      return new OllamaClient(options);
    case "demo":
      return new DemoClient();
  }
}
