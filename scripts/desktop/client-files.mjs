import path from "node:path";

/**
 * Configurations of five clients as users have them: a byte order mark, comments, tabs, CRLF, a trailing comma.
 * @param {string} home @param {NodeJS.Platform} platform @param {string} program of a server, with its arguments
 * @returns {Map<string, string>} texts by file
 */
export function writeClientTexts(home, platform, program) {
  const apps =
    platform === "win32"
      ? path.join(home, "AppData/Roaming")
      : path.join(home, platform === "darwin" ? "Library/Application Support" : ".config");
  const goose = platform === "win32" ? path.join(apps, "Block/goose/config") : path.join(home, ".config/goose");
  const json = JSON.stringify(program);
  return new Map([
    [
      path.join(apps, "Claude/claude_desktop_config.json"),
      `\ufeff{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t\t"claude-probe": { "command": "node", "args": [${json}] }\r\n\t}\r\n}\r\n`,
    ],
    [
      path.join(home, ".cursor/mcp.json"),
      `// mine\n{\n  "mcpServers": {\n    "cursor-probe": { "command": "node", "args": [${json}] }, // all of it\n  },\n}`,
    ],
    [
      path.join(apps, "Code/User/mcp.json"),
      `{\n\t"servers": {\n\t\t"code-probe": {\n\t\t\t"type": "stdio",\n\t\t\t"command": "node",\n\t\t\t"args": [${json}]\n\t\t}\n\t},\n\t"inputs": []\n}\n`,
    ],
    [
      path.join(home, ".codex/config.toml"),
      `model = "o4" # mine\r\n\r\n[mcp_servers.codex-probe]\r\ncommand = "node"\r\nargs = [${json}]\r\n\r\n[tui]\r\ntheme = 'dark'\r\n`,
    ],
    [
      path.join(goose, "config.yaml"),
      `# mine\nGOOSE_MODEL: o4\nextensions:\n  goose-probe:\n    type: stdio\n    name: goose-probe\n    cmd: node\n    args: [${json}]\n    enabled: true\n    timeout: 300\n`,
    ],
  ]);
}
