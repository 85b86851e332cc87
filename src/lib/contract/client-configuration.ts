/** A configuration for a program that uses Toolroom as its MCP server. */
export interface ClientConfiguration {
  client: "claude-code" | "claude-desktop" | "cursor" | "vscode" | "goose" | "http" | "stdio" | "inspector";
  label: string;
  transport: "http" | "stdio";
  /** Where the text goes. */
  place: string;
  language: "json" | "shell" | "yaml";
  text: string;
}
