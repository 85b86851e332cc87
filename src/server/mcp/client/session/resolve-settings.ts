import { statSync } from "node:fs";
import path from "node:path";
import type { ServerAuth } from "../../../../lib/contract/server";
import { SERVER_KINDS } from "../../../../lib/contract/server-kind";
import { PLATFORM } from "../../../../lib/platform";
import { expandVariables, referencedVariables } from "../../../../lib/server-settings/expand-variables";
import {
  findValueSecrets,
  hideAddressSecrets,
  hideSecretArguments,
  isSecret,
} from "../../../../lib/server-settings/hide-secrets";
import type { ApiConnectionSettings, ConnectionSettings } from "../../../engine/mcp-ports";
import type { Redactor } from "../log/redactor";
import { createChildEnvironment } from "../process/child-environment";
import type { StdioCommand } from "../transport/spawn-command";
import { ConnectionError } from "./connection-error";
import { completeEnvironment } from "./system-environment";

export type Variables = Readonly<Record<string, string | undefined>>;

/** The target and settings of a connection, with all variables expanded. */
export type ConnectionTarget =
  | { transport: "stdio"; command: StdioCommand; withheld: string[] }
  | ({ transport: "http" | "sse" } & ResolvedAddress);

export interface ResolvedAddress {
  url: URL;
  headers: Record<string, string>;
  auth: ServerAuth;
}

export const isApiSettings = (settings: ConnectionSettings): settings is ApiConnectionSettings =>
  !SERVER_KINDS[settings.transport].speaksMcp;

export interface Folders {
  /** The base of relative paths. */
  rootDir: string;
  /** Toolroom's own files, such as the sample server; by default `rootDir`. */
  home?: string | undefined;
  /** The working folder of a server without a `cwd`; by default `rootDir`. */
  getFolder?: (server: string) => string;
}

export interface ResolveOptions extends Folders {
  /** Variables that processes get besides the usual ones. */
  passedVariables?: readonly string[] | undefined;
}

/**
 * Expands variables and registers every secret with `redactor`.
 * @throws ConnectionFault `failed`, naming the setting and the variables that are not set
 */
export function resolveSettings(
  settings: Exclude<ConnectionSettings, ApiConnectionSettings>,
  variables: Variables,
  options: ResolveOptions,
  redactor: Redactor,
): ConnectionTarget {
  const context = createResolveContext(variables, options.rootDir, redactor);
  switch (settings.transport) {
    case "stdio":
      return resolveCommand(settings, context, variables, options);
    case "http":
    case "sse":
      return { transport: settings.transport, ...resolveAddress(settings, context) };
  }
}

/** What a setting's values say of secrets: all of it is one, its name decides, or only what variables hold may be one. */
type SettingKind = { secret: true } | { name: string } | null;
type Expand = (label: string, text: string, kind: SettingKind) => string;
export interface ResolveContext {
  /** @throws ConnectionFault for a variable that is not set */
  expand: Expand;
  redactor: Redactor;
  rootDir: string;
}

export function createResolveContext(variables: Variables, rootDir: string, redactor: Redactor): ResolveContext {
  const addSecrets = (kind: SettingKind, value: string): void => {
    if (kind === null) return;
    for (const secret of "secret" in kind ? [value] : findValueSecrets(kind.name, value)) redactor.add(secret);
  };
  const expand: Expand = (label, text, kind) => {
    const { text: expanded, missing } = expandVariables(text, variables);
    if (missing.length > 0) throw missingVariables(label, missing);
    addSecrets(kind, expanded);
    for (const name of referencedVariables(text)) {
      const value = variables[name];
      if (value === undefined) continue;
      addSecrets(kind, value);
      addSecrets({ name }, value);
    }
    return expanded;
  };
  return { expand, redactor, rootDir };
}

type SettingsOf<Transport> = Extract<ConnectionSettings, { transport: Transport }>;

