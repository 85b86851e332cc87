import { isPlainObject } from "../../../../lib/contract/json";
import type { ServerImport } from "../../../../lib/contract/server-import";
import type { ParseConfigText } from "../../../engine/mcp-ports";
import { TimeSlice } from "../../../engine/time-slice";
import { readClientCommands, readPlainCommand } from "./client-commands";
import { findServers } from "./find-servers";
import { readGooseLink } from "./goose-link";
import { isShellEntry, noteLiterals } from "./literal-notes";
import { type Found, MAX_SERVERS, type NamedEntry, namedEntry } from "./named-entry";
import { isDisabledEntry, splitCommand } from "./normalize-entry";
import { readEntry } from "./read-entry";
import { readText } from "./read-text";
import { deriveName, describeNameProblem, findFreeName, isAllowedName } from "./server-names";

const START =
  "(?:vscode(?:-insiders)?:(?://)?mcp/install|https://(?:insiders\\.)?vscode\\.dev/redirect(?:/mcp/install)?|cursor://anysphere\\.cursor-deeplink/mcp/install|https://(?:www\\.)?cursor\\.com/(?:[\\w-]{1,20}/){0,2}(?:install-mcp|mcp/install)|lmstudio://add_mcp|https://lmstudio\\.ai/install-mcp|kiro://kiro\\.mcp/add|https://kiro\\.dev/launch/mcp/add|goose://extension)\\?";
/** The whole line, or a link in Markdown or HTML. */
const LINE = new RegExp(`^${START}\\S+$`);
const LINK_PARAMETERS = ["name", "config", "inputs", "quality", "url"];
const LINK = new RegExp(`${START}[^\\s"'<>)\\]]+`, "g");
/** The limit of a link's text: links are addresses, which browsers limit too. */
const MAX_CHARS = 65_536;

