import { isPlainObject } from "../../../../lib/contract/json";
import { splitCommandLine, splitWords } from "../../../../lib/server-settings/split-command-line";
import type { ParseConfigText } from "../../../engine/mcp-ports";
import { addCommandEntry, addSourceEntry } from "./add-command";
import { type Found, type NamedEntry, namedEntry } from "./named-entry";
import { readText } from "./read-text";

const COMMAND =
  /^[ \t]*(?:[$>%][ \t]+)?(?:sudo[ \t]+)?(?:(?:claude|codex|gemini|qwen|amp|copilot|droid|openhands|auggie)(?:\.exe)?[ \t]+mcp[ \t]+add(?:-json)?|(?:npx|bunx|pnpx|pnpm[ \t]+dlx|yarn[ \t]+dlx)(?:[ \t]+-{1,2}[a-z]+)*[ \t]+(?:add|install)-mcp(?:@[^\s]*)?|(?:code|code-insiders|codium|cursor)(?:\.exe|\.cmd)?[ \t]+--add-mcp)(?=[ \t=\\])/gm;
const MAX_COMMANDS = 200;
/** Far more than a user writes; splitting takes more than linear time. */
const MAX_COMMAND_CHARS = 65_536;
const TOO_LONG: Found = { problem: `The command is longer than ${MAX_COMMAND_CHARS} characters: paste fewer servers` };
const LAUNCHER =
  /^(?:[A-Za-z_]\w*=\S*[ \t]+){0,20}(?:npx|bunx|pnpx|uvx|uv|pipx|dnx|docker|podman|node|bun|deno|python3?)(?:\.exe|\.cmd)?[ \t]+\S/;
const ADDRESS = /^https?:\/\/\S+$/;

/** The servers that `claude mcp add …`, `codex mcp add …` and the like would add; null for a text without such a command. */
export async function readClientCommands(text: string, parse: ParseConfigText): Promise<Found | null> {
  const starts = [...text.matchAll(COMMAND)].map(({ index }) => index);
  if (starts.length === 0 || !/^\s*(?:#[^\n]*\n\s*)*$/.test(text.slice(0, starts[0]))) return null;
  if (text.length > MAX_COMMAND_CHARS) return TOO_LONG;
  const servers: NamedEntry[] = [];
  for (const [at, start] of starts.slice(0, MAX_COMMANDS).entries()) {
    servers.push(await readCommand(firstCommand(text.slice(start, starts[at + 1] ?? text.length)), parse));
  }
  const left = starts.length - servers.length;
  return { servers, notes: left > 0 ? [`${left} commands were left out: at most ${MAX_COMMANDS} at a time`] : [] };
}

/** The command up to the end of the line; quotes and a backslash at its end continue it. */
function firstCommand(text: string): string {
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char === "\\" && quote !== "'") at += text.startsWith("\r\n", at + 1) ? 2 : 1;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === "\n") return text.slice(0, at);
  }
  return text;
}

async function readCommand(command: string, parse: ParseConfigText): Promise<NamedEntry> {
  const straight = command.replace(/[“”„]/g, '"').replace(/[‘’]/g, "'");
  const words = splitWords(straight.replace(/^[ \t]*[$>%][ \t]+/, ""));
  if (words === null) return refused(null, "The command: a quote is not closed; add the missing quote");
  const add = words.findIndex((word) => /^(?:add|add-json|--add-mcp(?:=.*)?|(?:add|install)-mcp(?:@.*)?)$/s.test(word));
  const verb = words[add] ?? "";
  const rest = words.slice(add + 1);
  if (/^(?:add|install)-mcp/.test(verb)) return addSourceEntry(rest);
  if (verb.startsWith("--add-mcp=")) return readJson(null, verb.slice("--add-mcp=".length), parse);
  if (verb === "--add-mcp") return readJson(null, rest[0], parse);
  if (verb === "add") return addCommandEntry(rest);
  const [name, json] = withoutOptions(rest);
  return readJson(name ?? null, json, parse);
}

/** `-s user` and the like say where a client keeps the server. */
function withoutOptions(words: readonly string[]): string[] {
  return words.filter((word, at) => {
    const before = words[at - 1] ?? "";
    return !/^--?[a-z]/.test(word) && !/^(?:-s|--scope|-t|--transport)$/.test(before);
  });
}

async function readJson(name: string | null, json: string | undefined, parse: ParseConfigText): Promise<NamedEntry> {
  if (json === undefined)
    return refused(name, "The command: the JSON of the server is missing; put it in single quotes");
  const read = await readText(json, parse, "json");
  if ("problem" in read) return refused(name, `${read.problem}; put the JSON in single quotes`);
  const { value } = read;
  const own = isPlainObject(value) && typeof value.name === "string" ? value.name : null;
  return namedEntry(name ?? own, value);
}

function refused(name: string | null, problem: string): NamedEntry {
  return { name, entry: null, notes: [], problems: [problem] };
}

/** One server from a single line: the command that starts it (`npx -y package`), or its address. Null for any other text. */
export function readPlainCommand(text: string): Found | null {
  const line = text.trim().replace(/^[$>%][ \t]+/, "");
  if (line.includes("\n")) return null;
  if (ADDRESS.test(line)) return { servers: [namedEntry(null, { url: line })], notes: [] };
  if (!LAUNCHER.test(line)) return null;
  if (line.length > MAX_COMMAND_CHARS) return TOO_LONG;
  const command = splitCommandLine(line);
  if (command === null) return { problem: "The command: a quote is not closed; add the missing quote" };
  const env = Object.fromEntries(command.env.map(({ name, value }) => [name, value]));
  return { servers: [namedEntry(null, { command: command.command, args: command.args, env })], notes: [] };
}
