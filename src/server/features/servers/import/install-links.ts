import { isPlainObject } from "../../../../lib/contract/json";
import { splitCommandLine } from "../../../../lib/server-settings/split-command-line";
import type { ParseConfigText } from "../../../engine/mcp-ports";
import { type Found, MAX_SERVERS, type NamedEntry, namedEntry } from "./named-entry";
import { readText } from "./read-text";

const START =
  "(?:vscode(?:-insiders)?:(?://)?mcp/install|https://(?:insiders\\.)?vscode\\.dev/redirect(?:/mcp/install)?|cursor://anysphere\\.cursor-deeplink/mcp/install|https://(?:www\\.)?cursor\\.com/(?:[\\w-]{1,20}/){0,2}(?:install-mcp|mcp/install))\\?";
/** The whole line, or a link in Markdown or HTML. */
const LINE = new RegExp(`^${START}\\S+$`);
const LINK = new RegExp(`${START}[^\\s"'<>)\\]]+`, "g");
/** Links are addresses, which browsers limit too. */
const MAX_CHARS = 65_536;

/** The servers of "Install in VS Code" and "Install in Cursor" links; null for a text without one. */
export async function readInstallLinks(
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
    // A page has the same server for several editors.
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
  return {
    server: namedEntry(named, splitCommand(entry), ["Read from an install link"]),
    inputs: asked === null ? inputs : await readConfig(asked, parse),
  };
}

/** JSON, or JSON in Base64, whose `+` stands as a space in a query. */
async function readConfig(text: string, parse: ParseConfigText): Promise<unknown> {
  for (const json of [text, Buffer.from(text.replaceAll(" ", "+"), "base64").toString("utf8")]) {
    if (!/^\s*[[{]/.test(json)) continue;
    const read = await readText(json, parse, "json");
    if (!("problem" in read)) return read.value;
  }
  return null;
}

/** Cursor's links may have the whole command line in `command`. */
function splitCommand(entry: Record<string, unknown>): Record<string, unknown> {
  const { command, args } = entry;
  if (typeof command !== "string" || !/\s/.test(command) || (Array.isArray(args) && args.length > 0)) return entry;
  const split = splitCommandLine(command);
  return split === null || split.env.length > 0 ? entry : { ...entry, command: split.command, args: split.args };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
