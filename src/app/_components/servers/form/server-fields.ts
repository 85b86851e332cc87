import { POLICY_LABELS } from "@/app/_components/approvals/summary/approval-words";
import {
  CHANGED_TOOLS_HINTS,
  CHANGED_TOOLS_LABELS,
  SAMPLING_HINTS,
  SAMPLING_LABELS,
} from "@/app/_components/servers/summary/server-words";
import {
  choice,
  custom,
  type DraftOf,
  defineForm,
  flag,
  lines,
  number,
  type PathOf,
  rows,
  secret,
  secrets,
  select,
  splitLines,
  text,
  type Values,
} from "@/app/_kit/form/fields";
import { isFilled, writeSecret } from "@/app/_kit/form/secret";
import { findField } from "@/app/_kit/problems";
import type { CredentialSlot } from "@/lib/contract/credential";
import { SAMPLING_BUDGET } from "@/lib/contract/sampling-limits";
import type { SensitiveSetting, ServerSettingsInput } from "@/lib/contract/server";
import { IDENTITY_AUTH_TYPES, SERVER_KINDS } from "@/lib/contract/server-kind";
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from "@/lib/contract/signing-algorithms";
import { formatCount } from "@/lib/format/count";
import { hideAddressSecrets, hideSecretArguments } from "@/lib/server-settings/hide-secrets";
import {
  AUTH_ABOUT,
  AUTH_LABELS,
  canBeQuery,
  getKind,
  hasField,
  KIND_ABOUT,
  KIND_LABELS,
  readAuthType,
} from "./server-kinds";

/** The largest document that is kept, since a tab's storage is small. */
const MAX_KEPT_CHARS = 200_000;

const withoutAddressSecrets = (address: string): string => hideAddressSecrets(address, "");

/** A command line that has not been split yet holds its arguments. */
const withoutCommandSecrets = (command: string): string =>
  /\s/.test(command.trim()) ? hideSecretArguments(command.split(/(?<=\s)(?=\S)/), "").join("") : command;

type ServerPath = PathOf<ServerSettingsInput>;

const signsInBy =
  (...types: readonly string[]) =>
  (draft: Values): boolean =>
    types.includes(readAuthType(draft));
const isChosen =
  (path: ServerPath, ...values: readonly string[]) =>
  (draft: Values): boolean =>
    values.includes(String(draft[path]));
const isPersonal = isChosen("credentials.mode", "personal");
const samplingLimit = (label: string, byDefault: number) =>
  number(label, { when: isChosen("sampling.mode", "model"), hint: `Empty: ${formatCount(byDefault)}.` });

/** One path per line; a tool's name before it limits it to this tool. */
interface SensitiveLines {
  arguments: string;
  results: string;
}

function readSensitive(stored: unknown): SensitiveLines {
  const linesIn = (part: SensitiveSetting["in"]): string =>
    (stored as SensitiveSetting[])
      .filter((setting) => setting.in === part)
      .map(({ tool, path }) => (tool === undefined ? path : `${tool} ${path}`))
      .join("\n");
  return { arguments: linesIn("arguments"), results: linesIn("results") };
}

/** Writes the paths in arguments first. */
function writeSensitive(typed: SensitiveLines): SensitiveSetting[] | undefined {
  const read = (part: SensitiveSetting["in"]): SensitiveSetting[] =>
    splitLines(typed[part]).map((line) => {
      const [, tool, path = line] = /^(.*\S)\s+(\S+)$/.exec(line) ?? [];
      return tool === undefined ? { in: part, path } : { tool, in: part, path };
    });
  const all = [...read("arguments"), ...read("results")];
  return all.length === 0 ? undefined : all;
}

type Roots = NonNullable<ServerSettingsInput["roots"]>;
type Root = Roots[number];
export const isSentRoot = ({ uri, name = "" }: Root): boolean => uri !== "" || name !== "";

export const isNamedSlot = ({ name, label = "" }: CredentialSlot): boolean => name.trim() !== "" || label.trim() !== "";

function toSentSlot({ name, label = "", in: place }: CredentialSlot, draft: Values): CredentialSlot {
  return {
    name: name.trim(),
    ...(label.trim() !== "" && { label: label.trim() }),
    ...(place === "query" && canBeQuery(draft) && { in: place }),
  };
}

