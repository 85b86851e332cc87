import type { ChatTool } from "../../lib/contract/chat";
import type { Provider } from "../../lib/contract/tool-definition";
import { toAnthropicRequest } from "./anthropic/to-anthropic";
import { type ChatTurn, prepareTurn } from "./chat-turn";
import { toGeminiRequest } from "./gemini/to-gemini";
import { toOllamaRequest } from "./ollama/to-ollama";
import { toResponsesRequest } from "./openai/to-responses";

/** Stand for what a conversation fills in. */
const MODEL = "<model>";
const MESSAGE = "<message>";

/** The body of the first request of a conversation that offers one tool, as the provider's client sends it. */
export function requestBody(
  provider: Provider,
  { name, description, parameters }: ChatTool,
  { model = MODEL, message = MESSAGE } = {},
): unknown {
  const turn = prepareTurn(
    [{ role: "user", contents: [{ type: "text", text: message }] }],
    { model, tools: [{ name, description, parameters }] },
    { streaming: true, signal: new AbortController().signal, holdsConversations: false },
  );
  return buildBody(provider, turn);
}

function buildBody(provider: Provider, turn: ChatTurn): unknown {
  switch (provider) {
    case "openai":
      return { ...toResponsesRequest(turn, new Set()), stream: true };
    case "anthropic":
      return { ...toAnthropicRequest(turn), stream: true };
    case "gemini": {
      // The model is in the address; the SDK takes tools out of its `config`.
      const { contents, config } = toGeminiRequest(turn);
      return { contents, tools: config?.tools, toolConfig: config?.toolConfig, generationConfig: {} };
    }
    case "ollama":
      return { ...toOllamaRequest(turn), stream: true };
  }
}
