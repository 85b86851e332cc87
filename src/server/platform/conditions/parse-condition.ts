import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import type { RE2JS } from "re2js";
import type { ConditionProblem } from "../../../lib/contract/call-rule";
import { MAX_CONDITION_CHARS } from "../../../lib/contract/call-rule-words";
import { compilePattern } from "./compile-pattern";

/** A day. Longer windows would keep more calls in memory. */
const MAX_COUNT_MINUTES = 1_440;
/** `list.all(x, x.items.exists(y, …))` has two levels. Each multiplies the work. */
const MAX_NESTED_MACROS = 3;
const MAX_PATTERNS = 10;
const MAX_NODES = 500;

const TIMESTAMP = "google.protobuf.Timestamp";

const GLOBAL_FUNCTIONS: ReadonlySet<string> = new Set(["has", "size", "int", "double", "string", "count"]);
export const MACROS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);
export const TIME_PARTS: ReadonlySet<string> = new Set([
  "getFullYear",
  "getMonth",
  "getDate",
  "getDayOfWeek",
  "getHours",
  "getMinutes",
]);
const METHODS: ReadonlySet<string> = new Set([
  ...MACROS,
  ...TIME_PARTS,
  "size",
  "startsWith",
  "endsWith",
  "contains",
  "matches",
  "lowerAscii",
  "upperAscii",
]);

const conditions = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: MAX_NODES, maxDepth: 40, maxListElements: 500, maxMapEntries: 50, maxCallArguments: 8 },
})
  .registerVariable("args", "map<string, dyn>")
  .registerVariable("tool", { schema: { name: "string", server: "dyn", toolset: "dyn", tags: "list<string>" } })
  .registerVariable("caller", {
    schema: { id: "string", name: "string", role: "string", token: "dyn", source: "string" },
  })
  .registerVariable("client", { schema: { name: "dyn", version: "dyn" } })
  .registerVariable("result", { schema: { isError: "bool", text: "string", structured: "dyn" } })
  .registerVariable("time", TIMESTAMP)
  .registerFunction("count(int): int", () => 0n);

/** The requirement on a text. */
interface TextKind {
  types: readonly string[];
  /** The words after `must be`. */
  words: string;
}

const CONDITION: TextKind = { types: ["bool", "dyn"], words: "true or false" };
const PRICE: TextKind = { types: ["int", "double", "dyn"], words: "a number" };

export interface ParsedCondition {
  ast: ASTNode;
  /** The patterns of `matches`, by their text. */
  patterns: ReadonlyMap<string, RE2JS>;
}

type ParseResult = ParsedCondition | { problems: ConditionProblem[] };

/** Parses a condition and checks its types, its functions and what it may cost. */
export const parseCondition = (text: string): ParseResult => parse(text, CONDITION);

/** Parses the price of a call, as `parseCondition` does. */
export const parsePrice = (text: string): ParseResult => parse(text, PRICE);

function parse(text: string, { types, words }: TextKind): ParseResult {
  const fail = (message: string, from = 0, to = text.length) => ({ problems: [{ message, from, to }] });
  if (text.length > MAX_CONDITION_CHARS) return fail(`must have at most ${MAX_CONDITION_CHARS} characters`);
  let ast: ASTNode;
  try {
    const parsed = conditions.parse(text);
    const { valid, type, error } = parsed.check();
    if (!valid) throw error;
    if (type === undefined || !types.includes(type)) return fail(`must be ${words}, but is of the type ${type}`);
    ast = parsed.ast;
  } catch (error) {
    return { problems: [toProblem(error, text)] };
  }
  const walk = new ConditionWalk();
  walk.visit(ast, 0);
  return walk.problems.length > 0 ? { problems: walk.problems } : { ast, patterns: walk.patterns };
}

