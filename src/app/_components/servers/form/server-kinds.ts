import type { PathOf, Values } from "@/app/_kit/form/fields";
import type { ServerAuth, ServerSettingsInput, ServerTransport } from "@/lib/contract/server";

export type ServerPath = PathOf<ServerSettingsInput>;

/** What the form shows for one kind of server. */
interface ServerKind {
  /** The fields of its settings; the form has a place for each. */
  fields: readonly ServerPath[];
  authTypes: readonly ServerAuth["type"][];
  url: { label: string; placeholder: string; hint?: string };
  connectHint: string;
  advanced: string;
  /** The values that each person enters where credentials are personal. */
  slots: { one: string; hint: string; placeholder: string; canBeQuery: boolean };
}

const COMMON = [
  ...(["name", "title", "transport", "credentials.mode", "credentials.results", "credentials.slots"] as const),
  ...(["approval", "changedTools", "toolFilter.mode", "toolFilter.names", "sensitive"] as const),
  ...(["timeoutMs", "maxTotalTimeoutMs", "connectTimeoutMs"] as const),
];
const MCP = [
  ...COMMON,
  ...(["protocol", "roots", "sampling.mode", "sampling.provider", "sampling.model", "askPeople"] as const),
];
const REMOTE = ["url", "headers", "auth.type", "auth.clientId", "auth.clientSecret", "auth.scope"] as const;

const MCP_WORDS = {
  connectHint: "Milliseconds. The first start may include a download.",
  advanced: "Approval, tools, masked values, sampling, protocol, time limits, roots",
};

const HTTP: ServerKind = {
  fields: [...MCP, ...REMOTE, "auth.privateKey", "auth.algorithm"],
  authTypes: ["none", "oauth", "client_credentials", "private_key_jwt"],
  url: { label: "Address", placeholder: "https://example.com/mcp" },
  ...MCP_WORDS,
  slots: {
    ...{ one: "header", placeholder: "Authorization", canBeQuery: false },
    hint: "Names of headers; the label is what people see. Their values are stored encrypted.",
  },
};

const KINDS: Record<ServerTransport, ServerKind> = {
  stdio: {
    ...HTTP,
    fields: [...MCP, "command", "args", "env", "cwd"],
    authTypes: ["none"],
    slots: {
      ...{ one: "variable", placeholder: "GITHUB_TOKEN", canBeQuery: false },
      hint: "Names of environment variables; the label is what people see. Their values are stored encrypted.",
    },
  },
  http: HTTP,
  sse: { ...HTTP, url: { label: "Address", placeholder: "https://example.com/sse" } },
  openapi: {
    fields: [
      ...[...COMMON, ...REMOTE, "auth.tokenUrl" as const],
      ...(["document.from", "document.url", "document.path", "document.text", "query"] as const),
      ...(["operations.tags", "operations.paths", "outputSchemas"] as const),
    ],
    authTypes: ["none", "client_credentials"],
    url: {
      ...{ label: "Base URL", placeholder: "https://api.example.com/v1" },
      hint: "Paths of operations are appended to it. Credentials are sent to its origin only.",
    },
    connectHint: "Milliseconds to read the document in.",
    advanced: "Approval, tools, masked values, time limits",
    slots: {
      ...{ one: "value", placeholder: "Authorization", canBeQuery: true },
      hint: "Names of headers or query parameters; the label is what people see. Their values are stored encrypted.",
    },
  },
};

export const KIND_LABELS: Record<ServerTransport, string> = {
  stdio: "stdio",
  http: "Streamable HTTP",
  sse: "SSE",
  openapi: "OpenAPI",
};

export const KIND_ABOUT: Record<ServerTransport, string> = {
  stdio: "A program that Toolroom starts on this machine and talks to over its standard streams.",
  http: "A server that runs elsewhere; what most remote servers speak today.",
  sse: "The older HTTP transport, for servers that have not moved on.",
  openapi: "An HTTP API that an OpenAPI document describes: its operations become tools.",
};

export const AUTH_LABELS: Record<ServerAuth["type"], string> = {
  none: "None",
  oauth: "OAuth",
  client_credentials: "Client credentials",
  private_key_jwt: "Private key",
};

export const AUTH_ABOUT: Record<ServerAuth["type"], string> = {
  none: "No sign-in beyond the headers above.",
  oauth: "You sign in with your browser; tokens are stored encrypted and refreshed automatically.",
  client_credentials: "Toolroom signs in automatically with a client secret.",
  private_key_jwt: "Toolroom signs in automatically with a JWT signed by your private key (private_key_jwt).",
};

/** The kind of a draft. */
export const getKind = (draft: Values): ServerKind => KINDS[draft.transport as ServerTransport];

/** How a draft's server signs in: a choice that its kind does not have is none. */
export function readAuthType(draft: Values): ServerAuth["type"] {
  return getKind(draft).authTypes.find((type) => type === draft["auth.type"]) ?? "none";
}
