import type { ClientConfiguration, ConnectClientId } from "../../../../lib/contract/client-configuration";
import { type Shell, type ShellCommand, toShellLine } from "../../../../lib/shell-line";
import type { LocalCommand } from "./bridge-command";

/** Toolroom as a server over HTTP. */
export interface RemoteServer {
  url: string;
  /** Absent where the client signs in, or has no need to. */
  headers?: Record<string, string>;
}

export type Snippet = Pick<ClientConfiguration, "place" | "language" | "text"> &
  Partial<Pick<ClientConfiguration, "powershell">>;

/** How a client writes a server; absent for a transport that it does not have. */
export interface ClientFormat {
  /** The file for the text on Windows, where it differs. */
  windowsPlace?: string;
  http?(name: string, server: RemoteServer): Snippet;
  /** @param shell of the machine where the command runs; null where that is the reader's */
  stdio?(name: string, command: LocalCommand, shell: Shell | null): Snippet;
  /** The address that installs it. */
  install?: {
    http?(name: string, server: RemoteServer): string;
    stdio?(name: string, command: LocalCommand): string;
  };
}

type Entry = Readonly<Record<string, unknown>>;
type ToEntry<Server> = (server: Server) => Entry;

const TERMINAL = "Run in a terminal";
const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const LIST_OF_STRINGS = new RegExp(`\\[\\s+${STRING}(?:,\\s+${STRING})*\\s+\\]`, "g");

/** Indented JSON with the words of a command on one line, as users write it. */
const writeOnFewLines = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(LIST_OF_STRINGS, (list) => `[${JSON.parse(list).map(quote).join(", ")}]`);
const quote = (text: string): string => JSON.stringify(text);

const toJson = (place: string, value: unknown): Snippet => ({
  place,
  language: "json",
  text: writeOnFewLines(value),
});
function toLine(shell: Shell | null, command: ShellCommand, place = TERMINAL): Snippet {
  if (shell !== null) return { place, language: "shell", text: toShellLine(shell, command) };
  const text = toShellLine("posix", command);
  const powershell = toShellLine("powershell", command);
  return { place, language: "shell", text, powershell };
}

const toLocal: ToEntry<LocalCommand> = ({ command, args, env }) =>
  Object.keys(env).length === 0 ? { command, args } : { command, args, env };
const typed =
  <Server>(type: string, toEntry: ToEntry<Server>): ToEntry<Server> =>
  (server) => ({ type, ...toEntry(server) });
const toRemote: ToEntry<RemoteServer> = (server) => ({ ...server });
/** Clients that call the address by another name. */
const withAddressAs =
  (field: string): ToEntry<RemoteServer> =>
  ({ url, ...rest }) => ({ [field]: url, ...rest });

interface JsonFormat {
  place: string;
  /** The section of the file; default: `mcpServers`. */
  section?: string;
  http?: ToEntry<RemoteServer>;
  stdio?: ToEntry<LocalCommand>;
  install?: ClientFormat["install"];
}

/** A client whose file has an object of servers by name. */
function jsonClient({ place, section = "mcpServers", ...format }: JsonFormat): ClientFormat {
  const { http = toRemote, stdio = toLocal, install = {} } = format;
  return {
    http: (name, server) => toJson(place, { [section]: { [name]: http(server) } }),
    stdio: (name, command) => toJson(place, { [section]: { [name]: stdio(command) } }),
    install,
  };
}

const toBase64 = (value: unknown): string => encodeURIComponent(Buffer.from(JSON.stringify(value)).toString("base64"));
const toQuery = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
const installLink =
  <Server>(base: string, encode: (value: unknown) => string, toEntry: ToEntry<Server>) =>
  (name: string, server: Server): string =>
    `${base}?name=${encodeURIComponent(name)}&config=${encode(toEntry(server))}`;

/** Links whose address holds the name and the entry. */
function installLinks(base: string, encode: (value: unknown) => string): ClientFormat["install"] {
  return {
    http: installLink(base, encode, toRemote),
    stdio: installLink(base, encode, toLocal),
  };
}

const toVsCodeRemote = typed("http", toRemote);
const toVsCodeLocal = typed("stdio", toLocal);

