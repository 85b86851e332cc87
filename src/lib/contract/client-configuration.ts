import type { ClientTransport } from "./client-transport";

/** A program that can use Toolroom as its MCP server. */
export interface ConnectClient {
  id: string;
  label: string;
  /** The names that it sends when it connects; null for any other program. */
  names: RegExp | null;
}

/** Every client that `toolroom wrap` and the import know, the most used ones first, and an entry for any other. */
export const CONNECT_CLIENTS = [
  { id: "claude-code", label: "Claude Code", names: /^claude[- ]code\b/i },
  { id: "claude-desktop", label: "Claude Desktop", names: /^claude[- ](ai|desktop)\b/i },
  { id: "cursor", label: "Cursor", names: /^cursor\b/i },
  { id: "vscode", label: "VS Code", names: /^(visual studio code|vs ?code|vscodium)\b/i },
  { id: "visualstudio", label: "Visual Studio", names: /^visual ?studio(?! ?code)\b/i },
  { id: "codex", label: "Codex", names: /^codex\b/i },
  { id: "gemini", label: "Gemini CLI", names: /^gemini\b/i },
  { id: "windsurf", label: "Windsurf", names: /^windsurf\b/i },
  { id: "zed", label: "Zed", names: /^zed\b/i },
  { id: "opencode", label: "opencode", names: /^opencode\b/i },
  { id: "copilot", label: "GitHub Copilot CLI", names: /^(github[- ])?copilot\b/i },
  { id: "cline", label: "Cline", names: /^cline\b/i },
  { id: "roo", label: "Roo Code", names: /^roo\b/i },
  { id: "continue", label: "Continue", names: /^continue\b/i },
  { id: "goose", label: "Goose", names: /^goose\b/i },
  { id: "lmstudio", label: "LM Studio", names: /^lm[- ]?studio\b/i },
  { id: "kiro", label: "Kiro", names: /^kiro\b/i },
  { id: "amazonq", label: "Amazon Q", names: /^(amazon[- ]?q|q[- ](dev[- ])?cli)\b/i },
  { id: "qwen", label: "Qwen Code", names: /^qwen\b/i },
  { id: "amp", label: "Amp", names: /^amp\b/i },
  { id: "librechat", label: "LibreChat", names: /librechat\b/i },
  { id: "inspector", label: "MCP Inspector", names: /\binspector\b/i },
  { id: "other", label: "Any other client", names: null },
] as const satisfies readonly ConnectClient[];

export type ConnectClientId = (typeof CONNECT_CLIENTS)[number]["id"];

/** Stands in a text where an API token belongs. */
export const TOKEN_PLACEHOLDER = "YOUR_API_TOKEN";

/** A configuration for a program that uses Toolroom as its MCP server. */
export interface ClientConfiguration {
  client: ConnectClientId;
  label: string;
  transport: ClientTransport;
  /** The file or menu that takes the text. */
  place: string;
  language: "json" | "shell" | "yaml" | "toml";
  text: string;
  /** The command for PowerShell, where it runs on the machine of the reader; else null. */
  powershell: string | null;
  /** An address that opens the client and asks whether to add Toolroom; null where it has none, or it would hold a token. */
  install: string | null;
  /** The text has the placeholder of a token. */
  needsToken: boolean;
}

export interface ClientConfigurations {
  items: ClientConfiguration[];
  /** The command that moves the servers of the clients on this machine here; null where that has to be done elsewhere. */
  wrap: string | null;
}
