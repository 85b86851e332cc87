import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getServerName } from "../../../lib/contract/tool-definition";
import type { ToolsetInput } from "../../../lib/contract/toolset";

type Selection = Pick<ToolsetInput, "tools" | "patterns" | "servers">;

/** Whether a toolset selects a tool. @param server null for a tool that belongs to none */
export function selectsTool({ tools, patterns, servers }: Selection, name: string, server: string | null): boolean {
  if (tools.includes(name) || (server !== null && servers.includes(server))) return true;
  return patterns.some((pattern) => matchesPattern(pattern, name));
}

/** In the order of the catalog. */
export function selectTools(selection: Selection, tools: readonly ToolDefinition[]): ToolDefinition[] {
  const names = new Set(selection.tools);
  return tools.filter(
    (tool) => names.has(tool.name) || selectsTool({ ...selection, tools: [] }, tool.name, getServerName(tool)),
  );
}

/** `*` stands for any characters, `?` for one. Linear in the name for each star, since patterns come from users. */
export function matchesPattern(pattern: string, name: string): boolean {
  let [at, star, retry] = [0, -1, 0];
  for (let position = 0; position < name.length; ) {
    if (pattern[at] === "*") {
      star = at;
      at += 1;
      retry = position;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[position])) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      retry += 1;
      position = retry;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
