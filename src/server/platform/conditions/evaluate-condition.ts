import type { ASTNode } from "@marcbachmann/cel-js";
import type { RE2JS } from "re2js";
import { isPlainObject } from "../../../lib/contract/json";
import { getNumberTexts } from "../../../lib/json/exact-text";
import { hasMask } from "../../../lib/masked-value";
import {
  type CompiledCondition,
  type CompiledNumber,
  type ConditionFacts,
  type ConditionOutcome,
  NOT_RECORDED,
  TOO_LARGE,
  type WorkBudget,
} from "../../engine/rules/rule-ports";
import { MACROS, type ParsedCondition, TIME_PARTS } from "./parse-condition";

/** Why an expression has no value. Failures are values, since a thrown one costs more than the expression. */
class Failure {
  constructor(readonly outcome: "unevaluable" | "unknown" | "exhausted") {}
}

const UNEVALUABLE = new Failure("unevaluable");
const UNKNOWN = new Failure("unknown");
/** Ends the evaluation at once, even if another part could decide it. */
const EXHAUSTED = new Failure("exhausted");

const isFailure = (value: unknown): value is Failure => value instanceof Failure;

interface Evaluation {
  facts: ConditionFacts;
  budget: WorkBudget;
  /** What may be spent on looking for masks, apart from the work that a live call takes; null for a live call, which has none. */
  masks: WorkBudget | null;
  /** The items of the lists that are walked, from the outermost. */
  locals: unknown[];
}

type Expression = (evaluation: Evaluation) => unknown;
type Scope = readonly string[];

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_PATHS = 20;
const MAX_VALUE_CHARS = 200;
const MAX_JSON_CHARS = 500;
/** What one character costs that a pattern is matched with, for each instruction of its program. */
const MATCH_COST = 1.2;
const ZONE_COST = 600;
/** What an item of a list costs for each part of the condition about it, and a member of an object that is compared. */
const PART_COST = 4;
const MEMBER_COST = 25;
const MASK_WORK = 1_000_000;

/** False where the remaining work does not suffice. */
function spend({ budget }: Evaluation, work: number): boolean {
  budget.left -= work;
  return budget.left >= 0;
}

export function compileExpression({ ast, patterns }: ParsedCondition): CompiledCondition {
  const compiler = new Compiler(patterns);
  const expression = compiler.compile(ast, []);
  const { paths, size, countMinutes } = compiler;
  return {
    countMinutes,
    readsArguments: compiler.readsArguments,
    readsResult: compiler.readsResult,
    evaluate(facts, budget) {
      const masks = facts.stored ? { left: MASK_WORK } : null;
      const evaluation = { facts, budget, masks, locals: [] };
      return spend(evaluation, size) ? toOutcome(expression(evaluation)) : "exhausted";
    },
    readValues(facts) {
      const evaluation = { facts, budget: { left: Number.POSITIVE_INFINITY }, masks: null, locals: [] };
      const read = Array.from(paths, ([path, each]) => [path, each(evaluation)] as const);
      return Object.fromEntries(
        read.filter(([, value]) => !isFailure(value)).map(([path, value]) => [path, toShown(value)]),
      );
    },
  };
}

/** An expression whose value is a number. */
export function compileNumber({ ast, patterns }: ParsedCondition): CompiledNumber {
  const compiler = new Compiler(patterns);
  const expression = compiler.compile(ast, []);
  const { size, countMinutes } = compiler;
  return {
    countMinutes,
    readsArguments: compiler.readsArguments,
    readsResult: compiler.readsResult,
    evaluate(facts, budget) {
      const masks = facts.stored ? { left: MASK_WORK } : null;
      const evaluation = { facts, budget, masks, locals: [] };
      const value = spend(evaluation, size) ? expression(evaluation) : EXHAUSTED;
      return isNumber(value) && Number.isFinite(Number(value)) ? Number(value) : null;
    },
  };
}

function toOutcome(value: unknown): ConditionOutcome {
  if (value === true) return "match";
  if (value === false) return "miss";
  return isFailure(value) ? value.outcome : "unevaluable";
}

/**
 * Converts a value to JSON, whose integers keep all their digits, as text where needed. A large value is shown in part:
 * writing it must cost less than the condition.
 */
