import type { ClientConfiguration } from "../../../lib/contract";

/**
 * Ready configurations for programs that shall use this Toolroom as their MCP server.
 * @param origin where the console is open, such as `http://127.0.0.1:3000`
 * @param server only this server's tools; null for the whole catalogue
 */
export function clientConfigurations(origin: string, rootDir: string, server: string | null): ClientConfiguration[] {
  const url = `${origin}/mcp${server === null ? "" : `/${encodeURIComponent(server)}`}`;
  const name = server === null ? "toolroom" : `toolroom-${server}`;
  const args = ["--prefix", rootDir, "run", "-s", "mcp", ...(server === null ? [] : ["--", "--server", server])];
  const stdio = { command: "npm", args };
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  return [
    {
      client: "claude-code",
      label: "Claude Code",
      transport: "http",
      place: "Run in a terminal",
      language: "shell",
      text: `claude mcp add --transport http ${name} ${url}`,
    },
    {
      client: "claude-code",
      label: "Claude Code",
      transport: "stdio",
      place: "Run in a terminal",
      language: "shell",
      text: `claude mcp add ${name} -- ${[stdio.command, ...args].map(shellWord).join(" ")}`,
    },
    {
      client: "claude-desktop",
      label: "Claude Desktop",
      transport: "stdio",
      place: "claude_desktop_config.json (Settings → Developer → Edit Config)",
      language: "json",
      text: json({ mcpServers: { [name]: stdio } }),
    },
    {
      client: "cursor",
      label: "Cursor",
      transport: "http",
      place: ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
      language: "json",
      text: json({ mcpServers: { [name]: { url } } }),
    },
    {
      client: "cursor",
      label: "Cursor",
      transport: "stdio",
      place: ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
      language: "json",
      text: json({ mcpServers: { [name]: stdio } }),
    },
    {
      client: "vscode",
      label: "VS Code",
      transport: "http",
      place: ".vscode/mcp.json in the workspace",
      language: "json",
      text: json({ servers: { [name]: { type: "http", url } } }),
    },
    {
      client: "vscode",
      label: "VS Code",
      transport: "stdio",
      place: ".vscode/mcp.json in the workspace",
      language: "json",
      text: json({ servers: { [name]: { type: "stdio", ...stdio } } }),
    },
    {
      client: "inspector",
      label: "MCP Inspector",
      transport: "http",
      place: "Run in a terminal",
      language: "shell",
      text: `npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list`,
    },
    {
      client: "inspector",
      label: "MCP Inspector",
      transport: "stdio",
      place: "Run in a terminal",
      language: "shell",
      text: `npx @modelcontextprotocol/inspector --cli ${[stdio.command, ...args].map(shellWord).join(" ")} --method tools/list`,
    },
  ];
}

function shellWord(word: string): string {
  return /^[A-Za-z0-9_/.:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
