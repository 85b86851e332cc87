import type { ChatTool } from "../../lib/contract/chat";
import type { Provider } from "../../lib/contract/tool-definition";
import { PROVIDER_NAME_RULE } from "../../lib/name-rule";
import { conversionNotes } from "../../lib/schema/providers/conversion-notes";
import type { WireFormat } from "../engine/agent/chat-ports";
import { toolAliases } from "./tool-aliases";
import { toAnthropicTool, toGeminiDeclaration, toOllamaTool, toOpenAiTool } from "./wire-tools";

const NAMES: Record<Provider, string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Gemini",
  ollama: "Ollama",
};

/** A tool exactly as a provider's client sends it, and every difference from its definition. */
export function wireFormat(provider: Provider, { name, description, parameters }: ChatTool): WireFormat {
  const tool: ChatTool = { name, description, parameters };
  const aliases = toolAliases([], [tool]);
  const notes = conversionNotes(provider, NAMES[provider], parameters);
  const alias = aliases.aliasOf(name);
  if (alias !== name) {
    notes.unshift(`The name is sent as ${alias}. ${PROVIDER_NAME_RULE}`);
  }
  return { tool: wireTool(provider, tool, aliases), notes };
}

function wireTool(provider: Provider, tool: ChatTool, aliases: ReturnType<typeof toolAliases>): unknown {
  switch (provider) {
    case "openai":
      return toOpenAiTool(tool, aliases);
    case "anthropic":
      return toAnthropicTool(tool, aliases);
    case "gemini":
      return { functionDeclarations: [toGeminiDeclaration(tool, aliases)] };
    case "ollama":
      return toOllamaTool(tool, aliases);
  }
}