const isAny = (): boolean => true;
const AUDIENCE_HINT = "The name that the token URL knows the server by. Enter what its admin gives you.";
const NOTHING_SENSITIVE: SensitiveLines = { arguments: "", results: "" };
const TOKEN_SOURCES = { file: "File", variable: "Environment variable" };
const CLIENT_AUTH_TYPES = ["oauth", "client_credentials", "private_key_jwt", "workload_identity"] as const;
const hasOptionalClient = signsInBy("oauth", "workload_identity");
const DOCUMENT_SOURCES = { url: "Address", text: "Paste or upload", file: "File on the server" };
const FILTER_LABELS = { all: "All", only: "Only listed", except: "All except listed" };
const CREDENTIAL_LABELS = { shared: "Shared", personal: "Personal" };
const CREDENTIAL_ABOUT = {
  shared: "One connection for everyone, with the values and the sign-in above.",
  personal:
    "Each user connects on the server's page. Calls run with the credential of the user they run for, over a connection of their own.",
};
const PROTOCOL_ABOUT = {
  auto: "Asks for the stateless protocol first and falls back to sessions.",
  legacy: "Begins with initialize, for strict legacy servers.",
  stateless: "Only 2026-07-28, for a program that offers skills or other extensions in it alone.",
};
const ALGORITHMS = Object.fromEntries(SIGNING_ALGORITHMS.map((name) => [name, name])) as Record<
  SigningAlgorithm,
  string
>;