function toShown(value: unknown, room = { left: MAX_JSON_CHARS }): unknown {
  room.left -= 8;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "string") {
    room.left -= Math.min(value.length, MAX_VALUE_CHARS);
    return value.length > MAX_VALUE_CHARS ? `${value.slice(0, MAX_VALUE_CHARS)}…` : value;
  }
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      items.push(room.left > 0 ? toShown(item, room) : "…");
      if (room.left <= 0) break;
    }
    return items;
  }
  const members: [name: string, shown: unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (room.left <= 0) {
      members.push(["…", "…"]);
      break;
    }
    room.left -= name.length;
    members.push([name.slice(0, MAX_VALUE_CHARS), toShown(member, room)]);
  }
  return Object.fromEntries(members);
}

class Compiler {
  readonly paths = new Map<string, Expression>();
  readsArguments = false;
  readsResult = false;
  countMinutes = 0;
  /** The number of nodes so far. */
  size = 0;

  constructor(readonly patterns: ReadonlyMap<string, RE2JS>) {}

  compile(node: ASTNode, scope: Scope): Expression {
    this.size += 1;
    switch (node.op) {
      case "value": {
        const value: unknown = node.args;
        return () => value;
      }
      case "id":
        return this.#variable(node.args, scope);
      case ".":
      case "[]":
        return this.#access(node, scope);
      case "call":
        return this.#call(node.args[0], node.args[1], scope);
      case "rcall":
        return this.#method(...node.args, scope);
      case "list": {
        const items = node.args.map((each) => this.compile(each, scope));
        return (evaluation) => collect(items, evaluation);
      }
      case "map": {
        const keys = node.args.map(([key]) => this.compile(key, scope));
        const values = node.args.map(([, value]) => this.compile(value, scope));
        return (evaluation) => {
          const names = collect(keys, evaluation);
          const members = collect(values, evaluation);
          if (isFailure(names)) return names;
          if (isFailure(members)) return members;
          return Object.fromEntries(names.map((name, index) => [String(name), members[index]]));
        };
      }
      case "?:": {
        const [condition, left, right] = node.args.map((each) => this.compile(each, scope)) as [
          Expression,
          Expression,
          Expression,
        ];
        return (evaluation) => {
          const decided = condition(evaluation);
          if (decided === true) return left(evaluation);
          if (decided === false) return right(evaluation);
          return isFailure(decided) ? decided : UNEVALUABLE;
        };
      }
      case "&&":
      case "||": {
        const [left, right] = node.args;
        return toLogical(this.compile(left, scope), this.compile(right, scope), node.op === "||");
      }
      case "!_": {
        const operand = this.compile(node.args, scope);
        return (evaluation) => {
          const value = operand(evaluation);
          if (typeof value === "boolean") return !value;
          return isFailure(value) ? value : UNEVALUABLE;
        };
      }
      case "-_": {
        const operand = this.compile(node.args, scope);
        return (evaluation) => {
          const value = operand(evaluation);
          if (typeof value === "bigint") return toInt(-value);
          if (typeof value === "number") return -value;
          return isFailure(value) ? value : UNEVALUABLE;
        };
      }
      case ".?":
      case "[?]":
        return () => UNEVALUABLE;
      default:
        return toBinary(node.op, this.compile(node.args[0], scope), this.compile(node.args[1], scope));
    }
  }

