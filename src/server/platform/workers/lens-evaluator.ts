import { compile, isRegistered, TreeInterpreter } from "@jmespath-community/jmespath";
import type { JsonValue } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";
import { parseExactParts } from "../../../lib/json/exact-text";
import { type StoodIn, standInNumbers, writeStandIns } from "../../../lib/json/number-stand-ins";

/** Characters of a projection: what a caller gets is parsed and written again on the main thread. */
const MAX_PROJECTED_CHARS = 2_000_000;

/** Functions whose output is at most as large as their arguments together; `to_string` may double it by escaping. */
const BOUNDED_FUNCTIONS = new Set(
  (
    "abs avg ceil contains ends_with floor items join keys length map max max_by merge min min_by not_null reverse sort " +
    "sort_by starts_with sum to_array to_number to_string type values"
  ).split(" "),
);

type Node = ReturnType<typeof compile>;

interface Growth {
  values: number;
  chars: number;
}

export interface Lens {
  ast: Node;
  /** The most steps for each value of the input; Infinity where the expression alone sets no limit. */
  steps: number;
  /** The most characters for each character of the input. */
  chars: number;
}

export type Projected = { text: string } | { fault: string };

/** @throws Error that says where the expression is wrong */
export function compileLens(expression: string): Lens {
  const ast = parse(expression);
  const count = { nodes: 0 };
  const { values, chars } = measureGrowth(ast, count);
  return { ast, steps: count.nodes * values, chars };
}

/** Parses an expression and replaces the library's messages, which name its own tokens. */
function parse(expression: string): Node {
  try {
    return compile(expression);
  } catch (error) {
    const message = getMessage(error);
    if (/EOF|unexpected end/.test(message)) throw new Error("Syntax error: the expression ends too early");
    const token = /^.*(?:value: (.+)|unexpected token: (.+)\(\w+\))$/s;
    throw new Error(message.replace(token, "Syntax error: '$1$2' is not expected there"));
  }
}

const ONE = { values: 1, chars: 1 };
const UNBOUNDED = { values: Number.POSITIVE_INFINITY, chars: Number.POSITIVE_INFINITY };

const plus = (a: Growth, b: Growth) => ({ values: a.values + b.values, chars: a.chars + b.chars });
const times = (a: Growth, b: Growth) => ({ values: a.values * b.values, chars: a.chars * b.chars });

/**
 * How many times larger than its input anything can get on the way through an expression. References to the root, variables
 * and functions that repeat or pad have no bound.
 */
function measureGrowth(node: Node, count: { nodes: number }): Growth {
  count.nodes += 1;
  const grow = (child: Node) => measureGrowth(child, count);
  const sum = (children: Node[]) => children.map(grow).reduce(plus, ONE);
  switch (node.type) {
    case "Field":
    case "Identity":
    case "Current":
    case "Index":
    case "Slice":
      return ONE;
    case "Literal": {
      const size = JSON.stringify(node.value)?.length ?? 1;
      return { values: typeof node.value === "object" ? size : 1, chars: size };
    }
    case "Subexpression":
    case "Pipe":
    case "IndexExpression":
    case "Projection":
    case "ValueProjection":
      return times(grow(node.left), grow(node.right));
    case "FilterProjection":
      return times(grow(node.left), plus(grow(node.right), grow(node.condition)));
    case "Flatten":
      // This step takes four times as long as others.
      count.nodes += 3;
      return grow(node.child);
    case "NotExpression":
    case "ExpressionReference":
      return grow(node.child);
    case "AndExpression":
    case "OrExpression":
    case "Comparator":
      return plus(grow(node.left), grow(node.right));
    case "MultiSelectList":
      return sum(node.children);
    case "MultiSelectHash": {
      const names = node.children.reduce((all, { name }) => all + name.length, 0);
      return plus(sum(node.children.map(({ value }) => value)), { values: 0, chars: names });
    }
    case "Function": {
      if (!isRegistered(node.name)) throw new Error(`Unknown function: ${node.name}()`);
      const arguments_ = node.children.map(grow);
      if (!BOUNDED_FUNCTIONS.has(node.name)) return UNBOUNDED;
      if (node.name === "map") return arguments_.reduce(times, ONE);
      // The key is evaluated again with each comparison.
      const values = node.name.startsWith("sort") ? 16 : 1;
      return times(arguments_.reduce(plus, ONE), { values, chars: node.name === "to_string" ? 2 : 1 });
    }
    default:
      // The names of functions are checked in every part.
      for (const child of Object.values(node)) if (typeof child === "object" && child?.type !== undefined) grow(child);
      return UNBOUNDED;
  }
}

