import type { ChatTool } from "./contract/chat";
import type { ToolDefinition } from "./contract/tool-definition";
import { toSentDescription } from "./contract/tool-facts";
import { portableName } from "./portable-name";

/** A tool as a model is offered it. Providers get a successor under its portable name, as they get the tools. */
export function toChatTool(definition: ToolDefinition): ChatTool {
  const { name, parameters } = definition;
  return { name, description: toSentDescription(definition, portableName), parameters };
}
