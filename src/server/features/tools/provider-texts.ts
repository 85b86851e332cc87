import { PROVIDERS, type Provider, type ToolDefinition } from "../../../lib/contract";
import { convertTool, portabilityNotes } from "../../engine/provider-formats";

export interface ProviderText {
  provider: Provider;
  text: string;
  notes: string[];
}

/** A tool as each model provider is told of it, and what is lost on the way. */
export function providerTexts(definition: ToolDefinition): ProviderText[] {
  return PROVIDERS.map((provider) => ({
    provider,
    text: JSON.stringify(convertTool(provider, definition), null, 2),
    notes: portabilityNotes(provider, definition),
  }));
}
