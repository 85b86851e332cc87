import { type Problem, problemsOfIssues } from "../../../lib/contract/problem";
import { type ServerAuth, type ServerSettings, serverSettingsSchema } from "../../../lib/contract/server";
import { expandVariables, referencedVariables } from "../../../lib/server-settings/expand-variables";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import { type AppError, invalidInput } from "../../platform/shared/app-error";
import { findSlotProblems, toPersonalSlots } from "./personal-slots";
import { joinSecrets, type ServerSecrets } from "./server-secrets";
import { type MaskOf, restoreSettings } from "./setting-masks";

/** Starting a server may include downloading it. */
const DEFAULT_CONNECT_TIMEOUT_MS = 60_000;

/**
 * Reads settings from a form or an import; every problem names its field.
 * @param before of the server that is edited: what its masks stand for is put in their place
 */
export function readSettings(
  candidate: unknown,
  maskOf: MaskOf,
  before?: ServerSettings,
): { settings: ServerSettings; problems: [] } | { settings: null; problems: Problem[] } {
  const parsed = serverSettingsSchema.safeParse(candidate);
  if (!parsed.success) {
    return { settings: null, problems: problemsOfIssues(parsed.error.issues) };
  }
  const restored = restoreSettings(parsed.data, before, maskOf);
  const problems = [...restored.problems, ...findProblems(restored.settings)];
  return problems.length > 0 ? { settings: null, problems } : { settings: restored.settings, problems: [] };
}

function findProblems(settings: ServerSettings): Problem[] {
  const problems: Problem[] = [];
  const unique = (list: readonly { name: string }[], field: string, fold: (name: string) => string): void => {
    const seen = new Set<string>();
    for (const [index, { name }] of list.entries()) {
      if (seen.has(fold(name)))
        problems.push({ path: `${field}[${index}].name`, message: `'${name}' is listed twice` });
      seen.add(fold(name));
    }
  };
  const { timeoutMs, maxTotalTimeoutMs } = settings;
  if (timeoutMs !== undefined && maxTotalTimeoutMs !== undefined && maxTotalTimeoutMs < timeoutMs) {
    problems.push({ path: "maxTotalTimeoutMs", message: "must not be less than the time limit of a call" });
  }
  problems.push(...findSlotProblems(settings));
  if (settings.transport === "stdio") {
    if (settings.command.trim() === "")
      problems.push({ path: "command", message: "is required: the program to start" });
    for (const [index, { name }] of settings.env.entries()) {
      if (/[=\0]/.test(name)) problems.push({ path: `env[${index}].name`, message: "must not contain '='" });
    }
    unique(settings.env, "env", (name) => name);
    return problems;
  }
  for (const [index, { name, value }] of settings.headers.entries()) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      problems.push({ path: `headers[${index}].name`, message: `'${name}' is not a header name` });
    }
    if (value !== null && /[\r\n\0]/.test(value)) {
      problems.push({ path: `headers[${index}].value`, message: "must be one line" });
    }
  }
  unique(settings.headers, "headers", (name) => name.toLowerCase());
  problems.push(...findUrlProblems("url", settings.url), ...findKeyProblems(settings.auth));
  if (settings.transport !== "openapi") return problems;
  unique(settings.query, "query", (name) => name);
  return [...problems, ...findApiProblems(settings)];
}

function findApiProblems({ auth, document }: Extract<ServerSettings, { transport: "openapi" }>): Problem[] {
  const problems = document.from === "url" ? findUrlProblems("document.url", document.url) : [];
  if (auth.type === "none") return problems;
  if (auth.type !== "client_credentials") {
    problems.push({ path: "auth.type", message: "must be 'none' or 'client_credentials' for an OpenAPI server" });
  } else if (!auth.tokenUrl) {
    problems.push({ path: "auth.tokenUrl", message: "is required: the address that issues access tokens" });
  } else problems.push(...findUrlProblems("auth.tokenUrl", auth.tokenUrl));
  return problems;
}

/** The kind of key is only known when it is used, since variables may stand for it. */
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
  if (settings.transport === "stdio") {
    const { command, args, cwd } = settings;
    return { ...shared, transport: "stdio", command, args, env: toMap(settings.env), cwd: cwd ?? null };
  }
  const { transport, url } = settings;
  const auth: ServerAuth = settings.auth;
  const remote = { ...shared, url, headers: toMap(settings.headers), auth };
  if (transport !== "openapi") return { ...remote, transport };
  const { document, query, operations = { tags: [], paths: [] }, outputSchemas = true } = settings;
  return { ...remote, transport, document, query: toMap(query), operations, outputSchemas };
}

/** A note for each variable that the settings name and the environment does not have. */
export function unsetVariables(
  settings: ServerSettings,
  variables: Readonly<Record<string, string | undefined>>,
): string[] {
  const values = (list: { value: string | null }[]): string[] => list.map(({ value }) => value ?? "");
  const texts =
    settings.transport === "stdio"
      ? [settings.command, ...settings.args, ...values(settings.env), settings.cwd ?? ""]
      : [settings.url, ...values(settings.headers), ...(settings.transport === "openapi" ? apiTexts(settings) : [])];
  const missing = new Set(texts.flatMap((text) => expandVariables(text, variables).missing));
  return Array.from(
    missing,
    (name) =>
      `${name} is not set in Toolroom's environment: the server cannot connect until you set it or give it a default`,
  );
}

function apiTexts({ query, document, auth }: Extract<ServerSettings, { transport: "openapi" }>): string[] {
  const tokenUrl = auth.type === "client_credentials" ? (auth.tokenUrl ?? "") : "";
  return [...query.map(({ value }) => value ?? ""), document.from === "url" ? document.url : "", tokenUrl];
}

/** The command line or the address, for lists. */
export function describeTarget(settings: ServerSettings): string {
  if (settings.transport !== "stdio") return settings.url;
  return [settings.command, ...settings.args]
    .map((part) => (/[\s"'\\]/.test(part) ? JSON.stringify(part) : part))
    .join(" ");
}

export function describeMissingSecret(path: string): Problem {
  return { path, message: "is required: nothing is stored for it, or it was stored for another address" };
}

export function toInvalidError(problems: readonly Problem[]): AppError {
  return invalidInput("The settings are invalid: ", problems);
}
