import { TOOL_NAME_PATTERN, TOOL_SEPARATOR } from "./contract/tool-definition";

/** A tool name that every model provider accepts. */
const PORTABLE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MAX_PORTABLE_CHARS = 64;

/** The names that are taken as they are; an alias has `_` for every unusable character of the name. */
export interface NameRule {
  accepted: RegExp;
  /** Matches what an alias may not contain. */
  unusable: RegExp;
}

const PORTABLE: NameRule = { accepted: PORTABLE_NAME, unusable: /[^A-Za-z0-9_-]/gu };
const MAX_CATALOG_CHARS = 128;

/**
 * A name that every provider accepts: the name itself if possible, otherwise a stable readable alias that ends in 8
 * hexadecimal digits of a hash. Two names may get the same alias: see `aliasNames`.
 */
export function portableName(name: string): string {
  return PORTABLE_NAME.test(name) ? name : createAlias(name, name, PORTABLE);
}

/**
 * Alias → name for a whole list, including names that need no alias. An alias never equals another tool's name, and the order
 * of the list makes no difference.
 */
export function aliasNames(names: readonly string[], rule: NameRule = PORTABLE): Map<string, string> {
  const { accepted } = rule;
  const unique = [...new Set(names)];
  const byAlias = new Map(unique.filter((name) => accepted.test(name)).map((name) => [name, name]));
  // Sorted, so that a collision resolves the same way for every order of the list.
  for (const name of unique.filter((each) => !accepted.test(each)).sort()) {
    let alias = createAlias(name, name, rule);
    for (let round = 1; byAlias.has(alias); round += 1) alias = createAlias(name, `${round} ${name}`, rule);
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
 * The catalog's name of a server's tool: `files__read_file`, or a stable alias with the same prefix if that name would be
 * invalid.
 */
export function catalogToolName(server: string, tool: string): string {
  const prefix = `${server}${TOOL_SEPARATOR}`;
  const name = prefix + tool;
  if (tool !== "" && TOOL_NAME_PATTERN.test(name)) return name;
  const ending = `_${hashDigits(name)}`;
  const room = MAX_CATALOG_CHARS - prefix.length - ending.length;
  return prefix + tool.replace(/[^A-Za-z0-9_.-]/gu, "_").slice(0, room) + ending;
}

function createAlias(name: string, hashed: string, { unusable }: NameRule): string {
  const allowed = name.replace(unusable, "_").replace(/^(?![A-Za-z_])/, "_");
  const ending = `_${hashDigits(hashed)}`;
  return allowed.slice(0, MAX_PORTABLE_CHARS - ending.length) + ending;
}

/**
 * 8 hexadecimal digits of two mixed multiplicative hashes. Fast and well distributed, but not collision-resistant: nothing
 * may rely on it for security.
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
