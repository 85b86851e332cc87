import { isPlainObject } from "../../../../lib/contract/json";
import { splitCommandLine, splitWords } from "../../../../lib/server-settings/split-command-line";

export type Entry = Record<string, unknown>;

/**
 * One spelling for what clients spell differently: a command as a list (opencode) or an object (Zed), `environment`
 * (opencode), `cmd`, `uri` and `envs` (Goose), `server_url` (model APIs), `transport` as an object and `requestOptions` (Continue), tokens and headers by the names of variables
 * (Codex). Keys that are rewritten are gone from the result. Values of the wrong type stay, for the reader to refuse.
 */
export function normalizeEntry(given: Entry): Entry {
  const entry: Entry = { ...given };
  flattenTransport(entry);
  for (const spelling of ["server_url", "baseUrl", "uri"]) rename(entry, spelling, "url");
  rename(entry, "cmd", "command");
  flattenCommand(entry);
  unwrapShell(entry);
  rename(entry, "environment", "env");
  rename(entry, "envs", "env");
  rename(entry, "http_headers", "headers");
  rename(entry, "working_directory", "cwd");
  flattenRequestOptions(entry);
  addVariables(entry);
  return entry;
}

function take(entry: Entry, key: string): unknown {
  if (!Object.hasOwn(entry, key)) return undefined;
  const value = entry[key];
  delete entry[key];
  return value;
}

function rename(entry: Entry, from: string, to: string): void {
  if (Object.hasOwn(entry, from) && entry[to] === undefined) entry[to] = take(entry, from);
}

/** `transport: { type: "stdio", command: … }` */
function flattenTransport(entry: Entry): void {
  if (isPlainObject(entry.transport)) Object.assign(entry, take(entry, "transport"));
  rename(entry, "transportType", "type");
  rename(entry, "transport_type", "type");
}

function flattenCommand(entry: Entry): void {
  const { command } = entry;
  if (Array.isArray(command)) {
    const [program, ...args] = command as unknown[];
    entry.command = program;
    entry.args = [...args, ...(Array.isArray(entry.args) ? (entry.args as unknown[]) : [])];
  } else if (isPlainObject(command)) {
    const { path, args, env } = command;
    entry.command = path;
    if (args !== undefined) entry.args = args;
    if (env !== undefined && env !== null) entry.env = env;
  }
}

const WINDOWS_SHELL = /^(?:.*[\\/])?cmd(?:\.exe)?$/i;
const SHELL_SWITCH = /^\/[a-z](?::\w+)?$/i;
const RUNNER =
  /^(?:npx|npm|pnpx|pnpm|yarn|bunx?|uvx?|pipx|node|deno|python3?|py|docker|podman|dnx)(?:\.(?:cmd|exe|bat))?$/i;
/** Signs that only the shell interprets. */
const SHELL_SIGNS = /[&|<>^%\r\n]/;

/** A whole command line where the program alone belongs; a path may have spaces of its own. */
export function splitCommand(entry: Entry): Entry {
  const key = typeof entry.cmd === "string" ? "cmd" : "command";
  const { [key]: command, args } = entry;
  if (typeof command !== "string" || !/\s/.test(command.trim()) || (Array.isArray(args) && args.length > 0))
    return entry;
  const split = splitCommandLine(command);
  if (split === null || split.env.length > 0 || /[\\/]/.test(split.command)) return entry;
  return { ...entry, [key]: split.command, args: split.args };
}

/** `cmd /c npx …` is how clients on Windows start `npx`, which Toolroom finds itself, and on no other system. */
function unwrapShell(entry: Entry): void {
  const { command, args } = entry;
  if (typeof command !== "string" || !WINDOWS_SHELL.test(command) || !Array.isArray(args)) return;
  const words = args as unknown[];
  if (!words.every((word) => typeof word === "string")) return;
  const start = words.findIndex((word) => !SHELL_SWITCH.test(word));
  if (start < 1 || words[start - 1]?.toLowerCase() !== "/c") return;
  const given = words.slice(start);
  const [program = "", ...rest] = given.length === 1 ? (splitWords(given[0] ?? "") ?? []) : given;
  if (!RUNNER.test(program) || given.some((word) => SHELL_SIGNS.test(word))) return;
  entry.command = program.replace(/\.(?:cmd|bat)$/i, "");
  entry.args = rest;
}

function flattenRequestOptions(entry: Entry): void {
  if (!isPlainObject(entry.requestOptions)) return;
  const { headers, ...rest } = entry.requestOptions;
  delete entry.requestOptions;
  if (headers !== undefined) addPairs(entry, "headers", headers);
  if (Object.keys(rest).length > 0) entry.requestOptions = rest;
}

function addVariables(entry: Entry): void {
  const bearer = take(entry, "bearer_token_env_var");
  if (typeof bearer === "string" && bearer !== "")
    addPairs(entry, "headers", { Authorization: `Bearer ${toReference(bearer)}` });
  const apiKey = entry.url === undefined ? undefined : take(entry, "apiKey");
  if (typeof apiKey === "string" && apiKey !== "") addPairs(entry, "headers", { Authorization: `Bearer ${apiKey}` });
  const named = take(entry, "env_http_headers");
  if (isPlainObject(named)) addPairs(entry, "headers", referencesTo(Object.entries(named)));
  for (const key of ["authorization_token", "authorization"]) {
    const token = entry.url === undefined ? undefined : take(entry, key);
    if (typeof token !== "string" || token === "") continue;
    addPairs(entry, "headers", { Authorization: /^\w+ \S/.test(token) ? token : `Bearer ${token}` });
  }
  for (const passed of [take(entry, "env_vars"), take(entry, "env_keys")]) {
    if (!Array.isArray(passed)) continue;
    const names = passed.filter((name): name is string => typeof name === "string" && name !== "");
    addPairs(entry, "env", referencesTo(names.map((name) => [name, name])));
  }
}

function referencesTo(pairs: readonly (readonly [string, unknown])[]): Entry {
  return Object.fromEntries(
    pairs.map(([name, variable]) => [name, typeof variable === "string" ? toReference(variable) : variable]),
  );
}

/** An existing value wins. */
function addPairs(entry: Entry, key: "env" | "headers", pairs: unknown): void {
  const before = entry[key];
  if (before === undefined || before === null) entry[key] = pairs;
  else if (isPlainObject(before) && isPlainObject(pairs)) entry[key] = { ...pairs, ...before };
}

const toReference = (name: string): string => `\${${name}}`;

/**
 * Whether an entry is disabled, as clients write it into their files. Words such as "true" and YAML's `no` count as well:
 * in doubt nothing starts.
 */
export function isDisabledEntry(entry: unknown): boolean {
  if (!isPlainObject(entry)) return false;
  const says = (key: string, words: RegExp): boolean => Object.hasOwn(entry, key) && words.test(String(entry[key]));
  const isOff = ["enabled", "active"].some((key) => says(key, /^(?:false|no|off|0)$/i));
  return isOff || says("disabled", /^(?:true|yes|on|1)$/i);
}