/** JSON values are YAML and TOML, but for objects in TOML. */
function toYamlLines(values: Entry, indent: string): string[] {
  return Object.entries(values).map(([key, value]) => `${indent}${key}: ${JSON.stringify(value)}`);
}

function toTomlTable(name: string, values: Entry): string {
  const key = /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
  const lines = Object.entries(values).map(([field, value]) => `${field} = ${toTomlValue(value)}`);
  return [`[mcp_servers.${key}]`, ...lines].join("\n");
}

function toTomlValue(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)} = ${JSON.stringify(each)}`)
    .join(", ")} }`;
}

const toToml = (name: string, values: Entry): Snippet => ({
  place: "~/.codex/config.toml",
  language: "toml",
  text: toTomlTable(name, values),
});

function toGoose(name: string, settings: Entry): Snippet {
  const entry = { name, description: "The tools of Toolroom", ...settings, enabled: true, timeout: 300 };
  const lines = ["extensions:", `  ${JSON.stringify(name)}:`, ...toYamlLines(entry, "    ")];
  return { place: "~/.config/goose/config.yaml", language: "yaml", text: lines.join("\n") };
}

function toContinue(name: string, settings: Entry): Snippet {
  const lines = ["mcpServers:", `  - name: ${JSON.stringify(name)}`, ...toYamlLines(settings, "    ")];
  return { place: "~/.continue/config.yaml", language: "yaml", text: lines.join("\n") };
}

function toLibreChat(name: string, settings: Entry): Snippet {
  const lines = ["mcpServers:", `  ${JSON.stringify(name)}:`, ...toYamlLines(settings, "    ")];
  return { place: "librechat.yaml", language: "yaml", text: lines.join("\n") };
}

const listHeaders = ({ headers = {} }: RemoteServer): string[] =>
  Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
const listVariables = ({ env }: LocalCommand): string[] => Object.entries(env).map(([key, value]) => `${key}=${value}`);
const repeatOption = (option: string, values: readonly string[]): string[] =>
  values.flatMap((value) => [option, value]);
const toWords = ({ command, args }: LocalCommand): string[] => [command, ...args];
const callInspector = (words: readonly string[]): ShellCommand => ({
  command: "npx",
  args: ["@modelcontextprotocol/inspector", "--cli", ...words],
});

