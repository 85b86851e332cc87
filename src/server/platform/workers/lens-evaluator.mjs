// Plain JavaScript, because a worker thread loads it as it lies while the server has it bundled.
import { randomUUID } from "node:crypto";
import { compile, isRegistered, TreeInterpreter } from "@jmespath-community/jmespath";

/** Characters of a projection: what a caller gets is parsed and written again on the main thread. */
export const MAX_PROJECTED_CHARS = 2_000_000;

/** Functions whose output is at most as large as their arguments together; `to_string` may double it by escaping. */
const BOUNDED_FUNCTIONS = new Set(
  (
    "abs avg ceil contains ends_with floor items join keys length map max max_by merge min min_by not_null reverse sort " +
    "sort_by starts_with sum to_array to_number to_string type values"
  ).split(" "),
);

/** @typedef {{ type: string, [key: string]: any }} Node */
/** @typedef {{ values: number, chars: number }} Growth */
/** @typedef {{ ast: Node, steps: number, chars: number }} Lens */
/** @typedef {{ text: string } | { fault: string }} Projected */

/**
 * @param {string} expression
 * @returns {Lens} `steps` for each value of the input and characters for each of its characters, at most; Infinity where
 * nothing bounds them from the expression alone. @throws Error that says where the expression is wrong
 */
export function compileLens(expression) {
  const ast = parse(expression);
  const count = { nodes: 0 };
  const { values, chars } = measureGrowth(ast, count);
  return { ast, steps: count.nodes * values, chars };
}

/** In plain words: the library's messages name its own tokens. @param {string} expression @returns {Node} */
function parse(expression) {
  try {
    return /** @type {Node} */ (compile(expression));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/EOF|unexpected end/.test(message)) throw new Error("Syntax error: the expression ends too early");
    const token = /^.*(?:value: (.+)|unexpected token: (.+)\(\w+\))$/s;
    throw new Error(message.replace(token, "Syntax error: '$1$2' is not expected there"));
  }
}

const ONE = { values: 1, chars: 1 };
const UNBOUNDED = { values: Number.POSITIVE_INFINITY, chars: Number.POSITIVE_INFINITY };

const plus = (/** @type {Growth} */ a, /** @type {Growth} */ b) => ({
  values: a.values + b.values,
  chars: a.chars + b.chars,
});
const times = (/** @type {Growth} */ a, /** @type {Growth} */ b) => ({
  values: a.values * b.values,
  chars: a.chars * b.chars,
});

/**
 * How many times larger than its input anything can get on the way through an expression. References to the root, variables
 * and functions that repeat or pad have no bound.
 * @param {Node} node
 * @param {{ nodes: number }} count
 * @returns {Growth}
 */
function measureGrowth(node, count) {
  count.nodes += 1;
  const grow = (/** @type {Node} */ child) => measureGrowth(child, count);
  const sum = (/** @type {Node[]} */ children) => children.map(grow).reduce(plus, ONE);
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
      // A step of it takes four times as long as others.
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
      const names = node.children.reduce(
        (/** @type {number} */ all, /** @type {Node} */ { name }) => all + name.length,
        0,
      );
      return plus(sum(node.children.map((/** @type {Node} */ { value }) => value)), { values: 0, chars: names });
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
      // Names of functions are checked everywhere.
      for (const child of Object.values(node)) if (typeof child === "object" && child?.type !== undefined) grow(child);
      return UNBOUNDED;
  }
}

/** An integer of more digits than a double is sure to hold. A longer one than this is no finite double. */
const LARGE_INTEGER = /(?<![\d.eE+-])-?\d{16,309}(?![\d.eE])/g;

/**
 * Large integers as a text writes them, by the double that each is read as; null where several are read as the same.
 * @param {string} text
 * @returns {Map<number, string | null>}
 */
function findLargeIntegers(text) {
  const found = new Map();
  for (const [written] of text.matchAll(LARGE_INTEGER)) {
    const read = Number(written);
    if (Number.isSafeInteger(read) || !Number.isFinite(read)) continue;
    found.set(read, (found.get(read) ?? written) === written ? written : null);
  }
  return found;
}

/** JSON text in which large integers have the digits that they have in the source. @param {unknown} value @param {string} source */
function writeJson(value, source) {
  const integers = findLargeIntegers(source);
  if (integers.size === 0) return JSON.stringify(value);
  const mark = `integer ${randomUUID()} `;
  const written = JSON.stringify(value, (_key, each) => {
    const digits = typeof each === "number" ? integers.get(each) : undefined;
    return typeof digits === "string" ? mark + digits : each;
  });
  return written?.replaceAll(new RegExp(`"${mark}([-0-9]+)"`, "g"), "$1");
}

/**
 * @param {Lens} lens
 * @param {unknown} data
 * @param {string} source the JSON text that has the data
 * @returns {Projected}
 */
export function project({ ast }, data, source) {
  let projected;
  try {
    projected = TreeInterpreter.search(/** @type {any} */ (ast), /** @type {any} */ (data));
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
  if (isNothing(projected) && data !== null) return { fault: "The expression selects nothing in this result" };
  try {
    const text = writeJson(projected, source);
    if (text === undefined) return { fault: "The expression selects nothing in this result" };
    if (text.length <= MAX_PROJECTED_CHARS) return { text };
  } catch (error) {
    // A text longer than V8 can hold.
    if (!(error instanceof RangeError)) throw error;
  }
  return { fault: `The projection is longer than ${MAX_PROJECTED_CHARS.toLocaleString("en-US")} characters` };
}

/** An expression made for another shape of result finds null, or an object of nulls. @param {unknown} value */
function isNothing(value) {
  if (value === null || value === undefined) return true;
  if (typeof value !== "object" || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length > 0 && values.every((each) => each === null);
}

/**
 * The data in a tool's result that an expression reads. A tool of an MCP server answers with blocks: its structured content
 * where it sends some, else its text, parsed where it is JSON; several texts are a list.
 * @param {unknown} result
 * @param {boolean} fromServer
 * @returns {unknown} undefined where there is no data: only media, for example
 */
export function readData(result, fromServer) {
  if (!fromServer) return typeof result === "string" ? parsed(result) : result;
  if (typeof result !== "object" || result === null) return undefined;
  const { structuredContent, content } = /** @type {{ structuredContent?: unknown, content?: unknown }} */ (result);
  if (structuredContent !== undefined && structuredContent !== null) return structuredContent;
  if (!Array.isArray(content)) return undefined;
  const texts = content.filter((block) => block?.type === "text" && typeof block.text === "string");
  if (texts.length === 0) return undefined;
  return texts.length === 1 ? parsed(texts[0].text) : texts.map(({ text }) => parsed(text));
}

/**
 * Values in a piece of data; Infinity for more than these, or deeper ones.
 * @param {unknown} data
 * @param {number} maxValues
 * @param {number} maxDepth
 */
export function countValues(data, maxValues, maxDepth) {
  /** @type {[value: unknown, depth: number][]} */
  const pending = [[data, 1]];
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

/** @param {string} text */
function parsed(text) {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
