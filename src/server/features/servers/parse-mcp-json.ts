import { type ParseError, type ParseErrorCode, parse, printParseErrorCode } from "jsonc-parser";
import {
  isPlainObject,
  RESERVED_SERVER_NAMES,
  SERVER_NAME_PATTERN,
  SERVER_NAME_RULE,
  type ServerImport,
} from "../../../lib/contract";
import { type ReadEntry, readMcpEntry } from "./read-mcp-entry";

const MAX_TEXT_CHARS = 2_000_000;
const MAX_SERVERS = 200;
/** Where programs keep their servers, the deeper ones first. */
const SECTIONS: readonly (readonly string[])[] = [
  ["mcp", "servers"],
  ["mcp", "mcpServers"],
  ["mcpServers"],
  ["servers"],
];

type ImportedServer = ServerImport["servers"][number];

/**
 * Reads the servers out of what people have for other programs: `mcp.json` of Claude, Cursor and VS Code (with comments and
 * trailing commas), a `settings.json` with an `mcp` section, the servers alone, or one server alone. Never throws: what is
 * wrong with a server is among its `problems`, what was changed or left out among its `notes`. The types of the settings are
 * right; whether their values will do is for `readSettings` to say.
 */
export function parseMcpJson(text: string): ServerImport {
  if (text.trim() === "") return nothing("The text is empty: paste an mcp.json");
  if (text.length > MAX_TEXT_CHARS)
    return nothing(`The text is longer than ${MAX_TEXT_CHARS} characters: paste fewer servers`);
  const errors: ParseError[] = [];
  const json: unknown = parse(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) return nothing(describeFault(text, first));
  if (!isPlainObject(json)) return nothing('The text must be an object such as { "mcpServers": { … } }');

  const section = findSection(json);
  if (section !== null && !isPlainObject(section.servers)) {
    return nothing(`${section.field} must be an object from names to servers`);
  }
  if (section === null && looksLikeServer(json)) {
    const named = typeof json.name === "string" && json.name !== "" ? json.name : null;
    return { servers: [importServer(named, json, new Set())], problems: [] };
  }
  const found = Object.entries((section?.servers as Record<string, unknown> | undefined) ?? json);
  // Without a section other things may lie beside the servers.
  const entries = section === null ? found.filter(([, entry]) => isPlainObject(entry)) : found;
  if (section === null && !entries.some(([, entry]) => isPlainObject(entry) && looksLikeServer(entry))) {
    return nothing('No servers were found: expected { "mcpServers": { "name": { "command" or "url": … } } }');
  }
  if (entries.length === 0) return nothing(`${section?.field} holds no servers`);
  // Names that can stay are nobody else's.
  const taken = new Set(entries.map(([name]) => name).filter(isAllowed));
  const servers = entries.slice(0, MAX_SERVERS).map(([name, entry]) => importServer(name, entry, taken));
  const left = entries.length - servers.length;
  return { servers, problems: left > 0 ? [`${left} servers were left out: at most ${MAX_SERVERS} at a time`] : [] };
}

/**
 * One entry of the section `mcpServers` in the configuration file, whose names and fields are taken as they are: a name that
 * is not allowed is a problem, a field that means nothing here is not. `title`, `protocol`, `timeoutMs`,
 * `maxTotalTimeoutMs`, `connectTimeoutMs`, `roots` and `auth` are read as well.
 */
export function settingsFromConfigEntry(name: string, entry: unknown): Pick<ReadEntry, "settings" | "problems"> {
  const { settings, problems } = readMcpEntry(name, entry);
  const faults = isAllowed(name) ? problems : [`name: '${name}' must be ${SERVER_NAME_RULE}: rename it`, ...problems];
  return { settings: faults.length > 0 ? null : settings, problems: faults };
}

function nothing(problem: string): ServerImport {
  return { servers: [], problems: [problem] };
}

function importServer(given: string | null, entry: unknown, taken: Set<string>): ImportedServer {
  const name = given !== null && isAllowed(given) ? given : freeName(given ?? deriveName(entry), taken);
  taken.add(name);
  const read = readMcpEntry(name, entry);
  const notes = [...read.notes];
  if (given === null) notes.unshift(`The text names no server: it is called '${name}'`);
  else if (given !== name) notes.unshift(`Called '${name}' here: '${given.slice(0, 200)}' ${whyNot(given)}`);
  if (read.unknown.length > 0)
    notes.push(`kept out: ${read.unknown.map((field) => `'${field}'`).join(", ")}, which mean nothing here`);
  return { name, settings: read.settings, problems: read.problems, notes };
}