/** The values of the form: every field of every kind, so that trying another kind loses nothing. */
export const SERVER_FORM = defineForm<ServerSettingsInput>()(
  {
    name: text("Name", { required: true, mono: true, placeholder: "files" }),
    title: text("Title", { placeholder: "Team files", hint: "Display name (optional)." }),
    transport: choice("Transport", "stdio", KIND_LABELS, { about: KIND_ABOUT }),
    command: text("Command", {
      required: true,
      mono: true,
      placeholder: SERVER_KINDS.stdio.example,
      toKept: withoutCommandSecrets,
      hint: "The program to start. Paste a command and it is split for you.",
    }),
    args: rows<string>("Arguments", isAny, (argument) => argument, { toKept: (list) => hideSecretArguments(list, "") }),
    env: secrets(
      "Environment",
      { one: "variable", add: "Add variable", name: "API_KEY" },
      "Only these and the basic system variables are passed to the process. Values are stored encrypted.",
    ),
    cwd: text("Working directory", {
      mono: true,
      placeholder: "/path/to/folder",
      hint: "Empty: a folder of its own beside the database. A relative path starts at Toolroom's folder.",
    }),
    single: flag("One process for all instances", {
      hint: "For a server that keeps state in its process. Several instances of Toolroom on one database share it; otherwise each starts its own.",
    }),
    "document.from": choice("OpenAPI document", "url", DOCUMENT_SOURCES, { dataKey: "document" }),
    "document.url": text("Document address", {
      required: true,
      mono: true,
      inputMode: "url",
      placeholder: "https://api.example.com/openapi.json",
      hint: "OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML. Read again every hour and on reconnect.",
      when: isChosen("document.from", "url"),
      toKept: withoutAddressSecrets,
    }),
    "document.path": text("Document path", {
      required: true,
      mono: true,
      placeholder: "apis/openapi.yaml",
      when: isChosen("document.from", "file"),
      hint: "On the machine that Toolroom runs on. Read again on reconnect.",
    }),
    // The document as it was pasted, or compressed where it is long. A stored one is kept unless another one is pasted.
    "document.text": secret("Document", {
      control: "custom",
      when: isChosen("document.from", "text"),
      toKept: (held) => ((held.value?.length ?? 0) > MAX_KEPT_CHARS ? { ...held, value: "" } : held),
    }),
    url: text("Address", { required: true, mono: true, inputMode: "url", toKept: withoutAddressSecrets }),
    headers: secrets(
      "Headers",
      { one: "header", add: "Add header", name: "Authorization" },
      "Sent with every request. Values are stored encrypted.",
    ),
    query: secrets(
      "Query parameters",
      { one: "query parameter", add: "Add query parameter", name: "api_key" },
      "Sent with every request. Values are stored encrypted.",
    ),
    "auth.type": choice("Sign-in", "none", AUTH_LABELS, {
      about: AUTH_ABOUT,
      dataKey: "auth",
      write: (_, draft) => readAuthType(draft),
    }),
    "auth.tokenUrl": text("Token URL", {
      required: true,
      mono: true,
      inputMode: "url",
      placeholder: "https://auth.example.com/oauth/token",
      when: (draft) =>
        signsInBy("token_exchange")(draft) ||
        (getKind(draft).needsTokenUrl && readAuthType(draft) === "client_credentials"),
    }),
    "auth.issuer": text("Issuer of the users' tokens", {
      required: true,
      mono: true,
      inputMode: "url",
      placeholder: "https://login.example.com",
      when: signsInBy("token_exchange"),
      hint: "A JWT of this issuer that a call came with, or the ID token of single sign-on with it. Tokens of others are not sent.",
    }),
    "auth.clientId": text("Client ID", {
      mono: true,
      when: signsInBy(...CLIENT_AUTH_TYPES, ...IDENTITY_AUTH_TYPES),
      write: (typed, draft) => typed.trim() || (hasOptionalClient(draft) ? undefined : ""),
    }),
    "auth.clientSecret": secret("Client secret", {
      when: signsInBy("oauth", "client_credentials", ...IDENTITY_AUTH_TYPES),
      // A public client has none; null would keep a stored one.
      write: (typed, draft) =>
        isFilled(typed) ? writeSecret(typed) : signsInBy("client_credentials")(draft) ? null : undefined,
    }),
    "auth.tokenFrom": choice("Token from", "file", TOKEN_SOURCES, { when: signsInBy("workload_identity") }),
    "auth.tokenFile": text("Token file", {
      required: true,
      mono: true,
      placeholder: "/var/run/secrets/tokens/mcp",
      when: (draft) => signsInBy("workload_identity")(draft) && draft["auth.tokenFrom"] === "file",
      hint: "An absolute path on the machine that Toolroom runs on. Read for each sign-in.",
    }),
    "auth.tokenVariable": text("Token variable", {
      required: true,
      mono: true,
      placeholder: "WORKLOAD_TOKEN",
      when: (draft) => signsInBy("workload_identity")(draft) && draft["auth.tokenFrom"] === "variable",
      hint: "The name of an environment variable of Toolroom.",
    }),
    "auth.audience": text("Audience", { mono: true, when: signsInBy("token_exchange"), hint: AUDIENCE_HINT }),
    "auth.resource": text("Resource", { mono: true, when: signsInBy("token_exchange"), hint: AUDIENCE_HINT }),
    "auth.privateKey": secret("Private key", {
      required: true,
      hint: "PEM, without a passphrase.",
      when: signsInBy("private_key_jwt"),
      write: (typed) => writeSecret(typed)?.trim() || null,
    }),
    "auth.algorithm": select("Algorithm", "RS256", ALGORITHMS, { when: signsInBy("private_key_jwt") }),
    "auth.scope": text("Scope", {
      mono: true,
      when: signsInBy(...CLIENT_AUTH_TYPES, ...IDENTITY_AUTH_TYPES),
      hint: "Names separated by spaces. Empty: what the server asks for.",
    }),
    "auth.acceptedIssuer": text("Accepted issuer", {
      mono: true,
      placeholder: "https://login.example.com",
      when: (draft) => !getKind(draft).needsTokenUrl && signsInBy(...CLIENT_AUTH_TYPES, "cross_app_access")(draft),
      hint: "Only where the sign-in says that the authorization server calls itself by another name than its address, and you know that name.",
    }),
    "operations.tags": lines("Tags", { mono: true, hint: "One per line." }),
    "operations.paths": lines("Paths", {
      mono: true,
      placeholder: "/pets/*",
      hint: "One per line, such as /pets/* or GET /pets/*. An operation with one of the tags or paths becomes a tool; all do where nothing is chosen.",
    }),
    outputSchemas: flag("Output schemas", {
      empty: true,
      hint: "Lists the output schema of each tool. Some clients take seconds to compile the schemas of a large API.",
    }),
    "credentials.mode": choice("Credentials", "shared", CREDENTIAL_LABELS, {
      about: CREDENTIAL_ABOUT,
      dataKey: "credentials",
      optional: true,
    }),
    "credentials.results": flag("Everyone may read arguments and results", {
      sends: "everyone",
      when: isPersonal,
      hint: "Otherwise only the caller, the people who may approve the call, and admins.",
    }),
    // With OAuth each user signs in instead, and with an identity provider users do nothing.
    "credentials.slots": rows<CredentialSlot>("Each user enters", isNamedSlot, toSentSlot, {
      when: (draft) => isPersonal(draft) && !signsInBy("oauth", ...IDENTITY_AUTH_TYPES)(draft),
    }),
    approval: select("Approval policy", "", POLICY_LABELS, {
      optional: true,
      hint: "Which of its tools require approval. A setting on a single tool wins over this.",
    }),
    changedTools: choice("Changed tools", "off", CHANGED_TOOLS_LABELS, { about: CHANGED_TOOLS_HINTS, optional: true }),
    "toolFilter.mode": choice("Offered tools", "all", FILTER_LABELS, { dataKey: "toolFilter", optional: true }),
    "toolFilter.names": lines("Tool names", {
      mono: true,
      rows: 4,
      write: splitLines,
      when: isChosen("toolFilter.mode", "only", "except"),
      hint: "One per line, as the server calls them: read_file, without the server's prefix.",
    }),
    sensitive: custom<SensitiveLines>("Masked values", NOTHING_SENSITIVE, {
      read: readSensitive,
      write: writeSensitive,
    }),
    "sampling.mode": choice("Sampling", "ask", SAMPLING_LABELS, {
      about: SAMPLING_HINTS,
      dataKey: "sampling",
      optional: true,
    }),
    "sampling.provider": text("Sampling provider", { required: true, when: isChosen("sampling.mode", "model") }),
    "sampling.model": text("Sampling model", { required: true, when: isChosen("sampling.mode", "model") }),
    "sampling.requestsPerCall": samplingLimit("Requests per call", SAMPLING_BUDGET.requestsPerCall),
    "sampling.tokensPerCall": samplingLimit("Tokens per call", SAMPLING_BUDGET.tokensPerCall),
    "sampling.requestsPerHour": samplingLimit("Requests per hour", SAMPLING_BUDGET.requestsPerHour),
    "sampling.tokensPerHour": samplingLimit("Tokens per hour", SAMPLING_BUDGET.tokensPerHour),
    askPeople: flag("People answer for programs", {
      hint: "Requests that the client of a call can't answer go to open pages of the console. Off: they are refused at once.",
    }),
    listTtlMs: number("Lists stay fresh for", {
      hint: "Milliseconds that clients may keep its lists. Empty: 60000.",
    }),
    protocol: choice(
      "Protocol",
      "auto",
      { auto: "Auto", legacy: "Legacy", stateless: "Stateless" },
      { about: PROTOCOL_ABOUT },
    ),
    timeoutMs: number("Call timeout", { hint: "Milliseconds. Empty: the limit of this installation." }),
    maxTotalTimeoutMs: number("Limit with progress", {
      hint: "Milliseconds. If set, each progress report restarts the time limit, up to this total.",
    }),
    connectTimeoutMs: number("Connection timeout"),
    roots: rows<Root>("Roots", isSentRoot, ({ uri, name }) => ({ uri: uri.trim(), name: name?.trim() || undefined }), {
      hint: "Folders that the server may work in. Toolroom cannot enforce this.",
    }),
  },
  hasField,
);

export type ServerDraft = DraftOf<(typeof SERVER_FORM)["fields"]>;

/** Fields with a good default, in the collapsed section. */
const ADVANCED: readonly ServerPath[] = [
  ...(["protocol", "timeoutMs", "maxTotalTimeoutMs", "connectTimeoutMs", "roots", "approval", "changedTools"] as const),
  ...(["toolFilter.mode", "toolFilter.names", "sensitive", "sampling.mode", "sampling.provider"] as const),
  ...(["sampling.model", "askPeople", "listTtlMs", "single"] as const),
  ...(["sampling.requestsPerCall", "sampling.tokensPerCall"] as const),
  ...(["sampling.requestsPerHour", "sampling.tokensPerHour"] as const),
];

export const isAdvanced = (path: string): boolean => findField(path, ADVANCED) !== "";

export const hasAdvanced = (draft: ServerDraft): boolean =>
  ADVANCED.some((path) => JSON.stringify(draft[path]) !== JSON.stringify(SERVER_FORM.fields[path].empty));