/** `$NAME` is a variable only where it is a whole word: never inside `pa$$word` or before a lower-case letter. */
const BARE = /(^|[\s=:/,;"'@])\$([A-Z_][A-Z0-9_]+)(?=$|[\s/:;,"'@&])/g;
/** opencode: `{env:NAME}`. Environment variables keep their case. */
const OPENCODE = /(?<!\$)\{env:([A-Za-z_]\w*)\}/g;
/** The variables of Continue: `${{ secrets.NAME }}`. */
const CONTINUE = /\$\{\{\s{0,9}(?:secrets|inputs|env)\.([\w./-]{1,200})\s{0,9}\}\}/g;
const INPUT = /\$\{(?:input|promptString):([^}]{1,200})\}/g;
/** A secret of GitHub's coding agent, which is referred to by its bare name. */
const COPILOT_SECRET = /^COPILOT_MCP_\w+$/;

const MAX_IMPORT_CHARS = 1_000_000;

type ImportedServer = ServerImport["servers"][number];

/**
 * Reads servers from the configuration of other clients: their files (JSON with comments, YAML, TOML), a part of one,
 * an entry of the MCP registry, or a command line that adds a server. Never throws: a server's errors are in its
 * `problems`, changed or omitted parts in its `notes`. The types of the settings are right; `readSettings` checks their
 * values.
 */
export async function parseImport(text: string, parse: ParseConfigText): Promise<ServerImport> {
  if (text.trim() === "") return nothing("The text is empty: paste a configuration, such as an mcp.json");
  if (text.length > MAX_IMPORT_CHARS)
    return nothing(`The text is longer than ${MAX_IMPORT_CHARS} characters: paste fewer servers`);
  const { found, inputs } = await find(unwrap(text), parse);
  if ("problem" in found) return nothing(found.problem);
  const names = new Names(found.servers);
  const servers: ImportedServer[] = [];
  const slice = new TimeSlice();
  for (const server of found.servers.slice(0, MAX_SERVERS)) {
    servers.push(importServer(server, names, inputs));
    await slice.pause();
  }
  const left = found.servers.length - servers.length;
  const problems = found.problems ?? [];
  if (left > 0) problems.push(`${left} servers were left out: at most ${MAX_SERVERS} at a time`);
  return { servers, problems, notes: found.notes };
}

/** Removes a byte order mark, and the fence of a code block in Markdown. */
function unwrap(text: string): string {
  const plain = text.replace(/^\uFEFF/, "");
  return /^\s*```[\w-]*[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```\s*$/.exec(plain)?.[1] ?? plain;
}

async function find(text: string, parse: ParseConfigText): Promise<{ found: Found; inputs: Inputs }> {
  const links = await readInstallLinks(text, parse);
  if (links !== null) return { found: links.found, inputs: readInputs(links.inputs) };
  const commands = (await readClientCommands(text, parse)) ?? readPlainCommand(text);
  if (commands !== null) return { found: commands, inputs: new Map() };
  const read = await readText(text, parse);
  if ("problem" in read) return { found: read, inputs: new Map() };
  const found = findServers(read.value);
  const inputs = toInputs(read.value);
  return { found: "problem" in found ? found : { ...found, notes: [...read.notes, ...found.notes] }, inputs };
}

function toInputs(value: unknown): Inputs {
  if (!isPlainObject(value)) return new Map();
  const { mcp } = value;
  return readInputs(value.inputs ?? (isPlainObject(mcp) ? mcp.inputs : undefined));
}

function nothing(problem: string): ServerImport {
  return { servers: [], problems: [problem], notes: [] };
}

/** Gives every server a name of its own. A name that is allowed stays with the first server that has it. */
class Names {
  readonly #given: ReadonlySet<string>;
  readonly #used = new Set<string>();

  constructor(servers: readonly NamedEntry[]) {
    this.#given = new Set(servers.flatMap(({ name }) => (name !== null && isAllowedName(name) ? [name] : [])));
  }

  choose({ name: given, entry }: NamedEntry): string {
    const keeps = given !== null && isAllowedName(given) && !this.#used.has(given);
    const isTaken = (name: string): boolean => this.#used.has(name) || this.#given.has(name);
    const name = keeps ? given : findFreeName(given ?? deriveName(entry), isTaken);
    this.#used.add(name);
    return name;
  }
}

function importServer(server: NamedEntry, names: Names, inputs: Inputs): ImportedServer {
  const name = names.choose(server);
  const enabled = !isDisabledEntry(server.entry);
  const notes = [...nameNotes(server.name, name), ...server.notes];
  if (server.problems.length > 0) return { name, enabled, settings: null, problems: server.problems, notes };
  const rewritten = rewriteVariables(splitEntry(server.entry, notes), inputs);
  const read = readEntry(name, rewritten.entry);
  notes.push(...rewritten.notes, ...noteLiterals(rewritten.entry), ...read.notes);
  if (!enabled) notes.push("Disabled in the configuration: it is imported disabled and does not start");
  if (read.settings?.approval === "never") notes.push("approval: none of its tools will require approval");
  if (read.unknown.length > 0) notes.push(`ignored: ${read.unknown.map((field) => field.slice(0, 100)).join(", ")}`);
  return { name, enabled, settings: read.settings, problems: read.problems, notes };
}

function splitEntry(entry: unknown, notes: string[]): unknown {
  if (!isPlainObject(entry)) return entry;
  const split = splitCommand(entry);
  if (split !== entry) notes.push("command: was split into the program and its arguments");
  else if (typeof entry.command === "string" && /\s-\S/.test(entry.command) && !Array.isArray(entry.args)) {
    notes.push("command: is read as the path of a program; if it has arguments, move them to args in the form");
  }
  return split;
}

function nameNotes(given: string | null, name: string): string[] {
  if (given === null) return [`No name in the configuration; named '${name}'`];
  if (given === name) return [];
  const why = isAllowedName(given) ? "appears more than once" : describeNameProblem(given);
  return [`Renamed to '${name}': '${given.slice(0, 200)}' ${why}`];
}

/** The inputs that VS Code asks for once, by id. */
type Inputs = ReadonlyMap<string, { description: string | null; fallback: string | null }>;

function readInputs(value: unknown): Inputs {
  const list = Array.isArray(value) ? value.filter(isPlainObject) : [];
  return new Map(
    list.flatMap((input) => {
      if (typeof input.id !== "string") return [];
      const description = typeof input.description === "string" ? input.description.slice(0, 200) : null;
      const fallback = typeof input.default === "string" && !input.default.includes("}") ? input.default : null;
      return [[input.id, { description, fallback }] as const];
    }),
  );
}

/**
 * Writes the variables of other clients as `${NAME}`, the form that is expanded here, and says so for each field. Other
 * texts stay unchanged.
 */
function rewriteVariables(entry: unknown, inputs: Inputs): { entry: unknown; notes: string[] } {
  const notes: string[] = [];
  // A shell expands its own variables.
  const inShell = isShellEntry(entry);
  const rewrite = (value: unknown, path: string): unknown => {
    if (typeof value === "string")
      return rewriteText(value, path, { inputs, notes, bare: !(inShell && isArgument(path)) });
    if (Array.isArray(value)) return value.map((item, index) => rewrite(item, `${path}[${index}]`));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, rewrite(item, path === "" ? key : `${path}.${key}`)]),
    );
  };
  return { entry: rewrite(entry, ""), notes };
}

