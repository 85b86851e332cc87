import { z } from "zod";

/**
 * A server's name is the prefix of its tools: `files` gives `files__read_file`, and the first `__` splits. So a name holds
 * no `__` and does not end in `_`.
 */
export const SERVER_NAME_PATTERN = /^(?!.*__)[A-Za-z0-9_-]{0,63}[A-Za-z0-9-]$/;
export const SERVER_NAME_RULE = "1–64 letters, digits, '_' or '-', without '__' and not ending in '_'";
/** `/servers/new` is the form. */
export const RESERVED_SERVER_NAMES: readonly string[] = ["new"];
export const TOOL_SEPARATOR = "__";

const milliseconds = (least: number, most: number) => {
  const message = `must be a whole number of milliseconds from ${least} to ${most}`;
  return z.number(message).int(message).min(least, message).max(most, message);
};
/** In words for the person at the form: zod's own are about types. */
const needed = (most: number, what: string) =>
  z.string(`is needed: ${what}`).min(1, `is needed: ${what}`).max(most, `must be at most ${most} characters`);

/**
 * A setting that may be secret: an environment value or a header. On the way in, `value` sets it and `null` keeps what is
 * stored. On the way out `value` is null for what is stored encrypted; only text that is nothing but `${VARIABLE}`
 * references is shown, since it tells no secret.
 */
export const secretSettingSchema = z.object({
  name: z.string("is needed").min(1, "is needed").max(256, "must be at most 256 characters"),
  value: z.string().max(65_536).nullable(),
});
export type SecretSetting = z.infer<typeof secretSettingSchema>;

const secret = z.string().max(65_536).nullable();

/** How an HTTP server is signed in to. Static headers are in `headers`. */
export const serverAuthSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("none") }),
  /** Authorization code with PKCE, by the person at the console. Without a client id the client registers itself. */
  z.object({
    type: z.literal("oauth"),
    clientId: z.string().max(2048).optional(),
    clientSecret: secret.optional(),
    scope: z.string().max(2048).optional(),
  }),
  z.object({
    type: z.literal("client_credentials"),
    clientId: needed(2048, "the id that the authorization server knows us by"),
    clientSecret: secret,
    scope: z.string().max(2048).optional(),
  }),
]);
export type ServerAuth = z.infer<typeof serverAuthSchema>;

