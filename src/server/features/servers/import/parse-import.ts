import { isPlainObject } from "../../../../lib/contract/json";
import type { ServerImport } from "../../../../lib/contract/server-import";
import type { ParseConfigText } from "../../../engine/mcp-ports";
import { TimeSlice } from "../../../engine/time-slice";
import { readClientCommands, readPlainCommand } from "./client-commands";
import { findServers } from "./find-servers";
import { type Inputs, readInputs, rewriteVariables } from "./imported-variables";
import { readInstallLinks } from "./install-links";
import { type Found, MAX_SERVERS, type NamedEntry } from "./named-entry";
import { isDisabledEntry } from "./normalize-entry";
import { readEntry } from "./read-entry";
import { readText } from "./read-text";
import { deriveName, describeNameProblem, findFreeName, isAllowedName } from "./server-names";

const MAX_IMPORT_CHARS = 1_000_000;

type ImportedServer = ServerImport["servers"][number];

/**
 * Reads the servers out of what people have for other clients: their files (JSON with comments, YAML, TOML), a part of
 * one, an entry of the MCP registry, or a command line that adds a server. Never throws: what is wrong with a server is
 * in its `problems`, what was changed or left out in its `notes`. The types of the settings are right; `readSettings`
 * checks their values.
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

/** Without a byte order mark, and without the fence of a code block in Markdown. */
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
  const rewritten = rewriteVariables(server.entry, inputs);
  const read = readEntry(name, rewritten.entry);
  notes.push(...rewritten.notes, ...read.notes);
  if (!enabled) notes.push("Disabled in the configuration: it is imported disabled and does not start");
  if (read.settings?.approval === "never") notes.push("approval: none of its tools will require approval");
  if (read.unknown.length > 0) notes.push(`ignored: ${read.unknown.map((field) => field.slice(0, 100)).join(", ")}`);
  return { name, enabled, settings: read.settings, problems: read.problems, notes };
}

function nameNotes(given: string | null, name: string): string[] {
  if (given === null) return [`No name in the configuration; named '${name}'`];
  if (given === name) return [];
  const why = isAllowedName(given) ? "appears more than once" : describeNameProblem(given);
  return [`Renamed to '${name}': '${given.slice(0, 200)}' ${why}`];
}
