import { TOOL_SEPARATOR } from "./contract/server";
import { TOOL_NAME_PATTERN } from "./contract/tool-definition";
import { hashDigits } from "./hash-digits";

/** A tool name that every model provider accepts. */
const PORTABLE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MAX_PORTABLE_CHARS = 64;
const MAX_CATALOGUE_CHARS = 128;

/**
 * A name that every provider accepts: the name itself if possible, otherwise a stable readable alias that ends in 8
 * hexadecimal digits of a hash. Two names may get the same alias: see `aliasNames`.
 */
export function portableName(name: string): string {
  return PORTABLE_NAME.test(name) ? name : portableAlias(name, name);
}

/**
 * Alias → name for a whole list, including names that need no alias. An alias never equals another tool's name, and the order
 * of the list makes no difference.
 */
export function aliasNames(names: readonly string[]): Map<string, string> {
  const unique = [...new Set(names)];
  const byAlias = new Map(unique.filter((name) => PORTABLE_NAME.test(name)).map((name) => [name, name]));
  // Sorted, so that a collision resolves the same way for every order of the list.
  for (const name of unique.filter((each) => !PORTABLE_NAME.test(each)).sort()) {
    let alias = portableName(name);
    for (let round = 1; byAlias.has(alias); round += 1) alias = portableAlias(name, `${round} ${name}`);
    byAlias.set(alias, name);
  }
  return byAlias;
}

/** Name → alias, only for names that need an alias. */
export function aliasesByName(names: readonly string[]): Map<string, string> {
  return new Map(
    [...aliasNames(names)].filter(([alias, name]) => alias !== name).map(([alias, name]) => [name, alias]),
  );
}

/**
 * The catalogue's name of a server's tool: `files__read_file`, or a stable alias with the same prefix if that name would be
 * invalid.
 */
export function catalogueToolName(server: string, tool: string): string {
  const prefix = `${server}${TOOL_SEPARATOR}`;
  const name = prefix + tool;
  if (tool !== "" && TOOL_NAME_PATTERN.test(name)) return name;
  const ending = `_${hashDigits(name)}`;
  const room = MAX_CATALOGUE_CHARS - prefix.length - ending.length;
  return prefix + tool.replace(/[^A-Za-z0-9_.-]/gu, "_").slice(0, room) + ending;
}

function portableAlias(name: string, hashed: string): string {
  const allowed = name.replace(/[^A-Za-z0-9_-]/gu, "_").replace(/^(?![A-Za-z_])/, "_");
  const ending = `_${hashDigits(hashed)}`;
  return allowed.slice(0, MAX_PORTABLE_CHARS - ending.length) + ending;
}
