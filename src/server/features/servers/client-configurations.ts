import path from "node:path";
import type { ClientConfiguration } from "../../../lib/contract/client-configuration";

const TERMINAL = "Run in a terminal";
const CURSOR_FILE = ".cursor/mcp.json in the project, or ~/.cursor/mcp.json";
const VSCODE_FILE = ".vscode/mcp.json in the workspace";
const GOOSE_FILE = "~/.config/goose/config.yaml";

/** The part of the catalog that a client gets; all of it where nothing is named. */
export interface ServedPart {
  server?: string | undefined;
  toolset?: string | undefined;
}

/** The command that serves the catalog over stdio, with options such as `--server <name>`. */
export type BridgeCommand = (options: readonly string[]) => { command: string; args: string[] };

/** @param folder of a clone */
export function createCloneBridge(folder: string): BridgeCommand {
  const start = ["--prefix", folder, "run", "-s", "mcp"];
  return (options) => ({ command: "npm", args: options.length === 0 ? start : [...start, "--", ...options] });
}

/**
 * By full paths: programs that a person starts from a desktop may not find Node, or another version of it.
 * @param home the folder of the installed package
 * @param data the folder of the database
 */
export function createPackageBridge(home: string, data: string): BridgeCommand {
  const start = [path.join(home, "scripts/mcp.mjs"), "--data", data];
  return (options) => ({ command: process.execPath, args: [...start, ...options] });
}

/**
 * Ready configurations for MCP clients of this Toolroom.
 * @param origin where the console is open, such as `http://127.0.0.1:3000`
 */
export function clientConfigurations(
  origin: string,
  bridgeCommand: BridgeCommand,
  { server, toolset }: ServedPart,
): ClientConfiguration[] {
  const part = toolset ?? server;
  const folder = toolset === undefined ? "" : "/sets";
  const url = `${origin}/mcp${part === undefined ? "" : `${folder}/${encodeURIComponent(part.toWellFormed())}`}`;
  const name = part === undefined ? "toolroom" : `toolroom-${part}`;
  const option = toolset === undefined ? "--server" : "--set";
  const stdio = bridgeCommand(part === undefined ? [] : [option, part]);
  const commandLine = [stdio.command, ...stdio.args].map(shellWord).join(" ");
  const inspector = "npx @modelcontextprotocol/inspector --cli";
  type Transport = ClientConfiguration["transport"];
  const forClient = (client: ClientConfiguration["client"], label: string) => {
    const write =
      (language: ClientConfiguration["language"]) =>
      (transport: Transport, place: string, text: string): ClientConfiguration => ({
        ...{ client, label, transport, place, language, text },
      });
    const [shell, json, yaml] = [write("shell"), write("json"), write("yaml")];
    return {
      shell: (transport: Transport, text: string, place = TERMINAL) => shell(transport, place, text),
      json: (transport: Transport, place: string, value: unknown) =>
        json(transport, place, JSON.stringify(value, null, 2)),
      yaml,
    };
  };
  const claudeCode = forClient("claude-code", "Claude Code");
  const claudeDesktop = forClient("claude-desktop", "Claude Desktop");
  const cursor = forClient("cursor", "Cursor");
  const vscode = forClient("vscode", "VS Code");
  const goose = forClient("goose", "Goose");
  const mcpInspector = forClient("inspector", "MCP Inspector");
  return [
    claudeDesktop.json("stdio", "claude_desktop_config.json (Settings → Developer → Edit Config)", {
      mcpServers: { [name]: stdio },
    }),
    claudeCode.shell("http", `claude mcp add --transport http ${name} ${url}`),
    claudeCode.shell("stdio", `claude mcp add ${name} -- ${commandLine}`),
    cursor.json("http", CURSOR_FILE, { mcpServers: { [name]: { url } } }),
    cursor.json("stdio", CURSOR_FILE, { mcpServers: { [name]: stdio } }),
    vscode.json("http", VSCODE_FILE, { servers: { [name]: { type: "http", url } } }),
    vscode.json("stdio", VSCODE_FILE, { servers: { [name]: { type: "stdio", ...stdio } } }),
    goose.yaml("http", GOOSE_FILE, gooseEntry(name, { type: "streamable_http", uri: url })),
    goose.yaml("stdio", GOOSE_FILE, gooseEntry(name, { type: "stdio", cmd: stdio.command, args: stdio.args })),
    forClient("http", "Any HTTP client").shell("http", url, "The address of the MCP server (Streamable HTTP)"),
    forClient("stdio", "Any stdio client").shell("stdio", commandLine, "The command that starts the MCP server"),
    mcpInspector.shell("http", `${inspector} ${url} --transport http --method tools/list`),
    mcpInspector.shell("stdio", `${inspector} ${commandLine} --method tools/list`),
  ];
}

/** JSON values are YAML. */
function gooseEntry(name: string, settings: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries({ name, ...settings, enabled: true, timeout: 300 }).map(
    ([key, value]) => `    ${key}: ${JSON.stringify(value)}`,
  );
  return ["extensions:", `  ${JSON.stringify(name)}:`, ...lines].join("\n");
}

function shellWord(word: string): string {
  return /^[A-Za-z0-9_/.:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
