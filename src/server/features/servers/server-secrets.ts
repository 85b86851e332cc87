import type { ApiDocumentSource } from "../../../lib/contract/api-document";
import type { SecretSetting, ServerAuth, ServerSettings } from "../../../lib/contract/server";
import { SERVER_KINDS, type ValueList } from "../../../lib/contract/server-kind";
import { isOnlyReferences } from "../../../lib/server-settings/expand-variables";
import { mapFields } from "../../../lib/server-settings/setting-fields";

/** The values that are stored encrypted and never sent to a browser. */
export interface ServerSecrets extends Partial<Record<ValueList, Record<string, string>>> {
  clientSecret?: string;
  privateKey?: string;
  /** An OpenAPI document that was pasted: no secret, but too large for the settings. */
  document?: string;
}

export interface SeparatedSettings {
  /** The settings, in which each secret is null. */
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

  const separate = (list: SecretSetting[], kind: ValueList): SecretSetting[] =>
    list.map(({ name, value }, index) => {
      if (value !== null && isOnlyReferences(value)) return { name, value };
      const secret = value ?? readOwn(stored[kind], name);
      if (secret === undefined) missing.push(`${kind}[${index}].value`);
      else secrets[kind] = { ...secrets[kind], [name]: secret };
      return { name, value: null };
    });

  const settings = mapFields(submitted, {
    values: separate,
    auth: (auth) => separateAuth(auth, stored, secrets, missing),
    document: (source) => separateDocument(source, stored, secrets, missing),
  });
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
  if (!("clientSecret" in auth) || auth.clientSecret === undefined) return auth;
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
  const isCommand = SERVER_KINDS[settings.transport].target === "command";
  if (isCommand || formatReceivers(submitted) === formatReceivers(settings)) return secrets;
  return secrets.document === undefined ? {} : { document: secrets.document };
}

/** The origins to which secrets are sent. */
function formatReceivers(settings: object): string {
  const { url, auth } = settings as { url?: unknown; auth?: unknown };
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
  return mapFields(settings, {
    values: (list, kind) => join(list, secrets[kind]),
    auth: (auth) => joinAuth(auth, secrets),
    document: (source) =>
      source.from === "text" ? { ...source, text: source.text ?? secrets.document ?? "" } : source,
  });
}

function joinAuth(auth: ServerAuth, secrets: ServerSecrets): ServerAuth {
  if (auth.type === "private_key_jwt") return { ...auth, privateKey: auth.privateKey ?? secrets.privateKey ?? null };
  if (!("clientSecret" in auth)) return auth;
  return auth.clientSecret === null ? { ...auth, clientSecret: secrets.clientSecret ?? null } : auth;
}

function readOwn(map: Record<string, string> | undefined, name: string): string | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}