const common = {
  name: z
    .string("is needed: the prefix of its tools")
    .regex(SERVER_NAME_PATTERN, `must be ${SERVER_NAME_RULE}`)
    .refine((name) => !RESERVED_SERVER_NAMES.includes(name), "is a word that the console's own addresses use"),
  title: z.string().max(200, "must be at most 200 characters").optional(),
  /** `auto` asks for the stateless protocol first and falls back; `legacy` starts with `initialize`. */
  protocol: z.enum(["auto", "legacy"]).default("auto"),
  /** Milliseconds a call may take; the global limit where absent. */
  timeoutMs: milliseconds(1, 86_400_000).optional(),
  /** Where present, each progress notification starts the limit anew, up to this many milliseconds in all. */
  maxTotalTimeoutMs: milliseconds(1, 86_400_000).optional(),
  connectTimeoutMs: milliseconds(100, 600_000).optional(),
  roots: z
    .array(z.object({ uri: z.string().regex(/^file:\/\//, "must begin with file://"), name: z.string().optional() }))
    .max(50)
    .default([]),
};
const remote = {
  ...common,
  url: needed(8192, "the address of the server, such as https://example.com/mcp"),
  headers: z.array(secretSettingSchema).max(100).default([]),
  auth: serverAuthSchema.default({ type: "none" }),
};

/**
 * How one MCP server is reached. `${VAR}` and `${VAR:-default}` in command, arguments, environment, URL and headers are
 * expanded from the server's own environment when it connects.
 */
export const serverSettingsSchema = z.discriminatedUnion("transport", [
  z.object({
    ...common,
    transport: z.literal("stdio"),
    command: needed(4096, "the program to start"),
    args: z.array(z.string().max(65_536)).max(500).default([]),
    env: z.array(secretSettingSchema).max(500).default([]),
    /** Absent: the folder that Toolroom was started in. */
    cwd: z.string().max(4096).optional(),
  }),
  z.object({ ...remote, transport: z.literal("http") }),
  z.object({ ...remote, transport: z.literal("sse") }),
]);
export type ServerSettings = z.infer<typeof serverSettingsSchema>;
/** The same before defaults are filled in. */
export type ServerSettingsInput = z.input<typeof serverSettingsSchema>;
export type ServerTransport = ServerSettings["transport"];

export const CONNECTION_STATUSES = [
  "disabled",
  "connecting",
  "connected",
  "disconnected",
  "failed",
  "sign_in_needed",
] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** Where a connection stands. Times are epoch milliseconds. */
export interface ConnectionState {
  /** `disconnected` is tried again by itself at `nextAttemptAt`; `failed` waits for a person to change something. */
  status: ConnectionStatus;
  /** Why it is not connected, for people; null while it is. */
  reason: string | null;
  nextAttemptAt: number | null;
  /** Attempts since the last success. */
  attempts: number;
  connectedAt: number | null;
  protocolVersion: string | null;
  peer: { name: string; version: string; title?: string } | null;
  instructions: string | null;
  /** The names of what the server says it can do: `tools`, `resources`, `prompts`, `logging`, … */
  capabilities: string[];
  pid: number | null;
  /** Milliseconds of the last ping; null where there was none. */
  pingMs: number | null;
}

/** What belongs to one life of a connection and is forgotten with it. */
export const NO_CONNECTION = {
  connectedAt: null,
  protocolVersion: null,
  peer: null,
  instructions: null,
  capabilities: [],
  pid: null,
  pingMs: null,
};

export const DISABLED_CONNECTION: ConnectionState = {
  ...NO_CONNECTION,
  status: "disabled",
  reason: null,
  nextAttemptAt: null,
  attempts: 0,
};

export interface ServerLogLine {
  /** Counts up in one server's log. */
  seq: number;
  at: number;
  /** `stdout` is what the server wrote there that is no message of the protocol; `toolroom` is what the connection itself did. */
  stream: "stderr" | "stdout" | "notification" | "toolroom";
  level: "debug" | "info" | "warn" | "error";
  text: string;
}

/** One message of the protocol as it went over the wire. */
export interface ProtocolMessage {
  seq: number;
  at: number;
  direction: "sent" | "received";
  kind: "request" | "response" | "error" | "notification";
  /** Of a response: the method it answers, where that is known. */
  method: string | null;
  id: string | null;
  /** JSON text; its head where it is long. */
  text: string;
  bytes: number;
}

export interface ServerTool {
  /** As the server calls it; null where a malformed entry has no name. */
  name: string | null;
  /** As the catalogue calls it; null where it cannot be called. */
  catalogueName: string | null;
  title: string | null;
  description: string;
  status: "usable" | "malformed" | "unsupported";
  /** Why it cannot be called. */
  reason: string | null;
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean };
  /** The entry as the server sent it: JSON text. */
  rawText: string;
}

export interface ToolChange {
  kind: "added" | "removed" | "breaking" | "additive" | "wording";
  tool: string;
  /** What changed, one sentence each: `parameter 'path' is now required`. */
  details: string[];
}

export interface ToolChangeSet {
  at: number;
  changes: ToolChange[];
}

export interface ServerSummary {
  name: string;
  title: string | null;
  origin: "console" | "config";
  transport: ServerTransport;
  /** The command line or the address, as it was configured: `${VAR}` not expanded. */
  target: string;
  enabled: boolean;
  state: ConnectionState;
  toolCount: number;
  /** Tools that cannot be called. */
  problemCount: number;
  lastChange: { at: number; breaking: number; other: number } | null;
  auth: ServerAuth["type"];
}

export interface ServerDetail extends ServerSummary {
  /** Secret values are null: see `secretSettingSchema`. */
  settings: ServerSettings;
  /** False for servers of the configuration file. */
  editable: boolean;
  /** The file that a `config` server comes from. */
  originPath: string | null;
  tools: ServerTool[];
  /** Newest first. */
  changes: ToolChangeSet[];
  /** When the tools were last read; null before the first time. */
  listedAt: number | null;
  signedIn: boolean;
}

export interface ServerResource {
  uri: string;
  name: string;
  title: string | null;
  description: string | null;
  mimeType: string | null;
  size: number | null;
  /** A template's `uri` has `{placeholders}`. */
  template: boolean;
}

export interface ServerPrompt {
  name: string;
  title: string | null;
  description: string | null;
  arguments: { name: string; description: string | null; required: boolean }[];
}

/** What was found in a pasted `mcp.json`: each server with what must be mended before it can be added. */
export interface ServerImport {
  servers: { name: string; settings: ServerSettingsInput | null; problems: string[]; notes: string[] }[];
  /** What is wrong with the text as a whole. */
  problems: string[];
}

/** A ready configuration for a program that shall use Toolroom as its MCP server. */
export interface ClientConfiguration {
  client: "claude-code" | "claude-desktop" | "cursor" | "vscode" | "inspector";
  label: string;
  transport: "http" | "stdio";
  /** Where the text goes. */
  place: string;
  language: "json" | "shell";
  text: string;
}