interface Rewriting {
  inputs: Inputs;
  notes: string[];
  bare: boolean;
}

const isArgument = (path: string): boolean => path.startsWith("args[");

function rewriteText(text: string, path: string, { inputs, notes, bare }: Rewriting): string {
  let result = text.replace(INPUT, (whole, id: string) => {
    const input = inputs.get(id);
    const variable = variableName(id);
    const description = input?.description == null ? "" : ` (${input.description})`;
    const todo =
      input?.fallback == null ? "; set that variable in Toolroom's environment, or enter the value in the form" : "";
    notes.push(`${path}: ${whole}${description} was imported as ${reference(variable)}${todo}`);
    return input?.fallback == null ? reference(variable) : reference(`${variable}:-${input.fallback}`);
  });
  const noted = (whole: string, variable: string): string => {
    notes.push(`${path}: ${whole} was imported as ${reference(variable)}`);
    return reference(variable);
  };
  result = result
    .replace(OPENCODE, (whole, name: string) => noted(whole, name))
    .replace(CONTINUE, (whole, name: string) => noted(whole, variableName(name)));
  if (COPILOT_SECRET.test(result)) return noted(result, result);
  if (!bare) return result;
  return result.replace(BARE, (_, before: string, name: string) => {
    notes.push(
      `${path}: $${name} was imported as ${reference(name)}, a variable; if it is plain text, correct it in the form`,
    );
    return before + reference(name);
  });
}

const reference = (inside: string): string => `\${${inside}}`;

/** Converts an id to a variable name: `github-token` → `GITHUB_TOKEN`. */
function variableName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9_]+/g, "_").toUpperCase();
  return /^\d/.test(name) ? `_${name}` : name;
}

/** The servers of "Install in VS Code" and "Install in Cursor" links; null for a text without one. */
async function readInstallLinks(
  text: string,
  parse: ParseConfigText,
): Promise<{ found: Found; inputs: unknown } | null> {
  if (/^\s*\{/.test(text) || text.length > MAX_CHARS) return null;
  const lines = text.split("\n").map((line) => line.trim());
  const links = new Set(lines.flatMap((line) => (LINE.test(line) ? [line] : (line.match(LINK) ?? []))));
  if (links.size === 0) return null;
  const servers = new Map<string, NamedEntry>();
  const inputs: unknown[] = [];
  const problems = new Set<string>();
  for (const link of [...links].slice(0, MAX_SERVERS)) {
    const read = await readLink(link, parse);
    if ("problem" in read) {
      problems.add(read.problem);
      continue;
    }
    // A page may have the same server for several editors.
    servers.set(JSON.stringify([read.server.name, read.server.entry]), read.server);
    if (Array.isArray(read.inputs)) inputs.push(...read.inputs);
  }
  return { found: { servers: [...servers.values()], notes: [], problems: [...problems] }, inputs };
}

async function readLink(
  link: string,
  parse: ParseConfigText,
): Promise<{ server: NamedEntry; inputs: unknown } | { problem: string }> {
  const query = link.slice(link.indexOf("?") + 1);
  const given = new URLSearchParams(query);
  if (link.startsWith("goose:")) return readGooseLink(given);
  const inner = given.get("url");
  if (inner !== null && LINE.test(inner)) return readLink(inner, parse);
  const name = given.get("name");
  const config = await readConfig(given.get("config") ?? decode(query), parse);
  if (!isPlainObject(config)) {
    const which = name === null ? "The install link" : `The install link of '${name.slice(0, 100)}'`;
    return {
      problem: `${which} has no readable configuration: copy the whole link, or paste the server's configuration`,
    };
  }
  const { name: own, inputs, ...entry } = config;
  const named = name ?? (typeof own === "string" ? own : null);
  const asked = given.get("inputs");
  const unread = [...new Set(given.keys())].filter((key) => given.has("config") && !LINK_PARAMETERS.includes(key));
  const ignored = unread.length === 0 ? [] : [`ignored: ${unread.map((key) => key.slice(0, 100)).join(", ")}`];
  return {
    server: namedEntry(named, entry, ["Read from an install link", ...ignored]),
    inputs: asked === null ? inputs : await readConfig(asked, parse),
  };
}

/** JSON, or JSON in base64, in which a query turns `+` into a space. */
async function readConfig(text: string, parse: ParseConfigText): Promise<unknown> {
  for (const json of [text, Buffer.from(text.replaceAll(" ", "+"), "base64").toString("utf8")]) {
    if (!/^\s*[[{]/.test(json)) continue;
    const read = await readText(json, parse, "json");
    if (!("problem" in read)) return read.value;
  }
  return null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
