import { setImmediate as yieldTurn } from "node:timers/promises";
import { messageOf } from "../../../../lib/message-of";
import { measureJson } from "../../../engine/json/measure-json";
import { describeDepth, MAX_DEPTH, parseJsonDocument, type ReadText } from "./json-document";

/** Their parsers take some 5 ms for 1,000 characters the first time; hand-written files are far smaller. */
const MAX_MARKUP_CHARS = 28_672;
const MAX_VALUE_BYTES = 4_000_000;

/** Reads JSON (with comments), TOML or YAML, whichever the text looks like. Never throws. */
export async function readText(text: string): Promise<ReadText> {
  const format = detectFormat(text);
  if (format === "json") return parseJsonDocument(text);
  const label = format.toUpperCase();
  if (text.length > MAX_MARKUP_CHARS) {
    return { problem: `The ${label} text is longer than ${MAX_MARKUP_CHARS} characters: paste fewer servers` };
  }
  try {
    const value = format === "toml" ? await parseToml(text) : await parseYaml(text);
    const { depth, bytes } = measureJson(value, { maxBytes: MAX_VALUE_BYTES, maxDepth: MAX_DEPTH });
    if (depth > MAX_DEPTH) return { problem: describeDepth(label) };
    if (bytes > MAX_VALUE_BYTES) return { problem: `The ${label} text expands to too much data: paste fewer servers` };
    return { value, notes: [] };
  } catch (error) {
    return { problem: `The text is not ${label}: ${firstLine(messageOf(error))}` };
  }
}

function detectFormat(text: string): "json" | "toml" | "yaml" {
  const start = text.replace(/^\s*(?:\/\/[^\n]*\s*|#[^\n]*\s*)*/, "");
  if (/^\[\[?[\w"'. -]+\]/.test(start) && /^\[[^\n{]*\]\s*(?:#.*)?$/m.test(start)) return "toml";
  if (/^(?:[{["“”„]|\/\*)/.test(start)) return "json";
  if (/^\[\[?[\w"'. -]+\]\]?[ \t]*(?:#.*)?$/m.test(text)) return "toml";
  if (/^[\w."'-]+[ \t]*=/.test(start)) return "toml";
  if (/^(?:---|%YAML|-[ \t]|["']?[\w. -]+["']?[ \t]*:(?:\s|$))/.test(start)) return "yaml";
  return "json";
}

async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml");
  return parse(text, { maxDepth: MAX_DEPTH });
}

/** @throws Error that says what is wrong and where */
async function parseYaml(text: string): Promise<unknown> {
  const { isScalar, Lexer, parseDocument, visit } = await import("yaml");
  // To load the parser, to read the tokens and to parse take a tenth of a second each the first time.
  await yieldTurn();
  if (isYamlTooDeep(text, (source) => new Lexer().lex(source), MAX_DEPTH)) {
    throw new Error(`it is nested deeper than ${MAX_DEPTH} levels; paste only the section with the servers`);
  }
  await yieldTurn();
  // The parser would compare each key with each other one.
  const document = parseDocument(text, { logLevel: "silent", merge: true, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  visit(document, {
    Map(_key, { items }) {
      const names = items.map(({ key }) => (isScalar(key) ? key.value : key)).filter((name) => name !== "<<");
      const seen = new Set<unknown>();
      const repeated = names.find((name) => seen.size === seen.add(name).size);
      if (repeated !== undefined) throw new Error(`the key '${String(repeated).slice(0, 80)}' stands twice in one map`);
    },
  });
  await yieldTurn();
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (error instanceof ReferenceError) throw new Error("its aliases (*name) expand to too much data; write them out");
    throw error;
  }
}

/** How often aliases may be expanded: a few lines of nested aliases stand for gigabytes otherwise. */
const MAX_ALIASES = 50;

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/:$/, "").slice(0, 300);
}

/** A run of block indicators, tags and anchors. The lexer recurses for each one, and so much that a process can die of it. */
const INDICATOR = String.raw`(?:[-?:]|[!&]\S{0,200})[ \t]+`;
const LONG_RUN = new RegExp(`(?:${INDICATOR}){32}`);
const LEADING = new RegExp(`^[ \\t]*(?:${INDICATOR}){0,32}`);
/** A block can only be nested as deep as it is indented. */
const MAX_INDENT = 200;

/**
 * Whether a YAML text is nested deeper than its parser, which recurses, can be trusted with. It reads the text without
 * building anything.
 */
function isYamlTooDeep(text: string, lex: (text: string) => Iterable<string>, maxDepth: number): boolean {
  if (LONG_RUN.test(text)) return true;
  if (text.split("\n").some((line) => (LEADING.exec(line)?.[0].length ?? 0) > MAX_INDENT)) return true;
  let depth = 0;
  for (const token of lex(text)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}