  #variable(name: string, scope: Scope): Expression {
    const slot = scope.lastIndexOf(name);
    if (slot >= 0) return ({ locals }) => locals[slot];
    if (name === "time") return this.#note("time", ({ facts }) => (facts.at === null ? UNKNOWN : new Date(facts.at)));
    if (name === "args") {
      this.readsArguments = true;
      return ({ facts }) => (facts.args === NOT_RECORDED ? UNKNOWN : facts.args);
    }
    if (name === "result") {
      this.readsResult = true;
      return ({ facts }) => readResult(facts);
    }
    if (name === "tool" || name === "caller" || name === "client") return ({ facts }) => facts[name];
    return () => UNEVALUABLE;
  }

  #note(path: string, expression: Expression): Expression {
    if (this.paths.size < MAX_PATHS) this.paths.set(path, expression);
    return expression;
  }

  /** Notes the path of a value that is reached by names alone, unless a longer one is noted. */
  #access(node: ASTNode & { op: "." | "[]" }, scope: Scope): Expression {
    const path = toPath(node, scope);
    const [parent, key] = node.args;
    const container = this.compile(parent, scope);
    const parentPath = toPath(parent, scope);
    if (path !== null && parentPath !== null) this.paths.delete(parentPath);
    const expression: Expression =
      typeof key === "string"
        ? (evaluation) => readMember(container(evaluation), key, evaluation)
        : toIndexed(container, this.compile(key, scope));
    return path === null ? expression : this.#note(path, expression);
  }

  #call(name: string, args: readonly ASTNode[], scope: Scope): Expression {
    const [first] = args;
    if (first === undefined) return () => UNEVALUABLE;
    if (name === "has") return this.#has(first, scope);
    if (name === "count") {
      const minutes = first.op === "value" ? Number(first.args) : 0;
      this.countMinutes = Math.max(this.countMinutes, minutes);
      return this.#note(`count(${minutes})`, ({ facts }) => {
        const counted = facts.count(minutes);
        return counted === null ? UNKNOWN : BigInt(counted);
      });
    }
    const operand = this.compile(first, scope);
    if (name === "size") return (evaluation) => readSize(operand(evaluation), evaluation);
    const convert = CONVERSIONS[name];
    return (evaluation) => {
      const value = operand(evaluation);
      return isFailure(value) || convert === undefined ? value : convert(value);
    };
  }

  /** The parser allows a chain of names alone. */
  #has(node: ASTNode, scope: Scope): Expression {
    if (node.op !== ".") return () => UNEVALUABLE;
    const [parent, key] = node.args;
    this.compile(node, scope);
    const container = this.compile(parent, scope);
    return (evaluation) => {
      const value = container(evaluation);
      if (isFailure(value)) return value;
      if (!isMap(value)) return UNEVALUABLE;
      return Object.hasOwn(value, key) ? true : findMissing(value, evaluation) === UNKNOWN ? UNKNOWN : false;
    };
  }

  #method(name: string, receiver: ASTNode, args: readonly ASTNode[], scope: Scope): Expression {
    if (MACROS.has(name)) return this.#macro(name, receiver, args, scope);
    const target = this.compile(receiver, scope);
    if (name === "size") return (evaluation) => readSize(target(evaluation), evaluation);
    if (TIME_PARTS.has(name)) {
      const zone = args[0]?.op === "value" ? String(args[0].args) : "UTC";
      return toTimePart(name, zone, target);
    }
    if (name === "matches") {
      const pattern = this.patterns.get(String(args[0]?.op === "value" ? args[0].args : ""));
      return pattern === undefined ? () => UNEVALUABLE : toMatch(pattern, target);
    }
    const [first] = args;
    const argument = first === undefined ? null : this.compile(first, scope);
    return (evaluation) => {
      const text = target(evaluation);
      const part = argument === null ? "" : argument(evaluation);
      if (isFailure(text)) return text;
      if (isFailure(part)) return part;
      if (typeof text !== "string" || typeof part !== "string") return UNEVALUABLE;
      // A search for a long periodic text costs more than both are long.
      const work = name === "contains" ? text.length / 4 + (text.length * part.length) / 4_096 : text.length / 64;
      return spend(evaluation, work) ? (TEXT_METHODS[name]?.(text, part) ?? UNEVALUABLE) : EXHAUSTED;
    };
  }

  #macro(name: string, receiver: ASTNode, args: readonly ASTNode[], scope: Scope): Expression {
    const list = this.compile(receiver, scope);
    const [variable, ...bodies] = args;
    const before = this.size;
    const inner = [...scope, variable?.op === "id" ? variable.args : ""];
    const [body, transform] = bodies.map((each) => this.compile(each, inner));
    const cost = (this.size - before + 1) * PART_COST;
    if (body === undefined) return () => UNEVALUABLE;
    const slot = scope.length;
    const walk = (evaluation: Evaluation, visit: (item: unknown) => unknown): unknown => {
      const items = list(evaluation);
      if (isFailure(items)) return items;
      const keys = isMap(items) ? Object.keys(items) : null;
      if (keys === null && !Array.isArray(items)) return UNEVALUABLE;
      const length = keys?.length ?? (items as unknown[]).length;
      for (let index = 0; index < length; index++) {
        if (!spend(evaluation, cost)) return EXHAUSTED;
        const item = keys?.[index] ?? readMember(items, index, evaluation);
        evaluation.locals[slot] = item;
        const ended = visit(item);
        if (ended !== undefined) return ended;
      }
      return undefined;
    };
    switch (name) {
      case "all":
      case "exists":
        return (evaluation) => toQuantified(evaluation, walk, body, name === "exists");
      case "exists_one":
        return (evaluation) => {
          let found = 0;
          const ended = walk(evaluation, () => {
            const value = body(evaluation);
            if (typeof value !== "boolean") return isFailure(value) ? value : UNEVALUABLE;
            if (value) found += 1;
            return undefined;
          });
          return ended ?? found === 1;
        };
      case "filter":
        return (evaluation) => {
          const found: unknown[] = [];
          const ended = walk(evaluation, (item) => {
            const value = body(evaluation);
            if (typeof value !== "boolean") return isFailure(value) ? value : UNEVALUABLE;
            if (value) found.push(item);
            return undefined;
          });
          return ended ?? found;
        };
      default:
        return (evaluation) => {
          const made: unknown[] = [];
          const ended = walk(evaluation, () => {
            const chosen = transform === undefined ? true : body(evaluation);
            if (typeof chosen !== "boolean") return isFailure(chosen) ? chosen : UNEVALUABLE;
            if (!chosen) return undefined;
            const value = (transform ?? body)(evaluation);
            if (isFailure(value)) return value;
            made.push(value);
            return undefined;
          });
          return ended ?? made;
        };
    }
  }
}

