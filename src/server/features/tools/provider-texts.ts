import { PROVIDERS, type Provider, type ToolDefinition } from "../../../lib/contract";
import type { ToWireFormat } from "../../engine/agent/chat-ports";

export interface ProviderText {
  provider: Provider;
  text: string;
  notes: string[];
}

/** A tool exactly as each model provider is sent it, and what is lost on the way. */
export function providerTexts(definition: ToolDefinition, wireFormat: ToWireFormat): ProviderText[] {
  return PROVIDERS.map((provider) => {
    const { tool, notes } = wireFormat(provider, definition);
    return { provider, text: JSON.stringify(tool, null, 2), notes };
  });
}