export const CLIENT_FORMATS: Readonly<Record<ConnectClientId, ClientFormat>> = {
  "claude-code": {
    http(name, server) {
      const headers = repeatOption("--header", listHeaders(server));
      return toLine(null, {
        command: "claude",
        args: ["mcp", "add", "--transport", "http", name, server.url, ...headers],
      });
    },
    stdio(name, command, shell) {
      const variables = repeatOption("--env", listVariables(command));
      return toLine(shell, { command: "claude", args: ["mcp", "add", name, ...variables, "--", ...toWords(command)] });
    },
  },
  "claude-desktop": {
    // Its button opens the file of the older installer, which the packaged program does not read.
    windowsPlace:
      "%LOCALAPPDATA%\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json; of the older installer: %APPDATA%\\Claude\\claude_desktop_config.json",
    stdio: (name, command) =>
      toJson("claude_desktop_config.json (Settings → Developer → Edit Config)", {
        mcpServers: { [name]: toLocal(command) },
      }),
  },
  cursor: jsonClient({
    place: "~/.cursor/mcp.json, or .cursor/mcp.json in the project",
    install: installLinks("cursor://anysphere.cursor-deeplink/mcp/install", toBase64),
  }),
  vscode: jsonClient({
    place: ".vscode/mcp.json in the workspace",
    section: "servers",
    http: toVsCodeRemote,
    stdio: toVsCodeLocal,
    install: {
      http: (name, server) => `vscode:mcp/install?${toQuery({ name, ...toVsCodeRemote(server) })}`,
      stdio: (name, command) => `vscode:mcp/install?${toQuery({ name, ...toVsCodeLocal(command) })}`,
    },
  }),
  visualstudio: jsonClient({
    place: "%USERPROFILE%\\.mcp.json, or .mcp.json beside the solution",
    section: "servers",
    http: toVsCodeRemote,
    stdio: toVsCodeLocal,
  }),
  codex: {
    http: (name, { url, headers }) => toToml(name, headers === undefined ? { url } : { url, http_headers: headers }),
    stdio: (name, command) => toToml(name, { ...toLocal(command), startup_timeout_sec: 60 }),
  },
  gemini: jsonClient({
    place: "~/.gemini/settings.json, or .gemini/settings.json in the project",
    http: withAddressAs("httpUrl"),
  }),
  windsurf: jsonClient({ place: "~/.codeium/windsurf/mcp_config.json", http: withAddressAs("serverUrl") }),
  zed: jsonClient({
    place: "settings.json (zed: open settings), or .zed/settings.json in the project",
    section: "context_servers",
    stdio: (command) => ({ source: "custom", ...toLocal(command) }),
  }),
  opencode: jsonClient({
    place: "~/.config/opencode/opencode.json, or opencode.json in the project",
    section: "mcp",
    http: (server) => ({ ...typed("remote", toRemote)(server), enabled: true }),
    stdio: ({ command, args, env }) => ({
      type: "local",
      command: [command, ...args],
      ...(Object.keys(env).length > 0 && { environment: env }),
      enabled: true,
    }),
  }),
  copilot: jsonClient({
    place: "~/.copilot/mcp-config.json",
    http: (server) => ({ ...typed("http", toRemote)(server), tools: ["*"] }),
    stdio: (command) => ({ ...typed("local", toLocal)(command), tools: ["*"] }),
  }),
  cline: jsonClient({
    place: "cline_mcp_settings.json (MCP Servers → Configure)",
    http: typed("streamableHttp", toRemote),
  }),
  roo: jsonClient({
    place: "mcp_settings.json (MCP Servers → Edit Global MCP), or .roo/mcp.json in the project",
    http: typed("streamable-http", toRemote),
  }),
  continue: {
    http: (name, { url, headers }) =>
      toContinue(name, { type: "streamable-http", url, ...(headers && { requestOptions: { headers } }) }),
    stdio: (name, command) => toContinue(name, toLocal(command)),
  },
  goose: {
    windowsPlace: "%APPDATA%\\Block\\goose\\config\\config.yaml",
    http: (name, { url, headers }) => toGoose(name, { type: "streamable_http", uri: url, ...(headers && { headers }) }),
    stdio: (name, { command, args, env }) => toGoose(name, { type: "stdio", cmd: command, args, envs: env }),
    // Its links start no program but a few package runners.
    install: {
      http: (name, { url }) => {
        const query = new URLSearchParams({
          url,
          type: "streamable_http",
          id: name,
          name,
          description: "The tools of Toolroom",
        });
        return `goose://extension?${query.toString().replaceAll("+", "%20")}`;
      },
    },
  },
  lmstudio: jsonClient({
    place: "mcp.json (Program → Install → Edit mcp.json)",
    install: installLinks("lmstudio://add_mcp", toBase64),
  }),
  kiro: jsonClient({
    place: "~/.kiro/settings/mcp.json, or .kiro/settings/mcp.json in the workspace",
    install: installLinks("kiro://kiro.mcp/add", toQuery),
  }),
  amazonq: jsonClient({
    place:
      "~/.aws/amazonq/default.json, or .amazonq/default.json in the project; of older versions: mcp.json beside it",
    http: typed("http", toRemote),
  }),
  qwen: jsonClient({
    place: "~/.qwen/settings.json, or .qwen/settings.json in the project",
    http: withAddressAs("httpUrl"),
  }),
  amp: jsonClient({ place: "~/.config/amp/settings.json", section: "amp.mcpServers" }),
  librechat: {
    http: (name, server) => toLibreChat(name, typed("streamable-http", toRemote)(server)),
  },
  inspector: {
    http(_name, server) {
      const headers = repeatOption("--header", listHeaders(server));
      return toLine(null, callInspector([server.url, "--transport", "http", "--method", "tools/list", ...headers]));
    },
    stdio(_name, command, shell) {
      const variables = repeatOption("-e", listVariables(command));
      return toLine(shell, callInspector([...variables, ...toWords(command), "--method", "tools/list"]));
    },
  },
  other: {
    http: (_name, server) => ({
      place: "The address of the MCP server (Streamable HTTP)",
      language: "shell",
      text: [server.url, ...listHeaders(server)].join("\n"),
    }),
    stdio: (_name, command, shell) => toLine(shell, command, "The command that starts the MCP server"),
  },
};
