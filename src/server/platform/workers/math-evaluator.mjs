// Plain JavaScript, because a child process loads it as it lies while the server has it bundled.
import { all, create } from "mathjs";

const math = create(all, { number: "number", matrix: "Matrix" });
const evaluateExpression = math.evaluate.bind(math);
const parseExpression = math.parse.bind(math);

// Names that reach the interpreter, its settings or the outside of the expression; refused wherever they stand in it.
// `config` changes the instance for every later expression.
const FORBIDDEN = new Set(
  (
    "import config createUnit evaluate parse parser compile simplify simplifyCore simplifyConstant derivative rationalize " +
    "resolve reviver replacer typed help symbolicEqual chain expression"
  ).split(" "),
);
// A second line behind the names: should an expression reach one of these by another way, it finds a refusal.
const forbidFunction = (/** @type {string} */ name) => () => {
  throw new Error(`The function '${name}' is not available`);
};
math.import(
  Object.fromEntries(
    ["import", "createUnit", "evaluate", "parse", "simplify", "derivative"].map((name) => [name, forbidFunction(name)]),
  ),
  { override: true },
);

export const MAX_EXPRESSION_CHARS = 1000;
const MAX_SCALAR_NODES = 200;
const MAX_RESULT_SIZE = 100_000;

const SCALAR_FUNCTIONS = new Set(
  (
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh cot csc exp expm1 fix floor gcd hypot lcm log log10 log1p " +
    "log2 max mean median min mod nthRoot pow round sec sign sin sinh sqrt square cube sum tan tanh"
  ).split(" "),
);
const SCALAR_CONSTANTS = new Set([
  "pi",
  "PI",
  "e",
  "E",
  "tau",
  "phi",
  "SQRT2",
  "SQRT1_2",
  "LN2",
  "LN10",
  "true",
  "false",
  "i",
]);
const SCALAR_OPERATORS = new Set(
  "add subtract multiply divide pow mod unaryMinus unaryPlus equal unequal smaller smallerEq larger largerEq and or not xor".split(
    " ",
  ),
);

/**
 * True when every part of the expression is a number, one of the listed functions, constants or operators: its cost is
 * then bounded by its length, so that it needs no process of its own.
 * @param {string} expression
 */
export function isScalar(expression) {
  if (expression.length > MAX_EXPRESSION_CHARS) return false;
  let nodes = 0;
  let scalar = true;
  parseExpression(expression).traverse((/** @type {any} */ node) => {
    nodes += 1;
    if (nodes > MAX_SCALAR_NODES || !isScalarNode(node)) scalar = false;
  });
  return scalar;
}

/** @param {any} node */
function isScalarNode(node) {
  switch (node.type) {
    case "ConstantNode":
      return typeof node.value === "number" || typeof node.value === "boolean";
    case "ParenthesisNode":
    case "ConditionalNode":
      return true;
    case "OperatorNode":
      return SCALAR_OPERATORS.has(node.fn);
    case "SymbolNode":
      return SCALAR_CONSTANTS.has(node.name) || SCALAR_FUNCTIONS.has(node.name);
    case "FunctionNode":
      return SCALAR_FUNCTIONS.has(node.fn?.name) && node.args.length > 0;
    default:
      return false;
  }
}

/**
 * @param {string} expression
 * @returns {unknown} a JSON value: a number, boolean, string or nested array; units, complex numbers and the like as text
 * @throws {Error} with a message for people
 */
export function evaluate(expression) {
  parseExpression(expression).traverse((/** @type {any} */ node) => {
    const name = node.type === "SymbolNode" || node.type === "FunctionAssignmentNode" ? node.name : undefined;
    if (FORBIDDEN.has(name)) forbidFunction(name)();
  });
  return toJson(evaluateExpression(expression, new Map()));
}

/** @param {any} value @returns {unknown} */
function toJson(value) {
  let size = 0;
  /** @param {number} more @param {string} what */
  const count = (more, what) => {
    size += more;
    if (size > MAX_RESULT_SIZE) throw new Error(`The result is too large (more than ${MAX_RESULT_SIZE} ${what})`);
  };
  /** @param {any} part @returns {unknown} */
  const convert = (part) => {
    count(1, "values");
    if (typeof part === "number") {
      if (Number.isFinite(part)) return part;
      throw new Error(`The result is not a finite number (${part})`);
    }
    if (typeof part === "boolean") return part;
    if (typeof part === "string") {
      count(part.length, "characters");
      return part;
    }
    if (part === undefined || part === null) throw new Error("The expression has no result");
    if (typeof part === "function") throw new Error("The result is a function, not a value; call it with arguments");
    if (math.isMatrix(part)) {
      const cells = part
        .size()
        .reduce((/** @type {number} */ product, /** @type {number} */ length) => product * length, 1);
      count(cells, "values");
      size -= cells;
      return convert(part.toArray());
    }
    if (Array.isArray(part)) return part.map(convert);
    if (math.isResultSet(part)) return part.entries.length === 1 ? convert(part.entries[0]) : part.entries.map(convert);
    return convert(math.format(part, { precision: 14 }));
  };
  return convert(value);
}
