/** How people call an implementation type; its own word but for `mcp`, which is an abbreviation. */
export function formatImplementation(type: string): string {
  return type === "mcp" ? "MCP" : type;
}
