import type { ModelConnection, ModelConnectionSettings } from "../../engine/chat-ports";
import { AnthropicClient } from "./anthropic-client";
import { DemoClient } from "./demo-client";
import { GeminiClient } from "./gemini-client";
import { OllamaClient } from "./ollama-client";
import { OpenAIClient } from "./openai-client";
import { OpenAICompatibleClient } from "./openai-compatible-client";

/** The client that speaks this kind of provider's API. Nothing is asked yet. */
export function createModelConnection({ kind, apiKey, baseUrl }: ModelConnectionSettings): ModelConnection {
  const options = { apiKey, baseUrl };
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
