import type { ApprovalPolicy } from "@/lib/contract/approval";
import type { CredentialMode } from "@/lib/contract/credential";
import type { ChangedToolsPolicy } from "@/lib/contract/held-change";
import type { SamplingMode, SamplingSetting } from "@/lib/contract/sampling";
import type {
  ServerAuth,
  ServerSettings,
  ServerSettingsInput,
  ServerTransport,
  ToolFilter,
} from "@/lib/contract/server";
import type { SigningAlgorithm } from "@/lib/contract/signing-algorithms";
import { credentialsFrom, credentialsOf, type SlotRow } from "./credential-draft";
import { documentOf, emptyOpenApiDraft, type OpenApiDraft, openApiDraftFrom, operationsOf } from "./openapi-draft";
import { sensitiveLines, sensitiveOf } from "./sensitive-draft";
import { linesOf } from "./text-lines";

/** Rows are told apart by a key of their own: names repeat while they are being typed. */
export interface TextRow {
  key: number;
  text: string;
}

export interface SecretRow {
  key: number;
  name: string;
  value: string;
  /** The name under which the server holds a value already; null for a new row. */
  storedName: string | null;
  /** A new value is being typed over the stored one. */
  replacing: boolean;
}

export interface RootRow {
  key: number;
  uri: string;
  name: string;
}

/** What stands in the form: the fields of every transport, so that trying another one loses nothing. */
export interface ServerDraft extends OpenApiDraft {
  name: string;
  title: string;
  transport: ServerTransport;
  command: string;
  args: TextRow[];
  env: SecretRow[];
  cwd: string;
  url: string;
  headers: SecretRow[];
  query: SecretRow[];
  authType: ServerAuth["type"];
  clientId: string;
  clientSecret: SecretRow;
  privateKey: SecretRow;
  algorithm: SigningAlgorithm;
  scope: string;
  protocol: "auto" | "legacy";
  timeoutMs: string;
  maxTotalTimeoutMs: string;
  connectTimeoutMs: string;
  roots: RootRow[];
  /** Empty: the global policy. */
  approval: ApprovalPolicy | "";
  changedTools: ChangedToolsPolicy;
  filterMode: ToolFilter["mode"] | "all";
  /** One name per line. */
  filterNames: string;
  /** One path per line; a tool's name before it limits it to this tool. */
  sensitiveArguments: string;
  sensitiveResults: string;
  sampling: SamplingMode;
  askPeople: boolean;
  /** Empty texts: none is chosen. */
  samplingModel: { provider: string; model: string };
  credentials: CredentialMode;
  slots: SlotRow[];
  openResults: boolean;
}

let lastKey = 0;
function nextKey(): number {
  lastKey += 1;
  return lastKey;
}

export const textRow = (text = ""): TextRow => ({ key: nextKey(), text });
export const rootRow = (uri = "", name = ""): RootRow => ({ key: nextKey(), uri, name });
export const secretRow = (name = "", value: string | null = "", storedName: string | null = null): SecretRow => ({
  key: nextKey(),
  name,
  value: value ?? "",
  storedName,
  replacing: false,
});

/** A value that is kept: it is stored under this very name and nothing was typed over it. */
export function keepsStored(row: SecretRow): boolean {
  return row.storedName !== null && row.storedName === row.name && row.value === "";
}

/** The draft without what tells its rows apart, and without secrets that are typed: what two edits are compared by. */
export function toComparable<Draft extends ServerDraft>(draft: Draft): Draft {
  const rows = ["args", "env", "headers", "query", "roots", "slots", "clientSecret", "privateKey"] as const;
  const text = (value: object) =>
    JSON.stringify(value, (key, part) => (key === "key" || key === "replacing" ? undefined : part));
  return { ...draft, ...Object.fromEntries(rows.map((field) => [field, text(draft[field])])) };
}