/** Reads the result; before the call ran there is none. */
function readResult({ result }: ConditionFacts): unknown {
  if (result === NOT_RECORDED) return UNKNOWN;
  return result ?? UNEVALUABLE;
}

/** An item that decides does so even if others fail. */
function toQuantified(
  evaluation: Evaluation,
  walk: (evaluation: Evaluation, visit: (item: unknown) => unknown) => unknown,
  body: Expression,
  deciding: boolean,
): unknown {
  let failed: Failure | null = null;
  const ended = walk(evaluation, () => {
    const value = body(evaluation);
    if (value === deciding) return deciding;
    if (value === !deciding) return undefined;
    if (value === EXHAUSTED) return EXHAUSTED;
    if (failed !== UNKNOWN) failed = isFailure(value) ? value : UNEVALUABLE;
    return undefined;
  });
  return ended ?? failed ?? !deciding;
}

/** `false && …` is false and `true || …` true, even if the other side fails. */
function toLogical(left: Expression, right: Expression, deciding: boolean): Expression {
  return (evaluation) => {
    const first = left(evaluation);
    if (first === deciding || first === EXHAUSTED) return first;
    const second = right(evaluation);
    if (second === deciding || second === EXHAUSTED) return second;
    if (first === !deciding && second === !deciding) return !deciding;
    return first === UNKNOWN || second === UNKNOWN ? UNKNOWN : UNEVALUABLE;
  };
}

function collect(items: readonly Expression[], evaluation: Evaluation): unknown[] | Failure {
  const values: unknown[] = [];
  for (const item of items) {
    const value = item(evaluation);
    if (isFailure(value)) return value;
    values.push(value);
  }
  return values;
}

const isMap = (value: unknown): value is Record<string, unknown> => isPlainObject(value);

/** `args.a.b` and `args["a"].b`; null for what is computed, or begins with an item of a list. */
function toPath(node: ASTNode, scope: Scope): string | null {
  if (node.op === "id") return scope.includes(node.args) ? null : node.args;
  if (node.op !== "." && node.op !== "[]") return null;
  const parent = toPath(node.args[0], scope);
  if (parent === null) return null;
  if (node.op === ".") return `${parent}.${node.args[1]}`;
  const key = node.args[1];
  if (key.op !== "value") return null;
  return typeof key.args === "string" ? `${parent}[${JSON.stringify(key.args)}]` : `${parent}[${String(key.args)}]`;
}

/** The value of a member, with all digits of a number. */
function readMember(container: unknown, key: string | number, evaluation: Evaluation): unknown {
  if (isFailure(container)) return container;
  if (typeof container !== "object" || container === null) return UNEVALUABLE;
  if (!Object.hasOwn(container, key)) return findMissing(container, evaluation);
  const value = (container as Record<string | number, unknown>)[key];
  if (typeof value === "number") return toNumber(value, getNumberTexts(container).get(String(key)));
  if (value === NOT_RECORDED) return UNKNOWN;
  if (value === TOO_LARGE) return EXHAUSTED;
  if (typeof value === "string" && evaluation.masks !== null)
    return isMasked(value, evaluation.masks) ? UNKNOWN : value;
  return value ?? null;
}

/** A text that is too long to look at counts as masked. */
function isMasked(text: string, work: WorkBudget): boolean {
  work.left -= text.length / 512 + 1;
  return work.left < 0 || hasMask(text);
}

