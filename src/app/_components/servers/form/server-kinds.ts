import type { Values } from "@/app/_kit/form/fields";
import type { ServerAuth, ServerTransport } from "@/lib/contract/server";
import { SERVER_KINDS, SERVER_TRANSPORTS, TRANSPORT_LABELS, type ValueList } from "@/lib/contract/server-kind";

/** Words of the form that depend on what leads to the server. */
interface KindWords {
  url: { label: string; hint?: string };
  connectHint: string;
  advanced: string;
}

const MCP_WORDS: KindWords = {
  url: { label: "Address" },
  connectHint: "Milliseconds. The first start may include a download.",
  advanced: "Approval, tools, masked values, sampling, protocol, time limits, roots",
};

const API_WORDS: KindWords = {
  url: {
    label: "Base URL",
    hint: "Paths of operations are appended to it. Credentials are sent to its origin only.",
  },
  connectHint: "Milliseconds to read the document in.",
  advanced: "Approval, tools, masked values, time limits",
};

/** The values that each user enters, by the lists in which they can be. */
const SLOT_WORDS: Record<ValueList, { one: string; names: string; placeholder: string }> = {
  env: { one: "variable", names: "environment variables", placeholder: "GITHUB_TOKEN" },
  headers: { one: "header", names: "headers", placeholder: "Authorization" },
  query: { one: "value", names: "headers or query parameters", placeholder: "Authorization" },
};

export const KIND_LABELS: Record<ServerTransport, string> = { ...TRANSPORT_LABELS, http: "Streamable HTTP" };
export const KIND_ABOUT = Object.fromEntries(
  SERVER_TRANSPORTS.map((transport) => [transport, SERVER_KINDS[transport].description]),
) as Record<ServerTransport, string>;

export const AUTH_LABELS: Record<ServerAuth["type"], string> = {
  none: "None",
  oauth: "OAuth",
  client_credentials: "Client credentials",
  private_key_jwt: "Private key",
  workload_identity: "Workload identity",
  cross_app_access: "Identity provider",
  token_exchange: "Token exchange",
};

export const AUTH_ABOUT: Record<ServerAuth["type"], string> = {
  none: "No sign-in beyond the headers above.",
  oauth: "You sign in with your browser; tokens are stored encrypted and refreshed automatically.",
  client_credentials: "Toolroom signs in automatically with a client secret.",
  private_key_jwt: "Toolroom signs in automatically with a JWT signed by your private key (private_key_jwt).",
  workload_identity:
    "Toolroom signs in with the JWT that its platform gives it, such as a Kubernetes service account token (workload identity federation). Only admins.",
  cross_app_access:
    "The company's identity provider lets each user in without a page (cross-app access, ID-JAG), with personal credentials.",
  token_exchange: "Each user's own token is exchanged for one of the server (RFC 8693), with personal credentials.",
};

export const getKind = (draft: Values) => SERVER_KINDS[draft.transport as ServerTransport];
export const getKindWords = (draft: Values): KindWords => (getKind(draft).speaksMcp ? MCP_WORDS : API_WORDS);

/** How a draft's server signs in: a choice that its kind does not offer counts as none. */
export function readAuthType(draft: Values): ServerAuth["type"] {
  return getKind(draft).authTypes.find((type) => type === draft["auth.type"]) ?? "none";
}

export const canBeQuery = (draft: Values): boolean => Object.hasOwn(getKind(draft).fields, "query");

export function getSlotWords(draft: Values) {
  const { names, ...words } = SLOT_WORDS[canBeQuery(draft) ? "query" : getKind(draft).slots];
  const hint = `Names of ${names}; the label is what people see. Their values are stored encrypted.`;
  return { ...words, hint };
}

const MCP_ONLY = ["protocol", "roots", "sampling", "askPeople"];
const KIND_FIELDS = new Set(SERVER_TRANSPORTS.flatMap((transport) => Object.keys(SERVER_KINDS[transport].fields)));

/** Returns whether servers of the draft's kind have the field at this path. */
export function hasField(path: string, draft: Values): boolean {
  const kind = getKind(draft);
  const [name = path] = path.split(".");
  if (MCP_ONLY.includes(name)) return kind.speaksMcp;
  return !KIND_FIELDS.has(name) || Object.hasOwn(kind.fields, name);
}