function findSection(json: Record<string, unknown>): { field: string; servers: unknown } | null {
  for (const path of SECTIONS) {
    let found: unknown = json;
    for (const key of path) found = isPlainObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    // A server may be called `servers` or `mcp`.
    if (found !== undefined && !(isPlainObject(found) && looksLikeServer(found))) {
      return { field: path.join("."), servers: found };
    }
  }
  // The dotted spelling of settings files.
  return Object.hasOwn(json, "mcp.servers") ? { field: "mcp.servers", servers: json["mcp.servers"] } : null;
}

function looksLikeServer(entry: Record<string, unknown>): boolean {
  return ["command", "url", "serverUrl", "httpUrl"].some(
    (key) => Object.hasOwn(entry, key) && typeof entry[key] === "string",
  );
}

function isAllowed(name: string): boolean {
  return SERVER_NAME_PATTERN.test(name) && !RESERVED_SERVER_NAMES.includes(name);
}

function whyNot(name: string): string {
  if (RESERVED_SERVER_NAMES.includes(name)) return "is a word of the console's own addresses";
  return `is not ${SERVER_NAME_RULE}`;
}

/** What comes nearest to a name and is a free prefix. */
function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const trim = (text: string): string => text.replace(/^-+|[-_]+$/g, "");
  const clean = wanted.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/_{2,}/g, "_");
  let base = trim(trim(clean).slice(0, 50));
  if (!isAllowed(base)) base = base === "" ? "server" : `${base}-server`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}

/** Programs that only start another one, which is what the server is. */
const LAUNCHERS =
  /^(npx|bunx|uvx|pnpx|pnpm|npm|yarn|node|bun|deno|python3?|py|uv|pipx|docker|podman|cmd|sh|bash|wsl|env)$/;
const LAUNCHER_WORDS = new Set(["dlx", "exec", "x", "run", "tool", "start", "/c"]);

/** `npx -y @scope/server-files@1.0` → `server-files`; `https://mcp.example.com/mcp` → `mcp-example-com`. */
function deriveName(entry: unknown): string {
  if (!isPlainObject(entry)) return "";
  const { command, args, url } = entry;
  if (typeof url === "string" && URL.canParse(url)) return new URL(url).hostname.replaceAll(".", "-");
  if (typeof command !== "string") return "";
  const program = stem(command);
  if (!LAUNCHERS.test(program) || !Array.isArray(args)) return program;
  const words = args.filter((word): word is string => typeof word === "string" && !word.startsWith("-"));
  const image = /^(docker|podman)$/.test(program) ? words.find((word) => IMAGE.test(word)) : undefined;
  const started = image ?? words.find((word) => !LAUNCHER_WORDS.has(word) && !LAUNCHERS.test(stem(word)));
  return started === undefined ? program : stem(started.replace(/(?<=.)[@:][^/@:]*$/, ""));
}

const IMAGE = /^[\w.-]+(?:\/[\w.-]+)+(?::[\w.-]+)?$/;

function stem(file: string): string {
  const last = file.split(/[\\/]/).findLast((part) => part !== "") ?? "";
  return last.replace(/\.(exe|cmd|bat|js|mjs|cjs|ts|py|sh)$/i, "");
}

const FAULTS: Partial<Record<string, string>> = {
  InvalidSymbol: "this is not JSON; text stands in double quotes",
  PropertyNameExpected: "a property name in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "nothing may follow the end of the object; when the text is a part of a file, put { } around it",
  UnexpectedEndOfString: "the closing quote is missing",
  UnexpectedEndOfComment: "the comment does not end",
  InvalidEscapeCharacter: "this escape is not JSON; a backslash in a path is written twice",
  InvalidCharacter: "a line break or control character stands inside a text",
};

function describeFault(text: string, { error, offset }: ParseError): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  const code = printParseErrorCode(error as ParseErrorCode);
  return `The text is not JSON: line ${line}, column ${column}: ${FAULTS[code] ?? code}`;
}