/** A key that is masked may be the one that is missing. */
function findMissing(container: object, { masks }: Evaluation): Failure {
  return masks !== null && Object.keys(container).some((key) => isMasked(key, masks)) ? UNKNOWN : UNEVALUABLE;
}

/** Integers by their digits, also beyond the range of `number`; a value with a fraction or an exponent is a double. */
function toNumber(value: number, text = String(value)): bigint | number {
  if (Number.isSafeInteger(value) && !Object.is(value, -0) && text.length < 17 && !/[.eE]/.test(text)) {
    return BigInt(value);
  }
  return /^-?\d{1,40}$/.test(text) ? BigInt(text) : value;
}

function toIndexed(container: Expression, index: Expression): Expression {
  return (evaluation) => {
    const value = container(evaluation);
    const key = index(evaluation);
    if (isFailure(value)) return value;
    if (isFailure(key)) return key;
    if (Array.isArray(value)) {
      const isIndex = (typeof key === "bigint" || typeof key === "number") && key >= 0 && key < value.length;
      return isIndex && Number.isInteger(Number(key)) ? readMember(value, Number(key), evaluation) : UNEVALUABLE;
    }
    return isMap(value) && typeof key === "string" ? readMember(value, key, evaluation) : UNEVALUABLE;
  };
}

const isNumber = (value: unknown): value is bigint | number => typeof value === "bigint" || typeof value === "number";

/** Values of different types are not equal. */
function isEqual(left: unknown, right: unknown, evaluation: Evaluation): boolean | Failure {
  // biome-ignore lint/suspicious/noDoubleEquals: it compares integers with doubles by their value
  if (isNumber(left) && isNumber(right)) return left == right;
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (typeof left === "string" && typeof right === "string") {
    return spend(evaluation, Math.min(left.length, right.length) / 64) ? left === right : EXHAUSTED;
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (!spend(evaluation, (keys.length + 1) * MEMBER_COST)) return EXHAUSTED;
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false;
    const mine = readMember(left, key, evaluation);
    const other = readMember(right, key, evaluation);
    const failed = isFailure(mine) ? mine : isFailure(other) ? other : null;
    const same = failed ?? isEqual(mine, other, evaluation);
    if (same !== true) return same;
  }
  return true;
}

function isIn(value: unknown, container: unknown, evaluation: Evaluation): boolean | Failure {
  if (isMap(container)) {
    if (typeof value !== "string") return false;
    return Object.hasOwn(container, value) ? true : findMissing(container, evaluation) === UNKNOWN ? UNKNOWN : false;
  }
  if (!Array.isArray(container)) return UNEVALUABLE;
  let failed: Failure | null = null;
  for (let index = 0; index < container.length; index++) {
    if (!spend(evaluation, PART_COST)) return EXHAUSTED;
    const item = readMember(container, index, evaluation);
    const same = isFailure(item) ? item : isEqual(value, item, evaluation);
    if (same === true || same === EXHAUSTED) return same;
    if (isFailure(same)) failed = same;
  }
  return failed ?? false;
}

