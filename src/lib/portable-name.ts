import { TOOL_NAME_PATTERN, TOOL_SEPARATOR } from "./contract";

/** What every provider of models takes as a tool's name. */
const PORTABLE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MAX_PORTABLE_CHARS = 64;
const MAX_CATALOGUE_CHARS = 128;

/**
 * A name that every provider takes: the name itself where it is one already, otherwise a readable alias that is the same
 * each time, with 8 hexadecimal digits of the whole name at its end. Two names may meet in one alias: see `aliasNames`.
 */
export function portableName(name: string): string {
  return PORTABLE_NAME.test(name) ? name : portableAlias(name, name);
}

/**
 * Which tool is meant by which portable name, for a whole list: alias → name, names that need no alias among them. An
 * alias never equals another tool's own name, and the order of the list makes no difference.
 */
export function aliasNames(names: readonly string[]): Map<string, string> {
  const unique = [...new Set(names)];
  const byAlias = new Map(unique.filter((name) => PORTABLE_NAME.test(name)).map((name) => [name, name]));
  // In an order of their own, so that who comes first in a collision does not depend on the list.
  for (const name of unique.filter((each) => !PORTABLE_NAME.test(each)).sort()) {
    let alias = portableName(name);
    for (let round = 1; byAlias.has(alias); round += 1) alias = portableAlias(name, `${round} ${name}`);
    byAlias.set(alias, name);
  }
  return byAlias;
}

/** The other way round, for those names only that need an alias: name → alias. */
export function aliasesByName(names: readonly string[]): Map<string, string> {
  return new Map(
    [...aliasNames(names)].filter(([alias, name]) => alias !== name).map(([alias, name]) => [name, alias]),
  );
}

/**
 * How the catalogue calls a server's tool: `files__read_file`; where that breaks the rule for names, an alias that begins
 * with the same prefix and is the same each time.
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

/**
 * 8 hexadecimal digits of a text: two multiplicative hashes, each stirred into the other at the end. Spreads well and is
 * quick; whoever wants to can find two texts with the same digits, so nothing may be trusted to it.
 */
function hashDigits(text: string): string {
  let one = 0x9e3779b9;
  let other = 0x85ebca6b;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x27d4eb2d);
    other = Math.imul(other ^ unit, 0x165667b1);
  }
  one = Math.imul(one ^ (one >>> 15) ^ text.length, 0x2c1b3c6d) ^ Math.imul(other ^ (other >>> 13), 0x297a2d39);
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b);
  return ((one ^ (one >>> 13)) >>> 0).toString(16).padStart(8, "0");
}