/** An error of the library has a position; any other is about the whole text. */
function toProblem(error: unknown, text: string): ConditionProblem {
  const { summary, message, range } = error as { summary?: string; message?: string; range?: Range };
  const from = Math.min(range?.start ?? 0, text.length);
  return {
    message: (summary ?? message ?? "cannot be parsed")
      .replace("Unexpected token: EOF", "The condition is incomplete")
      .replace(/^Exceeded max.*/, `The condition is too large: it may have ${MAX_NODES} parts on 40 levels`),
    from,
    to: Math.min(Math.max(range?.end ?? text.length, from), text.length),
  };
}

interface Range {
  start: number;
  end: number;
}

class ConditionWalk {
  readonly problems: ConditionProblem[] = [];
  readonly patterns = new Map<string, RE2JS>();

  visit(node: ASTNode, macros: number): void {
    switch (node.op) {
      case "value":
        if (typeof node.args === "object" && node.args !== null) {
          this.#reject(node, "Bytes and unsigned integers are not available in conditions");
        }
        return;
      case "id":
        return;
      case ".":
        this.visit(node.args[0], macros);
        return;
      case "call":
        this.#visitCall(node, node.args[0], node.args[1], macros);
        return;
      case "rcall":
        this.#visitMethod(node, ...node.args, macros);
        return;
      case "map":
        for (const [key, value] of node.args) {
          this.visit(key, macros);
          this.visit(value, macros);
        }
        return;
      case ".?":
      case "[?]":
        this.#reject(node, "Optional values are not available in conditions: use has()");
        return;
      case "!_":
      case "-_":
        this.visit(node.args, macros);
        return;
      default:
        for (const each of node.args) this.visit(each, macros);
    }
  }

  #visitCall(node: ASTNode, name: string, args: readonly ASTNode[], macros: number): void {
    if (!GLOBAL_FUNCTIONS.has(name)) {
      this.#reject(node, `The function ${name}() is not available in conditions`);
      return;
    }
    if (name === "count") {
      const [minutes] = args;
      const literal = minutes?.op === "value" ? minutes.args : null;
      if (typeof literal !== "bigint" || literal < 1n || literal > MAX_COUNT_MINUTES) {
        this.#reject(node, `count() takes a number of minutes from 1 to ${MAX_COUNT_MINUTES}`);
      }
    }
    for (const each of args) this.visit(each, macros);
  }

  #visitMethod(node: ASTNode, name: string, receiver: ASTNode, args: readonly ASTNode[], macros: number): void {
    if (!METHODS.has(name)) {
      this.#reject(node, `The function ${name}() is not available in conditions`);
      return;
    }
    this.visit(receiver, macros);
    const inside = MACROS.has(name) ? macros + 1 : macros;
    if (inside > MAX_NESTED_MACROS) {
      this.#reject(node, `Lists may be walked within lists on at most ${MAX_NESTED_MACROS} levels`);
      return;
    }
    if (name === "matches") this.#visitPattern(node, args[0]);
    if (TIME_PARTS.has(name) && args[0] !== undefined) this.#visitZone(args[0]);
    for (const each of args) this.visit(each, inside);
  }

  #visitPattern(node: ASTNode, pattern: ASTNode | undefined): void {
    const text = pattern?.op === "value" ? pattern.args : null;
    if (pattern === undefined || typeof text !== "string") {
      this.#reject(node, "matches() takes a pattern in quotes");
      return;
    }
    if (this.patterns.has(text)) return;
    if (this.patterns.size >= MAX_PATTERNS) {
      this.#reject(pattern, `There may be ${MAX_PATTERNS} patterns`);
      return;
    }
    const compiled = compilePattern(text);
    if ("problem" in compiled) this.#reject(pattern, compiled.problem);
    else this.patterns.set(text, compiled.pattern);
  }

  #visitZone(zone: ASTNode): void {
    try {
      if (zone.op !== "value" || typeof zone.args !== "string") throw new RangeError();
      new Intl.DateTimeFormat("en", { timeZone: zone.args });
    } catch {
      this.#reject(zone, 'The time zone must be one in quotes, such as "Europe/Berlin"');
    }
  }

  #reject({ start, end }: ASTNode, message: string): void {
    this.problems.push({ message, from: start, to: end });
  }
}
