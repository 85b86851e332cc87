import type { Permission } from "./access";
import type { ApiDocumentSource } from "./api-document";
import type { SecretSetting, ServerAuth, ServerSettings, ServerTransport } from "./server";

/** The type of a field of a server's settings decides how the field is stored, shown and expanded. */
export interface FieldValues {
  /** The command that starts a program. */
  command: string;
  /** The program's arguments. Parts that look like secrets are masked. */
  arguments: string[];
  /** A URL. Parts that look like secrets are masked; stored secrets are kept only while the origin stays the same. */
  address: string;
  /** Named values, stored encrypted unless they consist of references to variables. */
  values: SecretSetting[];
  /** Authentication at the server; its client secret or private key is stored encrypted. */
  auth: ServerAuth;
  /** An OpenAPI document; pasted text is stored beside the secrets. */
  document: ApiDocumentSource;
  /** Text in which variables are expanded, without secrets. */
  path: string;
  /** Stored as entered. */
  option: unknown;
}
export type FieldType = keyof FieldValues;

/** The fields of type `values`. */
export type ValueList = "env" | "headers" | "query";

/** One kind of server, by its `transport`. Code that treats kinds differently reads it from here. */
export interface ServerKind {
  label: string;
  /** For the choice in the form. */
  description: string;
  /** Further names of it in the field `type` of other clients' configurations. */
  otherNames: readonly string[];
  /** The field that locates the server. Only admins may save a command. */
  target: "command" | "address";
  /** An example of a target. */
  example: string;
  /** The fields that not every kind has, in the order in which problems are listed. */
  fields: Readonly<Record<string, FieldType>>;
  /** The list that takes a user's own value, unless the slot names another one. */
  slots: ValueList;
  authTypes: readonly ServerAuth["type"][];
  /** True when client credentials need `tokenUrl`, since the server does not name its authorization server. */
  needsTokenUrl: boolean;
  /** False for an HTTP API: it has tools only, no sign-in, sampling, roots, resources or prompts. */
  speaksMcp: boolean;
  /** The defaults of absent fields for a connection. */
  defaults: Readonly<Record<string, unknown>>;
}

type SettingsOf<Transport> = Extract<ServerSettings, { transport: Transport }>;
/** The compiler requires a row for each kind, and in it a type for each field of its schema. */
type ServerKinds = {
  readonly [Transport in ServerTransport]: ServerKind & {
    fields: Readonly<Record<Exclude<keyof SettingsOf<Transport>, keyof ServerSettings>, FieldType>>;
  };
};

const remote = {
  otherNames: [],
  target: "address",
  example: "https://example.com/mcp",
  slots: "headers",
  authTypes: [
    "none",
    "oauth",
    "client_credentials",
    "private_key_jwt",
    "workload_identity",
    "cross_app_access",
    "token_exchange",
  ],
  needsTokenUrl: false,
  speaksMcp: true,
  defaults: {},
} as const;

/**
 * The kinds of servers. A new one is a schema in `server.ts`, a row here, its fields in the form, and a way to open it: in
 * `session-opener.ts` of the MCP client, or in a folder of its own as `src/server/openapi`.
 */
export const SERVER_KINDS: ServerKinds = {
  stdio: {
    label: "stdio",
    otherNames: ["local"],
    description: "A program that Toolroom starts on this machine and talks to over its standard streams.",
    target: "command",
    example: "npx",
    fields: { command: "command", args: "arguments", env: "values", cwd: "path", single: "option" },
    slots: "env",
    authTypes: ["none"],
    needsTokenUrl: false,
    speaksMcp: true,
    defaults: { cwd: null, single: false },
  },
  http: {
    ...remote,
    label: "HTTP",
    otherNames: ["streamable-http", "streamableHttp", "streamable_http", "streamable"],
    description: "A server that runs elsewhere; what most remote servers speak today.",
    fields: { url: "address", headers: "values", auth: "auth" },
  },
  sse: {
    ...remote,
    label: "SSE",
    example: "https://example.com/sse",
    description: "The older HTTP transport, for servers that have not moved on.",
    fields: { url: "address", headers: "values", auth: "auth" },
  },
  openapi: {
    ...remote,
    label: "OpenAPI",
    example: "https://api.example.com/v1",
    description: "An HTTP API that an OpenAPI document describes: its operations become tools.",
    fields: {
      url: "address",
      headers: "values",
      query: "values",
      auth: "auth",
      document: "document",
      operations: "option",
      outputSchemas: "option",
    },
    authTypes: ["none", "client_credentials", "token_exchange"],
    needsTokenUrl: true,
    speaksMcp: false,
    defaults: { operations: { tags: [], paths: [] }, outputSchemas: true },
  },
};

export const SERVER_TRANSPORTS = Object.keys(SERVER_KINDS) as ServerTransport[];
export const TRANSPORT_LABELS = Object.fromEntries(
  SERVER_TRANSPORTS.map((transport) => [transport, SERVER_KINDS[transport].label]),
) as Record<ServerTransport, string>;

/** The sign-ins that use what an identity provider proves about each user. */
export const IDENTITY_AUTH_TYPES = ["cross_app_access", "token_exchange"] as const satisfies ServerAuth["type"][];
export type IdentityAuth = Extract<ServerAuth, { type: (typeof IDENTITY_AUTH_TYPES)[number] }>;

export const usesIdentity = (auth: ServerAuth): auth is IdentityAuth =>
  IDENTITY_AUTH_TYPES.some((type) => type === auth.type);

/** The kind with this name; undefined for an unknown one. */
export function findServerKind(transport: unknown): ServerKind | undefined {
  const name = String(transport);
  return Object.hasOwn(SERVER_KINDS, name) ? SERVER_KINDS[name as ServerTransport] : undefined;
}

/**
 * The permission to add or change a server: a user who may start a command on this machine may do anything that its
 * account may, and one who may send a variable of its environment elsewhere may read it. Settings come unchecked.
 */
export function permissionForServer(settings: unknown): Permission {
  const { transport } = (settings ?? {}) as { transport?: unknown };
  return findServerKind(transport)?.target === "address" ? permissionForAddress(settings) : "administer";
}

/**
 * The same for settings that are read as those of an address, whatever transport they name. A token exchange sends users'
 * tokens to the address that it names, and a workload identity sends a file or a variable of this machine.
 */
export function permissionForAddress(settings: unknown): Permission {
  const { document, auth } = (settings ?? {}) as {
    document?: { from?: unknown } | null;
    auth?: { type?: unknown } | null;
  };
  if (auth?.type === "token_exchange" || auth?.type === "workload_identity") return "administer";
  // A document's text is data, and may contain what looks like a variable.
  const rest = JSON.stringify({ ...(settings as object), document: document?.from === "text" ? null : document });
  return document?.from === "file" || rest.includes("$") ? "administer" : "edit";
}