export function emptyDraft(): ServerDraft {
  return {
    name: "",
    title: "",
    transport: "stdio",
    command: "",
    args: [],
    env: [],
    cwd: "",
    url: "",
    headers: [],
    query: [],
    authType: "none",
    clientId: "",
    clientSecret: secretRow("clientSecret"),
    privateKey: secretRow("privateKey"),
    algorithm: "RS256",
    scope: "",
    protocol: "auto",
    timeoutMs: "",
    maxTotalTimeoutMs: "",
    connectTimeoutMs: "",
    roots: [],
    approval: "",
    changedTools: "off",
    filterMode: "all",
    filterNames: "",
    sensitiveArguments: "",
    sensitiveResults: "",
    sampling: "ask",
    askPeople: false,
    samplingModel: { provider: "", model: "" },
    credentials: "shared",
    slots: [],
    openResults: false,
    ...emptyOpenApiDraft(),
  };
}

/** @param settings as they are stored or were found in a pasted file; a null value is one that is stored */
export function draftFrom(settings: ServerSettings | ServerSettingsInput): ServerDraft {
  const secrets = (rows: readonly { name: string; value: string | null }[] | undefined) =>
    (rows ?? []).map(({ name, value }) => secretRow(name, value, value === null ? name : null));
  const number = (value: number | undefined) => (value === undefined ? "" : String(value));
  const draft: ServerDraft = {
    ...emptyDraft(),
    name: settings.name,
    title: settings.title ?? "",
    transport: settings.transport,
    protocol: settings.protocol ?? "auto",
    timeoutMs: number(settings.timeoutMs),
    maxTotalTimeoutMs: number(settings.maxTotalTimeoutMs),
    connectTimeoutMs: number(settings.connectTimeoutMs),
    roots: (settings.roots ?? []).map(({ uri, name }) => rootRow(uri, name)),
    approval: settings.approval ?? "",
    changedTools: settings.changedTools ?? "off",
    filterMode: settings.toolFilter?.mode ?? "all",
    filterNames: (settings.toolFilter?.names ?? []).join("\n"),
    sensitiveArguments: sensitiveLines(settings.sensitive, "arguments"),
    sensitiveResults: sensitiveLines(settings.sensitive, "results"),
    sampling: settings.sampling?.mode ?? "ask",
    askPeople: settings.askPeople ?? false,
    samplingModel: toPickedModel(settings.sampling),
    ...credentialsFrom(settings.credentials),
  };
  if (settings.transport === "stdio") {
    const { command, args, env, cwd } = settings;
    return { ...draft, command, args: (args ?? []).map(textRow), env: secrets(env), cwd: cwd ?? "" };
  }
  const auth = settings.auth ?? { type: "none" };
  const api = settings.transport === "openapi" ? { query: secrets(settings.query), ...openApiDraftFrom(settings) } : {};
  const remote = { ...draft, ...api, url: settings.url, headers: secrets(settings.headers), authType: auth.type };
  if (auth.type === "none") return remote;
  const single = (name: string, value: string | null | undefined) =>
    secretRow(name, value ?? "", value === null ? name : null);
  const common = { ...remote, clientId: auth.clientId ?? "", scope: auth.scope ?? "" };
  if (auth.type !== "private_key_jwt") return { ...common, clientSecret: single("clientSecret", auth.clientSecret) };
  return { ...common, privateKey: single("privateKey", auth.privateKey), algorithm: auth.algorithm ?? "RS256" };
}

function toPickedModel(setting: SamplingSetting | undefined): ServerDraft["samplingModel"] {
  return setting?.mode === "model" ? { provider: setting.provider, model: setting.model } : { provider: "", model: "" };
}

/** Empty rows are left out. */
const isFilled = (row: SecretRow): boolean => row.name !== "" || row.value !== "" || row.storedName !== null;

/** Where a row stands in what is sent: `env[1]`; empty rows are not sent. */
export function rowField(list: "env" | "headers" | "query", rows: readonly SecretRow[], row: SecretRow): string {
  return isFilled(row) ? `${list}[${rows.filter(isFilled).indexOf(row)}]` : `${list}[]`;
}

