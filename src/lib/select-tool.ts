import type { ToolsetInput } from "./contract/toolset";

export type ToolsetSelection = Pick<ToolsetInput, "tools" | "patterns" | "servers">;

/** Whether a toolset selects a tool. @param server null for a tool that belongs to none */
export function selectsTool(
  { tools, patterns, servers }: ToolsetSelection,
  name: string,
  server: string | null,
): boolean {
  if (tools.includes(name) || (server !== null && servers.includes(server))) return true;
  return patterns.some((pattern) => matchesPattern(pattern, name));
}

/** `*` matches any characters, `?` matches one. Linear in the name for each star, since patterns come from users. */
export function matchesPattern(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
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
