import path from "node:path";
import { type Problem, problemsOfIssues } from "../../../lib/contract/problem";
import {
  type SecretSetting,
  type ServerAuth,
  type ServerSettings,
  serverSettingsSchema,
} from "../../../lib/contract/server";
import { SERVER_KINDS, type ServerKind, type ValueList } from "../../../lib/contract/server-kind";
import { expandVariables, referencedVariables } from "../../../lib/server-settings/expand-variables";
import { pickFields, readFields } from "../../../lib/server-settings/setting-fields";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import { type AppError, invalidInput } from "../../platform/shared/app-error";
import { findSlotProblems, toPersonalSlots } from "./personal-slots";
import {
  joinSecrets,
  keepableSecrets,
  type SeparatedSettings,
  type ServerSecrets,
  separateSecrets,
} from "./server-secrets";
import { type MaskOf, restoreSettings } from "./setting-masks";
import { VALUE_LISTS } from "./value-lists";

/** Starting a server may include downloading it. */
const DEFAULT_CONNECT_TIMEOUT_MS = 60_000;

/**
 * Reads settings from a form or an import; every problem names its field.
 * @param before the edited server, whose stored values replace masks
 */
export function readSettings(
  candidate: unknown,
  getMask: MaskOf,
  before?: ServerSettings,
): { settings: ServerSettings; problems: [] } | { settings: null; problems: Problem[] } {
  const parsed = serverSettingsSchema.safeParse(candidate);
  if (!parsed.success) {
    return { settings: null, problems: problemsOfIssues(parsed.error.issues) };
  }
  const restored = restoreSettings(parsed.data, before, getMask);
  const problems = [...restored.problems, ...findProblems(restored.settings)];
  return problems.length > 0 ? { settings: null, problems } : { settings: restored.settings, problems: [] };
}

/** A server whose settings are replaced. */
export interface EditedServer {
  settings: ServerSettings;
  secrets: ServerSecrets;
}

/** Settings as they would be stored, with the secrets that an edit keeps. @param before undefined for a new server */
export function readEdit(
  candidate: unknown,
  before: EditedServer | undefined,
  getMask: MaskOf,
): SeparatedSettings | { problems: Problem[] } {
  const { settings, problems } = readSettings(candidate, getMask, before?.settings);
  if (settings === null) return { problems };
  return separateSecrets(settings, before === undefined ? {} : keepableSecrets(before, settings));
}

function findProblems(settings: ServerSettings): Problem[] {
  const problems: Problem[] = [];
  const { timeoutMs, maxTotalTimeoutMs } = settings;
  if (timeoutMs !== undefined && maxTotalTimeoutMs !== undefined && maxTotalTimeoutMs < timeoutMs) {
    problems.push({ path: "maxTotalTimeoutMs", message: "must not be less than the time limit of a call" });
  }
  if (settings.protocol === "stateless" && settings.transport === "sse") {
    problems.push({ path: "protocol", message: "must be 'auto' or 'legacy': the SSE transport has no other protocol" });
  }
  if ("single" in settings && settings.single === true && settings.credentials?.mode === "personal") {
    problems.push({ path: "single", message: "must be false: with personal credentials each user has a process" });
  }
  const kind = SERVER_KINDS[settings.transport];
  const ofFields = readFields<Problem>(settings, {
    command: (text, path) => (text.trim() === "" ? [{ path, message: "is required: the program to start" }] : []),
    values: findValueProblems,
    address: (url, path) => findUrlProblems(path, url),
    auth: (auth) => [...findAuthProblems(auth, kind), ...findKeyProblems(auth)],
    document: (source) => (source.from === "url" ? findUrlProblems("document.url", source.url) : []),
  });
  return [...problems, ...findSlotProblems(settings), ...ofFields];
}

function findValueProblems(rows: readonly SecretSetting[], list: ValueList): Problem[] {
  const rules = VALUE_LISTS[list];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [index, { name, value }] of rows.entries()) {
    const add = (field: "name" | "value", message: string | null): void => {
      if (message !== null) problems.push({ path: `${list}[${index}].${field}`, message });
    };
    add("name", rules.findNameProblem(name));
    if (value !== null) add("value", rules.findValueProblem(value));
    if (seen.has(rules.fold(name))) add("name", `'${name}' is listed twice`);
    seen.add(rules.fold(name));
  }
  return problems;
}

