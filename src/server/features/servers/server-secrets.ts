import type { ApiDocumentSource } from "../../../lib/contract/api-document";
import type { SecretSetting, ServerAuth, ServerSettings } from "../../../lib/contract/server";
import { isOnlyReferences } from "../../../lib/server-settings/expand-variables";

/** The values that are stored encrypted and never sent to a browser. */
export interface ServerSecrets {
  env?: Record<string, string>;
  headers?: Record<string, string>;
  clientSecret?: string;
  privateKey?: string;
  query?: Record<string, string>;
  /** An OpenAPI document that was pasted: no secret, but too large for the settings. */
  document?: string;
}

export interface SeparatedSettings {
  /** Each secret is null. */
  settings: ServerSettings;
  secrets: ServerSecrets;
  /** Fields to keep for which nothing is stored. */
  missing: string[];
}

/**
 * Separates submitted settings from their secrets. A null value keeps the one stored under the same name; text that
 * consists of `${VARIABLE}` references is not secret and stays readable.
 */
export function separateSecrets(submitted: ServerSettings, stored: ServerSecrets): SeparatedSettings {
  const secrets: ServerSecrets = {};
  const missing: string[] = [];

  const separate = (list: SecretSetting[], kind: "env" | "headers" | "query"): SecretSetting[] =>
    list.map(({ name, value }, index) => {
      if (value !== null && isOnlyReferences(value)) return { name, value };
      const secret = value ?? readOwn(stored[kind], name);
      if (secret === undefined) missing.push(`${kind}[${index}].value`);
      else secrets[kind] = { ...secrets[kind], [name]: secret };
      return { name, value: null };
    });

  if (submitted.transport === "stdio")
    return { settings: { ...submitted, env: separate(submitted.env, "env") }, secrets, missing };
  const headers = separate(submitted.headers, "headers");
  const settings = { ...submitted, headers, auth: separateAuth(submitted.auth, stored, secrets, missing) };
  if (settings.transport === "openapi") {
    settings.query = separate(settings.query, "query");
    settings.document = separateDocument(settings.document, stored, secrets, missing);
  }
  return { settings, secrets, missing };
}

function separateDocument(
  document: ApiDocumentSource,
  stored: ServerSecrets,
  secrets: ServerSecrets,
  missing: string[],
): ApiDocumentSource {
  if (document.from !== "text") return document;
  const text = document.text ?? stored.document;
  if (text === undefined) missing.push("document.text");
  else secrets.document = text;
  return { ...document, text: null };
}

function separateAuth(auth: ServerAuth, stored: ServerSecrets, secrets: ServerSecrets, missing: string[]): ServerAuth {
  if (auth.type === "private_key_jwt") {
    if (auth.privateKey !== null && isOnlyReferences(auth.privateKey)) return auth;
    const key = auth.privateKey ?? stored.privateKey;
    if (key === undefined) missing.push("auth.privateKey");
    else secrets.privateKey = key;
    return { ...auth, privateKey: null };
  }
  if (auth.type === "none" || auth.clientSecret === undefined) return auth;
  if (auth.clientSecret !== null && isOnlyReferences(auth.clientSecret)) return auth;
  const secret = auth.clientSecret ?? stored.clientSecret;
  if (secret !== undefined) secrets.clientSecret = secret;
  else if (auth.type === "client_credentials") missing.push("auth.clientSecret");
  return { ...auth, clientSecret: null };
}

/**
 * The stored secrets that an edit may keep: none when headers would go to another origin, whose owner could read them. A
 * command is no such boundary: with other arguments the same program can print its environment.
 * @param candidate the submitted settings, not yet validated
 */
export function keepableSecrets(
  before: { settings: ServerSettings; secrets: ServerSecrets },
  candidate: unknown,
): ServerSecrets {
  const submitted = (typeof candidate === "object" && candidate !== null ? candidate : {}) as Record<string, unknown>;
  const { settings, secrets } = before;
  if (settings.transport === "stdio" || receiversOf(submitted) === receiversOf(settings)) return secrets;
  return secrets.document === undefined ? {} : { document: secrets.document };
}

/** The origins that secrets are sent to. */
function receiversOf({ url, auth }: { url?: unknown; auth?: unknown }): string {
  const { tokenUrl = "" } = (auth ?? {}) as { tokenUrl?: unknown };
  return JSON.stringify([getOrigin(url), getOrigin(tokenUrl)]);
}

/** An address that cannot be parsed, such as one with a variable, is returned unchanged. */
export function getOrigin(url: unknown): string {
  const text = String(url);
  return URL.canParse(text) ? new URL(text).origin : text;
}

/** The settings with their secrets in place again, for the connection only. */
export function joinSecrets(settings: ServerSettings, secrets: ServerSecrets): ServerSettings {
  const join = (list: SecretSetting[], kept: Record<string, string> | undefined): SecretSetting[] =>
    list.map(({ name, value }) => ({ name, value: value ?? readOwn(kept, name) ?? "" }));
  if (settings.transport === "stdio") return { ...settings, env: join(settings.env, secrets.env) };
  const remote = { headers: join(settings.headers, secrets.headers), auth: joinAuth(settings.auth, secrets) };
  if (settings.transport !== "openapi") return { ...settings, ...remote };
  const { document } = settings;
  const joined = document.from === "text" ? { ...document, text: document.text ?? secrets.document ?? "" } : document;
  return { ...settings, ...remote, query: join(settings.query, secrets.query), document: joined };
}

function joinAuth(auth: ServerAuth, secrets: ServerSecrets): ServerAuth {
  if (auth.type === "none") return auth;
  if (auth.type === "private_key_jwt") return { ...auth, privateKey: auth.privateKey ?? secrets.privateKey ?? null };
  return auth.clientSecret === null ? { ...auth, clientSecret: secrets.clientSecret ?? null } : auth;
}

function readOwn(map: Record<string, string> | undefined, name: string): string | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}
