import type { ToolDefinition } from "@/lib/contract/tool-definition";
import { requiredDefaults } from "@/lib/schema/required-defaults";

/**
 * The arguments that the form of a tool starts with. Servers often require a parameter and give it a default in the same
 * breath, so for their tools it is filled in: a person sees it and it is sent as written. Own tools start empty.
 */
export function firstArguments({ implementation, parameters }: ToolDefinition): string {
  return JSON.stringify(implementation.type === "mcp" ? requiredDefaults(parameters) : {});
}
