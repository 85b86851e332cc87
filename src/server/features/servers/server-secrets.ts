import type { SecretSetting, ServerAuth, ServerSettings } from "../../../lib/contract";
import { isOnlyReferences } from "../../../lib/server-settings/expand-variables";

/** The values that are stored encrypted and never sent to a browser. */
export interface ServerSecrets {
  env?: Record<string, string>;
  headers?: Record<string, string>;
  clientSecret?: string;
}

export interface SeparatedSettings {
  /** With null in the place of each secret. */
  settings: ServerSettings;
  secrets: ServerSecrets;
  /** Values that were to be kept although nothing is stored under that name. */
  missing: string[];
}

/**
 * Takes the secrets out of what a form sent. A null value keeps what is stored under the same name; text that is nothing
 * but `${VARIABLE}` references tells no secret and stays readable.
 */
export function separateSecrets(given: ServerSettings, stored: ServerSecrets): SeparatedSettings {
  const secrets: ServerSecrets = {};
  const missing: string[] = [];

  const separate = (list: SecretSetting[], kind: "env" | "headers"): SecretSetting[] =>
    list.map(({ name, value }, index) => {
      if (value !== null && isOnlyReferences(value)) return { name, value };
      const secret = value ?? own(stored[kind], name);
      if (secret === undefined) missing.push(`${kind}[${index}].value`);
      else secrets[kind] = { ...secrets[kind], [name]: secret };
      return { name, value: null };
    });

  if (given.transport === "stdio") return { settings: { ...given, env: separate(given.env, "env") }, secrets, missing };
  const headers = separate(given.headers, "headers");
  return {
    settings: { ...given, headers, auth: separateAuth(given.auth, stored, secrets, missing) },
    secrets,
    missing,
  };
}

function separateAuth(auth: ServerAuth, stored: ServerSecrets, secrets: ServerSecrets, missing: string[]): ServerAuth {
  if (auth.type === "none" || auth.clientSecret === undefined) return auth;
  if (auth.clientSecret !== null && isOnlyReferences(auth.clientSecret)) return auth;
  const secret = auth.clientSecret ?? stored.clientSecret;
  if (secret !== undefined) secrets.clientSecret = secret;
  else if (auth.type === "client_credentials") missing.push("auth.clientSecret");
  return { ...auth, clientSecret: null };
}

/**
 * The stored secrets that an edit may keep: none when headers would go to another origin, whose owner could read them. A
 * command is no such border: with other arguments the same one prints what it was given.
 * @param candidate what the form sent, not yet checked
 */
export function keepableSecrets(
  before: { settings: ServerSettings; secrets: ServerSecrets },
  candidate: unknown,
): ServerSecrets {
  const given = (typeof candidate === "object" && candidate !== null ? candidate : {}) as Record<string, unknown>;
  const { settings, secrets } = before;
  if (settings.transport === "stdio" || originOf(given.url) === originOf(settings.url)) return secrets;
  return {};
}

/** What cannot be parsed, such as an address with a variable in it, stands for itself. */
function originOf(url: unknown): string {
  const text = String(url);
  return URL.canParse(text) ? new URL(text).origin : text;
}

/** The settings with their secrets in place again, for the connection only. */
export function joinSecrets(settings: ServerSettings, secrets: ServerSecrets): ServerSettings {
  const join = (list: SecretSetting[], kept: Record<string, string> | undefined): SecretSetting[] =>
    list.map(({ name, value }) => ({ name, value: value ?? own(kept, name) ?? "" }));
  if (settings.transport === "stdio") return { ...settings, env: join(settings.env, secrets.env) };
  const { auth } = settings;
  const withSecret =
    auth.type !== "none" && auth.clientSecret === null ? { ...auth, clientSecret: secrets.clientSecret ?? null } : auth;
  return { ...settings, headers: join(settings.headers, secrets.headers), auth: withSecret };
}

function own(map: Record<string, string> | undefined, name: string): string | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}
