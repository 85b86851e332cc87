import {
  createScanner,
  type ParseError,
  type ParseErrorCode,
  parse,
  printParseErrorCode,
  type SyntaxKind,
} from "jsonc-parser";

/** A configuration as a value, and what had to be changed in its text. */
export type ReadText = { value: unknown; notes: string[] } | { problem: string };

export const MAX_DEPTH = 100;
/** Of one object or list: with 49,000 keys, parsing and reading it hold the event loop for a third of a second. */
const MAX_ENTRIES = 5000;

export function describeDepth(label: string): string {
  return `The ${label} text is nested deeper than ${MAX_DEPTH} levels: paste only the section with the servers`;
}

/**
 * Parses JSON as people paste it: with comments and trailing commas, a part of a file without its outer braces, or with
 * the typographic quotes of a word processor. Never throws.
 */
export function parseJsonDocument(text: string): ReadText {
  const excess = findExcess(text);
  if (excess !== null) return { problem: excess };
  const whole = parseJson(text);
  if (whole.error === null) return { value: whole.value, notes: [] };
  const fragment = parseFragment(text);
  if (fragment !== null) return { value: fragment, notes: [] };
  const straight = text.replace(/[“”„‟«»]/g, '"').replace(/[‘’]/g, "'");
  if (straight !== text) {
    const repaired = parseJson(straight);
    const value = repaired.error === null ? repaired.value : parseFragment(straight);
    if (value !== null) return { value, notes: ["Typographic quotes (“ ”) were read as straight quotes"] };
  }
  return { problem: describeError(text, whole.error) };
}

function parseJson(text: string): { value: unknown; error: ParseError | null } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  return { value, error: errors[0] ?? null };
}

/** `"files": { … },` as it is copied out of a file; null where the text is none. */
function parseFragment(text: string): unknown {
  const start = text.replace(/^\s*(?:\/\/[^\n]*\s*|\/\*[\s\S]*?\*\/\s*)*/, "");
  if (!start.startsWith('"')) return null;
  const { value, error } = parseJson(`{${text}\n}`);
  return error === null ? value : null;
}

/** The parser recurses, so the depth is checked before it runs, and the number of entries with it. */
function findExcess(text: string): string | null {
  const OPEN: readonly SyntaxKind[] = [1, 3];
  const CLOSE: readonly SyntaxKind[] = [2, 4];
  const COMMA: SyntaxKind = 5;
  const END: SyntaxKind = 17;
  const scanner = createScanner(text, true);
  const commas = [0];
  for (let token = scanner.scan(); token !== END; token = scanner.scan()) {
    if (OPEN.includes(token)) commas.push(0);
    else if (CLOSE.includes(token) && commas.length > 1) commas.pop();
    else if (token === COMMA) commas.push((commas.pop() ?? 0) + 1);
    if (commas.length > MAX_DEPTH + 1) return describeDepth("JSON");
    if ((commas.at(-1) ?? 0) > MAX_ENTRIES) {
      return `An object or list in the JSON text has more than ${MAX_ENTRIES} entries: paste only the section with the servers`;
    }
  }
  return null;
}

const EXPLANATIONS: Partial<Record<string, string>> = {
  InvalidSymbol: "this is not JSON; put text in double quotes",
  PropertyNameExpected: "expected a property name in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected a closing }",
  CloseBracketExpected: "expected a closing ]",
  EndOfFileExpected: "nothing may follow the end of the object; remove what comes after it",
  UnexpectedEndOfString: "expected a closing quote",
  UnexpectedEndOfComment: "the comment does not end",
  InvalidEscapeCharacter: "this escape is not JSON; write a backslash in a path twice",
  InvalidCharacter: "a line break or control character is inside a text",
};

function describeError(text: string, { error, offset }: ParseError): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  const code = printParseErrorCode(error as ParseErrorCode);
  return `The text is not JSON: line ${line}, column ${column}: ${EXPLANATIONS[code] ?? code}`;
}
