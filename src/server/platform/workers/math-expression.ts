import { all, create } from "mathjs";

const math = create(all ?? {}, { number: "number", matrix: "Matrix" });
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
const forbidFunction = (name: string) => () => {
  throw new Error(`The function '${name}' is not available`);
};
math.import(
  Object.fromEntries(
    ["import", "createUnit", "evaluate", "parse", "simplify", "derivative"].map((name) => [name, forbidFunction(name)]),
  ),
  { override: true },
);

const MAX_EXPRESSION_CHARS = 1000;
const MAX_SCALAR_NODES = 200;
const MAX_RESULT_SIZE = 100_000;

const SCALAR_FUNCTIONS = new Set(
  (
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh cot csc exp expm1 fix floor gcd hypot lcm log log10 log1p " +
    "log2 max mean median min mod nthRoot pow round sec sign sin sinh sqrt square cube sum tan tanh"
  ).split(" "),
);
const SCALAR_CONSTANTS = new Set("pi PI e E tau phi SQRT2 SQRT1_2 LN2 LN10 true false i".split(" "));
const SCALAR_OPERATORS = new Set(
  "add subtract multiply divide pow mod unaryMinus unaryPlus equal unequal smaller smallerEq larger largerEq and or not xor".split(
    " ",
  ),
);

/**
 * True when every part of the expression is a number, one of the listed functions, constants or operators: its cost is
 * then bounded by its length, so that it needs no process of its own.
 */
export function isScalar(expression: string): boolean {
  if (expression.length > MAX_EXPRESSION_CHARS) return false;
  let nodes = 0;
  let scalar = true;
  parseExpression(expression).traverse((node: SyntaxNode) => {
    nodes += 1;
    if (nodes > MAX_SCALAR_NODES || !isScalarNode(node)) scalar = false;
  });
  return scalar;
}

/** The members that are read of a node of any type. */
interface SyntaxNode {
  type: string;
  name?: string;
  value?: unknown;
  fn?: string | { name?: string };
  args?: unknown[];
}

function isScalarNode(node: SyntaxNode): boolean {
  switch (node.type) {
    case "ConstantNode":
      return typeof node.value === "number" || typeof node.value === "boolean";
    case "ParenthesisNode":
    case "ConditionalNode":
      return true;
    case "OperatorNode":
      return typeof node.fn === "string" && SCALAR_OPERATORS.has(node.fn);
    case "SymbolNode":
      return SCALAR_CONSTANTS.has(node.name ?? "") || SCALAR_FUNCTIONS.has(node.name ?? "");
    case "FunctionNode":
      return typeof node.fn === "object" && SCALAR_FUNCTIONS.has(node.fn.name ?? "") && node.args?.length !== 0;
    default:
      return false;
  }
}

/**
 * @returns a JSON value: a number, boolean, string or nested array; units, complex numbers and the like as text
 * @throws Error with a message for users
 */
export function evaluate(expression: string): unknown {
  parseExpression(expression).traverse(({ type, name = "" }: SyntaxNode) => {
    const isName = type === "SymbolNode" || type === "FunctionAssignmentNode";
    if (isName && FORBIDDEN.has(name)) forbidFunction(name)();
  });
  return toJson(evaluateExpression(expression, new Map()));
}

function toJson(value: unknown): unknown {
  let size = 0;
  const count = (more: number, what: string) => {
    size += more;
    if (size > MAX_RESULT_SIZE) throw new Error(`The result is too large (more than ${MAX_RESULT_SIZE} ${what})`);
  };
  const convert = (part: unknown): unknown => {
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
      const cells = part.size().reduce((product, length) => product * length, 1);
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