/** Every number that a double cannot hold has one of these; so has many another one, and text. */
const MAY_BE_ROUNDED = /\d{16}|\d\.\d{12}|\d[eE]/;

/**
 * The data with a separate double for each number that is not one, so that the text of the projection can have its
 * digits.
 */
function readExactData(data: unknown, source: string, fromServer: boolean): StoodIn {
  if (!MAY_BE_ROUNDED.test(source)) return { value: data, texts: new Map() };
  return standInNumbers(readData(parseExactParts(source), fromServer));
}

/** @param source the JSON text of the result that has the data */
export function project({ ast }: Lens, data: unknown, source: string, fromServer: boolean): Projected {
  const { value, texts } = readExactData(data, source, fromServer);
  let projected: unknown;
  try {
    projected = TreeInterpreter.search(ast, value as JsonValue);
  } catch (error) {
    return { fault: getMessage(error) };
  }
  if (isNothing(projected) && data !== null) return { fault: "The expression selects nothing in this result" };
  try {
    const text = writeStandIns(projected, texts);
    if (text === undefined) return { fault: "The expression selects nothing in this result" };
    if (text.length <= MAX_PROJECTED_CHARS) return { text };
  } catch (error) {
    // A text longer than V8 can hold.
    if (!(error instanceof RangeError)) throw error;
  }
  return { fault: `The projection is longer than ${MAX_PROJECTED_CHARS.toLocaleString("en-US")} characters` };
}

/** An expression made for another shape of result finds null, or an object of nulls. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== "object" || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length > 0 && values.every((each) => each === null);
}

/**
 * The data in a tool's result that an expression reads. A tool of an MCP server answers with blocks: its structured content
 * where it sends some, else its text, parsed where it is JSON; several texts are a list.
 * @returns undefined where there is no data: only media, for example
 */
export function readData(result: unknown, fromServer: boolean): unknown {
  if (!fromServer) return typeof result === "string" ? parsed(result) : result;
  if (typeof result !== "object" || result === null) return undefined;
  const { structuredContent, content } = result as { structuredContent?: unknown; content?: unknown };
  if (structuredContent !== undefined && structuredContent !== null) return structuredContent;
  if (!Array.isArray(content)) return undefined;
  const texts = content.filter((block) => block?.type === "text" && typeof block.text === "string");
  if (texts.length === 0) return undefined;
  return texts.length === 1 ? parsed(texts[0].text) : texts.map(({ text }) => parsed(text));
}

/** The number of values in data; Infinity for more than the limit, or deeper ones. */
export function countValues(data: unknown, maxValues: number, maxDepth: number): number {
  const pending: [value: unknown, depth: number][] = [[data, 1]];
  let values = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, depth] = next;
    values += 1;
    if (values > maxValues || depth > maxDepth) return Number.POSITIVE_INFINITY;
    if (typeof value !== "object" || value === null) continue;
    const parts = Object.values(value);
    if (values + pending.length + parts.length > maxValues) return Number.POSITIVE_INFINITY;
    for (const part of parts) pending.push([part, depth + 1]);
  }
  return values;
}

function parsed(text: string): unknown {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return text;
  try {
    return parseExactParts(text);
  } catch {
    return text;
  }
}
