import type { ConfigText, ParseConfigText } from "../../../engine/mcp-ports";

/** A configuration as a value, and what had to be changed in its text. */
type ReadText = { value: unknown; notes: string[] } | { problem: string };

/** Reading more holds the event loop. */
const BOUNDS = { maxDepth: 100, maxEntries: 5000, maxChars: 4_000_000 };
/** The length of the first key: the pattern that finds its end takes quadratic time. */
const MAX_KEY_CHARS = 500;

const EXCESSES = {
  depth: (label: string) => `The ${label} text is nested deeper than ${BOUNDS.maxDepth} levels`,
  entries: (label: string) => `An object or list in the ${label} text has more than ${BOUNDS.maxEntries} entries`,
  size: (label: string) => `The aliases (*name) in the ${label} text expand to too much data`,
};

/** Reads JSON (with comments), TOML or YAML, whichever the text looks like. Never throws. */
export async function readText(text: string, parse: ParseConfigText, format = detectFormat(text)): Promise<ReadText> {
  const label = format.toUpperCase();
  const parsed = await parse({ format, text, bounds: BOUNDS });
  if ("json" in parsed) return { value: JSON.parse(parsed.json) as unknown, notes: parsed.notes };
  if ("error" in parsed) return { problem: `The text is not ${label}: ${parsed.error}` };
  const wayOut = "paste only the section with the servers";
  if ("excess" in parsed) return { problem: `${EXCESSES[parsed.excess](label)}: ${wayOut}` };
  return { problem: `The ${label} text was not read, since ${parsed.unread}: ${wayOut}, or try again` };
}

function detectFormat(text: string): ConfigText["format"] {
  const start = text.replace(/^\s*(?:\/\/[^\n]*\s*|#[^\n]*\s*)*/, "");
  if (/^\[\[?[\w"'. -]+\]/.test(start) && /^\[[^\n{]*\]\s*(?:#.*)?$/m.test(start)) return "toml";
  if (/^(?:[{["“”„]|\/\*)/.test(start)) return "json";
  if (/^\[\[?[\w"'. -]+\]\]?[ \t]*(?:#.*)?$/m.test(text)) return "toml";
  if (/^[\w."'-]+[ \t]*=/.test(start)) return "toml";
  if (/^(?:---|%YAML|-[ \t]|["']?[\w. -]+["']?[ \t]*:(?:\s|$))/.test(start.slice(0, MAX_KEY_CHARS))) return "yaml";
  return "json";
}