/** Returns a number below 0, 0, or a number above. */
function compare(left: unknown, right: unknown, evaluation: Evaluation): number | Failure {
  if (isNumber(left) && isNumber(right)) {
    if (left < right) return -1;
    if (left > right) return 1;
    return Number.isNaN(Number(left)) || Number.isNaN(Number(right)) ? UNEVALUABLE : 0;
  }
  if (typeof left === "string" && typeof right === "string") {
    if (!spend(evaluation, Math.min(left.length, right.length) / 64)) return EXHAUSTED;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  return left instanceof Date && right instanceof Date ? left.getTime() - right.getTime() : UNEVALUABLE;
}

const toInt = (value: bigint): bigint | Failure => (value < MIN_INT || value > MAX_INT ? UNEVALUABLE : value);

function add(left: unknown, right: unknown, evaluation: Evaluation): unknown {
  if (typeof left === "string" && typeof right === "string") {
    return spend(evaluation, (left.length + right.length) / 64) ? left + right : EXHAUSTED;
  }
  if (!Array.isArray(left) || !Array.isArray(right)) return UNEVALUABLE;
  if (!spend(evaluation, (left.length + right.length) * PART_COST)) return EXHAUSTED;
  return [...left.keys()]
    .map((key) => readMember(left, key, evaluation))
    .concat([...right.keys()].map((key) => readMember(right, key, evaluation)));
}

function calculate(op: string, left: bigint | number, right: bigint | number): unknown {
  if (typeof left === "bigint" && typeof right === "bigint") {
    if (op === "+") return toInt(left + right);
    if (op === "-") return toInt(left - right);
    if (op === "*") return toInt(left * right);
    if (right === 0n) return UNEVALUABLE;
    return toInt(op === "/" ? left / right : left % right);
  }
  const first = Number(left);
  const second = Number(right);
  if (op === "+") return first + second;
  if (op === "-") return first - second;
  if (op === "*") return first * second;
  return op === "/" ? first / second : UNEVALUABLE;
}

function toBinary(op: string, left: Expression, right: Expression): Expression {
  return (evaluation) => {
    const first = left(evaluation);
    if (isFailure(first)) return first;
    const second = right(evaluation);
    if (isFailure(second)) return second;
    switch (op) {
      case "==":
        return isEqual(first, second, evaluation);
      case "!=": {
        const same = isEqual(first, second, evaluation);
        return isFailure(same) ? same : !same;
      }
      case "in":
        return isIn(first, second, evaluation);
      case "<":
      case "<=":
      case ">":
      case ">=": {
        const order = compare(first, second, evaluation);
        if (isFailure(order)) return order;
        if (op === "<") return order < 0;
        if (op === "<=") return order <= 0;
        return op === ">" ? order > 0 : order >= 0;
      }
      default:
        if (isNumber(first) && isNumber(second)) return calculate(op, first, second);
        return op === "+" ? add(first, second, evaluation) : UNEVALUABLE;
    }
  };
}

/** Texts are measured in characters, not in bytes or UTF-16 units. */
function readSize(value: unknown, evaluation: Evaluation): unknown {
  if (isFailure(value)) return value;
  if (typeof value === "string") {
    if (!spend(evaluation, value.length / 4)) return EXHAUSTED;
    let size = 0;
    for (const _ of value) size += 1;
    return BigInt(size);
  }
  if (Array.isArray(value)) return BigInt(value.length);
  return isMap(value) ? BigInt(Object.keys(value).length) : UNEVALUABLE;
}

const CONVERSIONS: Readonly<Record<string, ((value: unknown) => unknown) | undefined>> = {
  string: (value) =>
    typeof value === "string" || typeof value === "boolean" || isNumber(value) ? String(value) : UNEVALUABLE,
  double(value) {
    if (isNumber(value)) return Number(value);
    const isDecimal = typeof value === "string" && value.length <= 40 && /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(value);
    return isDecimal ? Number(value) : UNEVALUABLE;
  },
  int(value) {
    if (typeof value === "bigint") return value;
    if (typeof value === "number") return Number.isFinite(value) ? toInt(BigInt(Math.trunc(value))) : UNEVALUABLE;
    return typeof value === "string" && /^-?\d{1,20}$/.test(value) ? toInt(BigInt(value)) : UNEVALUABLE;
  },
};

const TEXT_METHODS: Readonly<Record<string, ((text: string, part: string) => unknown) | undefined>> = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
  lowerAscii: (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  upperAscii: (text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
};

function toMatch(pattern: RE2JS, target: Expression): Expression {
  const cost = pattern.programSize() * MATCH_COST;
  return (evaluation) => {
    const text = target(evaluation);
    if (isFailure(text)) return text;
    if (typeof text !== "string") return UNEVALUABLE;
    return spend(evaluation, (text.length + 1) * cost) ? pattern.matcher(text).find() : EXHAUSTED;
  };
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Follows CEL: days of the week from Sunday and months count from 0, days of a month from 1. */
function toTimePart(name: string, zone: string, target: Expression): Expression {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    weekday: "short",
    hour: "numeric",
    minute: "numeric",
  });
  const read: Record<string, [type: Intl.DateTimeFormatPartTypes, toPart: (text: string) => number]> = {
    getFullYear: ["year", Number],
    getMonth: ["month", (text) => Number(text) - 1],
    getDate: ["day", Number],
    getDayOfWeek: ["weekday", (text) => WEEKDAYS.indexOf(text)],
    getHours: ["hour", Number],
    getMinutes: ["minute", Number],
  };
  const [type, toPart] = read[name] ?? ["year", Number];
  return (evaluation) => {
    const at = target(evaluation);
    if (isFailure(at)) return at;
    if (!(at instanceof Date)) return UNEVALUABLE;
    if (!spend(evaluation, ZONE_COST)) return EXHAUSTED;
    const part = format.formatToParts(at).find((each) => each.type === type);
    return part === undefined ? UNEVALUABLE : BigInt(toPart(part.value));
  };
}