function resolveCommand(
  settings: SettingsOf<"stdio">,
  { expand, redactor, rootDir }: ResolveContext,
  variables: Variables,
  { home = rootDir, getFolder = () => rootDir, passedVariables }: ResolveOptions,
): ConnectionTarget {
  const shared = expandValues("environment value", settings.env, expand);
  const own = { ...shared, ...literalValues(settings, redactor) };
  const { environment, inherited, withheld } = createChildEnvironment(variables, own, passedVariables);
  const system = { platform: PLATFORM, execPath: process.execPath };
  // Proxies and registries may have a login in their address, which programs print in their errors.
  for (const [name, value] of Object.entries(inherited)) {
    for (const secret of findValueSecrets(name, value)) redactor.add(secret);
  }
  const place = (text: string): string => (settings.cwd === null ? resolveFile([rootDir, home], text) : text);
  const command: StdioCommand = {
    command: place(expand("command", settings.command, null)),
    args: settings.args.map((arg, index) => place(expand(`argument ${index + 1}`, arg, null))),
    environment: completeEnvironment(environment, variables, system),
    cwd: settings.cwd === null ? getFolder(settings.name) : path.resolve(rootDir, expand("cwd", settings.cwd, null)),
  };
  hideSecretArguments(command.args, (secret) => addSecret(secret, redactor));
  assertNoNulls(command);
  return { transport: "stdio", command, withheld };
}

/** Each user's own values are headers unless their slot is a query parameter. */
export function resolveAddress(
  settings: SettingsOf<"http" | "sse"> | ApiConnectionSettings,
  { expand, redactor }: ResolveContext,
): ResolvedAddress {
  const shared = expandValues("header", settings.headers, expand);
  const isQuery = ([name]: [string, string]): boolean => settings.personal?.query?.includes(name) === true;
  const entered = Object.entries(literalValues(settings, redactor)).filter((each) => !isQuery(each));
  const headers = { ...shared, ...Object.fromEntries(entered) };
  assertValidHeaders(headers);
  const { auth } = settings;
  if (auth.type === "private_key_jwt") expand("private key", auth.privateKey ?? "", { secret: true });
  else if ("clientSecret" in auth && auth.clientSecret) {
    expand("OAuth client secret", auth.clientSecret, { secret: true });
  }
  return { url: parseUrl(expand("URL", settings.url, null), redactor), headers, auth };
}

/** Expands a part of a command line or an address. @returns nothing to show in its place */
function addSecret(secret: string, redactor: Redactor): string {
  redactor.add(secret);
  return "";
}

/** A relative path is taken from the first of these folders where it leads to a file, such as one of `examples/`. */
function resolveFile(folders: readonly string[], text: string): string {
  if (!/[\\/]/.test(text) || text.startsWith("-") || text.includes("\0") || path.isAbsolute(text)) return text;
  const files = folders.map((folder) => path.resolve(folder, text));
  return files.find(isFile) ?? text;
}

function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A text that is too long for a path, or leads through what may not be read.
    return false;
  }
}

/** Returns a user's values literally: variables in them would read Toolroom's environment. */
function literalValues({ personalValues = {} }: ConnectionSettings, redactor: Redactor): Record<string, string> {
  for (const value of Object.values(personalValues)) redactor.add(value);
  return personalValues;
}

export function expandValues(
  kind: string,
  values: Readonly<Record<string, string>>,
  expand: Expand,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, expand(`${kind} '${name}'`, value, { name })]),
  );
}

function missingVariables(label: string, missing: readonly string[]): ConnectionError {
  const forms = missing.map((name) => `\${${name}}`).join(", ");
  return new ConnectionError(
    "failed",
    `The ${label} needs ${forms}, which is not set: set it in Toolroom's environment and start it again, or write \${NAME:-default}`,
  );
}

function assertNoNulls({ command, args, environment, cwd }: StdioCommand): void {
  const texts = [command, cwd, ...args, ...Object.keys(environment), ...Object.values(environment)];
  if (!texts.some((text) => text.includes("\0"))) return;
  throw new ConnectionError(
    "failed",
    "The command, its arguments and its environment must not contain a null character",
  );
}

function assertValidHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      // The platform's message would quote the value.
      throw new ConnectionError(
        "failed",
        `The header '${name}' cannot be sent: check its name and its value's characters`,
      );
    }
  }
}

export function parseUrl(text: string, redactor: Redactor): URL {
  if (!URL.canParse(text))
    throw new ConnectionError(
      "failed",
      `The URL '${redactor.apply(text)}' is not valid: enter one such as https://example.com/mcp`,
    );
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ConnectionError("failed", `The URL must begin with http:// or https://, not '${url.protocol}'`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConnectionError("failed", "The URL must not contain a user name or password: put them into a header");
  }
  for (const [name, value] of url.searchParams) if (isSecret(name, value)) redactor.add(value);
  hideAddressSecrets(text, (secret) => addSecret(secret, redactor));
  return url;
}
