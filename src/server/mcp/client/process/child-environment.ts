type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that most programs need to run. */
const BASIC = new Set(
  (
    "PATH HOME LANG LANGUAGE TZ TMPDIR TMP TEMP USER LOGNAME SHELL TERM " +
    "XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_BIN_HOME " +
    // Windows
    "ALLUSERSPROFILE APPDATA COMMONPROGRAMFILES COMMONPROGRAMFILES(X86) COMMONPROGRAMW6432 COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA " +
    "NUMBER_OF_PROCESSORS OS PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 PSMODULEPATH PUBLIC " +
    "SYSTEMDRIVE SYSTEMROOT USERNAME USERPROFILE WINDIR"
  ).split(" "),
);

/** How a machine reaches the network: proxies, certificates, and the settings of npm, pip and uv. */
const NETWORK = new Set(
  "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA NODE_USE_ENV_PROXY REQUESTS_CA_BUNDLE CURL_CA_BUNDLE".split(
    " ",
  ),
);
const NETWORK_PREFIX = /^(?:UV|PIP|NPM_CONFIG)_/;

/**
 * Settings that npm gives the commands that it starts, about that command: with them a server's own `npx` would look for its
 * package in Toolroom's folder, or repeat options that were meant for Toolroom.
 */
const OF_NPM_COMMAND =
  /^NPM_CONFIG_(?:CALL|DRY_RUN|FOREGROUND_SCRIPTS|GLOBAL|IF_PRESENT|IGNORE_SCRIPTS|INCLUDE|INCLUDE_WORKSPACE_ROOT|INIT_MODULE|JSON|LOCAL_PREFIX|LOCATION|LOGLEVEL|NODE_GYP|OFFLINE|OMIT|PACKAGE|PREFER_OFFLINE|PREFER_ONLINE|PREFIX|SILENT|USER_AGENT|WORKSPACE|WORKSPACES|YES)$/;

/** Names of variables that matter when a connection fails. */
const ABOUT_CONNECTIONS = /PROXY|CERT|SSL|TLS|CA_BUNDLE|CAFILE|REGISTRY|INDEX_URL|NETRC|NODE_OPTIONS/;

/** Programs that download a server before they start it. */
const INSTALLER = /^(?:npx|npm|pnpm|pnpx|yarn|bunx?|uvx?|pipx?|deno|go|cargo|dnx)(?:\.(?:exe|cmd|ps1))?$/i;
const NETWORK_FAILURE =
  /\b(?:E(?:NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|AI_AGAIN|HOSTUNREACH|NETUNREACH)|ERR_SOCKET_TIMEOUT)\b|certificate|self[-_ ]signed|UNABLE_TO_(?:GET|VERIFY)|unknown issuer|dns error|error sending request|tunnel|proxy|timed? ?out|connection (?:refused|reset)|could not (?:connect|resolve)|failed to (?:fetch|resolve host)|network is unreachable|name (?:or service|resolution)/i;

/** Whether a process inherits a variable by default. */
function isInherited(name: string, isStartedByNpm: boolean): boolean {
  const upper = name.toUpperCase();
  if (BASIC.has(upper) || upper.startsWith("LC_") || NETWORK.has(upper)) return true;
  if (!NETWORK_PREFIX.test(upper)) return false;
  return !isStartedByNpm || !OF_NPM_COMMAND.test(upper);
}

/** Whether a value is an exported shell function, which a shell would run. */
const isFunction = (value: string): boolean => value.startsWith("()");

/** @param pattern a name, or the beginning of one with `*` */
const fits = (name: string, pattern: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

export interface ChildEnvironment {
  /** All variables of the process. */
  environment: Record<string, string>;
  /** Inherited variables that may hold a credential and are not among the server's own settings. */
  inherited: Record<string, string>;
  /** Names of variables about connections that the process does not get, proxies first. */
  withheld: string[];
}

/**
 * The environment of a server's process: variables that every program needs, those that the configuration passes on, and
 * those of the server's own settings, which win.
 * @param own the environment of Toolroom @param passed names, or beginnings with `*`, that the configuration lists
 */
export function createChildEnvironment(
  own: Variables,
  configured: Readonly<Record<string, string>>,
  passed: readonly string[] = [],
): ChildEnvironment {
  const isStartedByNpm = own.npm_command !== undefined || own.npm_execpath !== undefined;
  const environment: Record<string, string> = {};
  const inherited: Record<string, string> = {};
  const withheld: string[] = [];
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || isFunction(value)) continue;
    const isPassed = passed.some((pattern) => fits(name, pattern));
    if (isPassed || isInherited(name, isStartedByNpm)) {
      environment[name] = value;
      if (!BASIC.has(name.toUpperCase())) inherited[name] = value;
    } else if (ABOUT_CONNECTIONS.test(name.toUpperCase()) && !Object.hasOwn(configured, name)) withheld.push(name);
  }
  const rank = (name: string): string => `${/PROXY/i.test(name) ? 0 : 1}${name}`;
  withheld.sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
  return { environment: { ...environment, ...configured }, inherited, withheld };
}

/**
 * For a server whose start failed as it does without access to a package registry: which variables exist here and are not
 * passed. Null where that explains nothing. Values are never named.
 * @param stderr the last lines of the process @param isSilent it did not answer in time
 */
export function explainWithheld(
  command: string,
  withheld: readonly string[],
  { stderr, isSilent }: { stderr: readonly string[]; isSilent: boolean },
): string | null {
  const program = command.split(/[\\/]/).at(-1) ?? command;
  if (withheld.length === 0 || !INSTALLER.test(program)) return null;
  if (!isSilent && !stderr.some((line) => NETWORK_FAILURE.test(line))) return null;
  const names = withheld.slice(0, MAX_NAMED).join(", ");
  const [is, it] = withheld.length === 1 ? ["is", "it"] : ["are", "them"];
  return `${names} ${is} set for Toolroom and not passed to the server: if '${program}' needs ${it} to reach its registry, list ${it} under "serverEnvironment" in the configuration, or set ${it} in the server's environment`;
}

const MAX_NAMED = 5;