function findAuthProblems(auth: ServerAuth, { label, authTypes, needsTokenUrl }: ServerKind): Problem[] {
  if (!authTypes.includes(auth.type)) {
    const allowed = authTypes.map((type) => `'${type}'`).join(" or ");
    return [{ path: "auth.type", message: `must be ${allowed} for an ${label} server` }];
  }
  if (auth.type === "token_exchange") {
    return [...findUrlProblems("auth.tokenUrl", auth.tokenUrl), ...findUrlProblems("auth.issuer", auth.issuer)];
  }
  if (auth.type === "workload_identity") return findWorkloadProblems(auth);
  if (!needsTokenUrl || auth.type !== "client_credentials") return [];
  if (auth.tokenUrl) return findUrlProblems("auth.tokenUrl", auth.tokenUrl);
  return [{ path: "auth.tokenUrl", message: "is required: the address that issues access tokens" }];
}

const VARIABLE_NAME = /^[A-Za-z_]\w*$/;

function findWorkloadProblems(auth: Extract<ServerAuth, { type: "workload_identity" }>): Problem[] {
  const { tokenFrom, tokenFile = "", tokenVariable = "" } = auth;
  if (tokenFrom === "variable") {
    if (VARIABLE_NAME.test(tokenVariable)) return [];
    const message = "must be the name of an environment variable, such as WORKLOAD_TOKEN";
    return [{ path: "auth.tokenVariable", message: tokenVariable === "" ? `is required: it ${message}` : message }];
  }
  const isAbsolute = path.posix.isAbsolute(tokenFile) || path.win32.isAbsolute(tokenFile);
  if (isAbsolute || referencedVariables(tokenFile).length > 0) return [];
  const message = "must be an absolute path, such as /var/run/secrets/tokens/mcp";
  return [{ path: "auth.tokenFile", message: tokenFile === "" ? `is required: it ${message}` : message }];
}

/** The kind of key is known only when it is used, since variables may replace it. */
function findKeyProblems(auth: ServerAuth): Problem[] {
  if (auth.type !== "private_key_jwt" || auth.privateKey === null) return [];
  const { privateKey } = auth;
  const problem = (message: string): Problem[] => [{ path: "auth.privateKey", message }];
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----/.test(privateKey)) return problem("must not be protected by a passphrase");
  if (referencedVariables(privateKey).length > 0 || /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(privateKey)) return [];
  return problem("must be a private key in PEM format, which begins with -----BEGIN PRIVATE KEY-----");
}

function findUrlProblems(path: string, url: string): Problem[] {
  const problem = (message: string): Problem[] => [{ path, message }];
  // Variables are expanded when it connects.
  if (referencedVariables(url).length > 0) return [];
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return problem("must be an address that begins with https:// or http://");
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:")
    return problem("must begin with http:// or https://");
  if (parsed.username !== "" || parsed.password !== "") {
    return problem("must not contain a user name or password: put them into a header, where they are kept encrypted");
  }
  return [];
}

/** Settings and secrets as the connection takes them; `${VARIABLES}` are expanded there. */
export function toConnectionSettings(
  stored: ServerSettings,
  secrets: ServerSecrets,
  enabled: boolean,
): ConnectionSettings {
  const settings = joinSecrets(stored, secrets);
  const shared = {
    name: settings.name,
    enabled,
    protocol: settings.protocol,
    connectTimeoutMs: settings.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    roots: settings.roots,
    sampling: settings.sampling,
    askPeople: settings.askPeople,
    personal: toPersonalSlots(stored),
  };
  const toMap = (list: { name: string; value: string | null }[]): Record<string, string> =>
    Object.fromEntries(list.map(({ name, value }) => [name, value ?? ""]));
  const complete: ServerSettings = { ...SERVER_KINDS[settings.transport].defaults, ...settings };
  const { transport } = settings;
  // The compiler does not follow the fields of a kind through the table.
  return { ...shared, transport, ...pickFields(complete, { values: toMap }) } as ConnectionSettings;
}

/** A note for each variable that the settings name and the environment does not have. */
export function unsetVariables(
  settings: ServerSettings,
  variables: Readonly<Record<string, string | undefined>>,
): string[] {
  const texts = readFields(settings, {
    command: (text) => [text],
    arguments: (args) => args,
    address: (url) => [url],
    values: (rows) => rows.map(({ value }) => value ?? ""),
    path: (text) => [text],
    document: (source) => (source.from === "url" ? [source.url] : []),
    auth: (auth) => ("tokenUrl" in auth && auth.tokenUrl ? [auth.tokenUrl] : []),
  });
  const missing = new Set(texts.flatMap((text) => expandVariables(text, variables).missing));
  return Array.from(
    missing,
    (name) =>
      `${name} is not set in Toolroom's environment: the server cannot connect until you set it or give it a default`,
  );
}

export function describeMissingSecret(path: string): Problem {
  return { path, message: "is required: nothing is stored for it, or it was stored for another address" };
}

export function toInvalidError(problems: readonly Problem[]): AppError {
  return invalidInput("The settings are invalid: ", problems);
}