/** What a stored value whose row was renamed says: null, which the server refuses, rather than an empty value. */
function sentValue(row: SecretRow): string | null {
  return row.storedName !== null && row.value === "" ? null : row.value;
}

/** What is no number is sent as it was typed: the server's check says what is wrong with it. */
function numberOf(text: string): number | string | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  return /^\d{1,15}$/.test(typed) ? Number(typed) : typed;
}

const orUndefined = (text: string): string | undefined => (text.trim() === "" ? undefined : text.trim());

/** What the form means, with the fields of its transport only. The server judges it, so it need not be valid. */
export function settingsOf(draft: ServerDraft): ServerSettingsInput {
  const secrets = (rows: readonly SecretRow[]) =>
    rows.filter(isFilled).map((row) => ({ name: row.name.trim(), value: sentValue(row) }));
  const common = {
    name: draft.name.trim(),
    title: orUndefined(draft.title),
    protocol: draft.protocol,
    timeoutMs: numberOf(draft.timeoutMs),
    maxTotalTimeoutMs: numberOf(draft.maxTotalTimeoutMs),
    connectTimeoutMs: numberOf(draft.connectTimeoutMs),
    roots: draft.roots
      .filter(({ uri, name }) => uri !== "" || name !== "")
      .map(({ uri, name }) => ({ uri: uri.trim(), name: orUndefined(name) })),
    approval: draft.approval === "" ? undefined : draft.approval,
    changedTools: draft.changedTools === "off" ? undefined : draft.changedTools,
    toolFilter: draft.filterMode === "all" ? undefined : { mode: draft.filterMode, names: linesOf(draft.filterNames) },
    sensitive: sensitiveOf(draft),
    sampling: samplingOf(draft),
    askPeople: draft.askPeople ? true : undefined,
    credentials: credentialsOf(draft),
  };
  const settings =
    draft.transport === "stdio"
      ? {
          ...common,
          transport: draft.transport,
          command: draft.command.trim(),
          args: draft.args.map(({ text }) => text),
          env: secrets(draft.env),
          cwd: orUndefined(draft.cwd),
        }
      : {
          ...common,
          transport: draft.transport,
          url: draft.url.trim(),
          headers: secrets(draft.headers),
          auth: authOf(draft),
          ...(draft.transport === "openapi" && {
            document: documentOf(draft),
            query: secrets(draft.query),
            operations: operationsOf(draft),
            ...(draft.outputSchemas ? {} : { outputSchemas: false }),
          }),
        };
  // A limit that is no number makes it invalid, which is for the server to say.
  return settings as ServerSettingsInput;
}

function samplingOf({ sampling, samplingModel }: ServerDraft): SamplingSetting | undefined {
  if (sampling === "model") return { mode: sampling, ...samplingModel };
  return sampling === "decline" ? { mode: sampling } : undefined;
}

/** The kinds of authentication that a transport has. */
export function authTypesOf(transport: ServerTransport): readonly ServerAuth["type"][] {
  if (transport === "openapi") return ["none", "client_credentials"];
  return ["none", "oauth", "client_credentials", "private_key_jwt"];
}

function authOf(draft: ServerDraft): ServerAuth {
  const { transport, authType, clientId, clientSecret, privateKey, algorithm, scope, tokenUrl } = draft;
  if (authType === "none" || !authTypesOf(transport).includes(authType)) return { type: "none" };
  if (authType === "private_key_jwt") {
    const key = sentValue(privateKey)?.trim() || null;
    return { type: authType, clientId: clientId.trim(), privateKey: key, algorithm, scope: orUndefined(scope) };
  }
  const secret = sentValue(clientSecret);
  if (authType === "client_credentials") {
    return {
      type: authType,
      clientId: clientId.trim(),
      clientSecret: secret === "" ? null : secret,
      scope: orUndefined(scope),
      ...(transport === "openapi" && { tokenUrl: tokenUrl.trim() }),
    };
  }
  return {
    type: authType,
    clientId: orUndefined(clientId),
    clientSecret: secret === "" ? undefined : secret,
    scope: orUndefined(scope),
  };
}
