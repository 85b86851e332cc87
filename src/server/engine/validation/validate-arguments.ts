import type { ArgumentVerdict, Fault, FiredLimit } from "../../../lib/contract/envelope";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { DATA_KEYWORDS, SCHEMA_MAPS } from "../../../lib/schema/keywords";
import { findReference } from "../../../lib/schema/resolve-ref";
import { StepBudget } from "../../../lib/schema/step-budget";
import type { ArgumentSize, ArgumentValidator, ExecutionLimits, ValidationOutcome } from "../ports";
import { toFaults } from "./argument-faults";

/**
 * Measures a payload before any expensive step reads it. Stops as soon as a cap is passed, so hostile data costs no
 * more than the cap; a cyclic object ends at the depth cap.
 */
export function measureJson(value: unknown, caps: { maxBytes: number; maxDepth: number }): ArgumentSize {
  const size: ArgumentSize = { values: 0, bytes: 0, depth: 0, unrepresentable: false };
  walk(value, 1, size, caps);
  return size;
}

function walk(value: unknown, depth: number, size: ArgumentSize, caps: { maxBytes: number; maxDepth: number }): void {
  size.values += 1;
  if (typeof value === "string") {
    size.bytes += value.length + 2;
    return;
  }
  if (typeof value !== "object" || value === null) {
    size.bytes += 1;
    if (typeof value === "number" && !Number.isFinite(value)) size.unrepresentable = true;
    return;
  }
  if (depth > size.depth) size.depth = depth;
  if (depth > caps.maxDepth) return;
  size.bytes += 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (size.bytes > caps.maxBytes || size.depth > caps.maxDepth) return;
      size.bytes += 1;
      walk(item, depth + 1, size, caps);
    }
    return;
  }
  for (const key in value) {
    if (size.bytes > caps.maxBytes || size.depth > caps.maxDepth) return;
    size.bytes += key.length + 4;
    walk((value as Record<string, unknown>)[key], depth + 1, size, caps);
  }
}

/** Why arguments may not reach a tool. */
export interface Refusal {
  /** The first hundred faults. */
  faults: Fault[];
  /** How many more there are. */
  unlisted: number;
  limit?: FiredLimit;
}

const MAX_FAULTS = 100;

type Caps = Pick<ExecutionLimits, "maxArgumentBytes" | "maxArgumentDepth">;

/**
 * Null for arguments that may run. Caps come first, so that nothing expensive sees hostile data. Answers at once where the
 * schema allows it.
 * @param skipSchema only the caps and the shape are checked: the caller wants to see the tool's own errors
 */
export function validateArguments(
  validator: ArgumentValidator,
  schema: JsonSchema,
  args: unknown,
  caps: Caps,
  skipSchema = false,
): Refusal | null | Promise<Refusal | null> {
  const { maxArgumentBytes, maxArgumentDepth } = caps;
  const size = measureJson(args, { maxBytes: maxArgumentBytes, maxDepth: maxArgumentDepth });
  if (size.depth > maxArgumentDepth) {
    return tooLarge(`exceed the limit of ${maxArgumentDepth} nesting levels`, maxArgumentDepth, "levels");
  }
  if (size.bytes > maxArgumentBytes) {
    return tooLarge(`exceed the limit of ${maxArgumentBytes} bytes`, maxArgumentBytes, "bytes");
  }
  if (!isPlainObject(args)) {
    const type = args === null ? "null" : Array.isArray(args) ? "array" : typeof args;
    return rejectArguments(`must be an object, got ${type}`, "type");
  }
  if (size.unrepresentable) {
    return rejectArguments("contain a number that JSON cannot represent (Infinity or NaN)", "type");
  }
  if (skipSchema) return null;
  const outcome = validator.validate(schema, args, size);
  if (outcome instanceof Promise) return outcome.then((checked) => (checked.valid ? null : toRefusal(checked, schema)));
  return outcome.valid ? null : toRefusal(outcome, schema);
}

/** Returns the faults to show before the arguments are sent: the executor's own, and what the server may refuse. */
export async function checkArguments(
  validator: ArgumentValidator,
  definition: ToolDefinition,
  args: unknown,
  caps: Caps,
): Promise<ArgumentVerdict> {
  const refusal = await validateArguments(validator, decidingSchema(definition), args, caps);
  if (refusal?.faults.some(({ keyword, pointer }) => keyword === "limit" && pointer === "")) {
    return { valid: false, faults: refusal.faults, warnings: [] };
  }
  const size = measureJson(args, { maxBytes: caps.maxArgumentBytes, maxDepth: caps.maxArgumentDepth });
  const warnings = isPlainObject(args) ? await formatWarnings(validator, definition, args, size) : [];
  return { valid: refusal === null, faults: refusal?.faults ?? [], warnings };
}

function toRefusal(outcome: Exclude<ValidationOutcome, { valid: true }>, schema: JsonSchema): Refusal {
  if ("errors" in outcome) {
    const faults = toFaults(outcome.errors, schema);
    return { faults: faults.slice(0, MAX_FAULTS), unlisted: Math.max(0, faults.length - MAX_FAULTS) };
  }
  return { ...rejectArguments(outcome.reason, "limit"), ...(outcome.limit ? { limit: outcome.limit } : {}) };
}

function tooLarge(reason: string, value: number, unit: FiredLimit["unit"]): Refusal {
  return { ...rejectArguments(reason, "limit"), limit: { name: "argument_size", value, unit, setBy: "global" } };
}

/** Returns one fault of the whole payload. */
function rejectArguments(message: string, keyword: string): Refusal {
  return { faults: [{ pointer: "", path: "", keyword, message }], unlisted: 0 };
}

/** Deeper schemas are not validated. */
const MAX_DEPTH = 200;
/** Schemas looked at to find formats behind references; what is not looked at counts as having one. */
const MAX_STEPS = 50_000;

const withoutFormat = new WeakMap<JsonSchema, JsonSchema>();

/**
 * The schema that decides whether arguments may reach a tool. For tools of MCP servers `format` is an annotation:
 * servers take values that a checker of formats refuses, such as UUIDs without dashes. Filtering such errors out of a
 * verdict would be wrong inside unions and negations, so the keyword itself is left out, and with it what depends on
 * it: a `oneOf` whose forms may differ by format is read as `anyOf`, a `not` or `if` about a format is left out, and
 * `unevaluated…` with such an `if`, since its branches say what is evaluated. So this schema accepts every value that
 * the written one accepts.
 */
export function decidingSchema({
  implementation,
  parameters,
}: Pick<ToolDefinition, "implementation" | "parameters">): JsonSchema {
  if (implementation.type !== "mcp") return parameters;
  const known = withoutFormat.get(parameters);
  if (known !== undefined) return known;
  const schema = new FormatRemoval(parameters).strip(parameters, 0) as JsonSchema;
  if (Object.isFrozen(parameters)) withoutFormat.set(parameters, schema);
  return schema;
}

class FormatRemoval {
  readonly #budget = new StepBudget(MAX_STEPS);
  /** Whether branches are left out on which `unevaluated…` depends. */
  #leavesOutBranches: boolean | null = null;

  constructor(readonly root: JsonSchema) {}

  /** The node itself where nothing changes, else a frozen copy. */
  strip(node: unknown, depth: number): unknown {
    if (typeof node !== "object" || node === null || depth > MAX_DEPTH) return node;
    if (Array.isArray(node)) {
      const items = node.map((item) => this.strip(item, depth + 1));
      return items.every((item, index) => item === node[index]) ? node : Object.freeze(items);
    }
    const schema = node as JsonSchema;
    const kept = Object.entries(schema).flatMap((entry) => this.#keyword(schema, entry, depth));
    const same =
      kept.length === Object.keys(schema).length &&
      kept.every(([keyword, value]) => Object.hasOwn(schema, keyword) && schema[keyword] === value);
    return same ? node : Object.freeze(Object.fromEntries(kept));
  }

  #keyword(schema: JsonSchema, [keyword, value]: [string, unknown], depth: number): [string, unknown][] {
    if (keyword === "format" && typeof value === "string") return [];
    if (DATA_KEYWORDS.has(keyword)) return [[keyword, value]];
    if (SCHEMA_MAPS.has(keyword)) return [[keyword, this.#named(value, depth)]];
    if (keyword === "not" && this.#hasFormat(value)) return [];
    if (["if", "then", "else"].includes(keyword) && this.#hasFormat(schema.if)) return [];
    if (keyword === "maxContains" && this.#hasFormat(schema.contains)) return [];
    if (keyword === "unevaluatedProperties" || keyword === "unevaluatedItems") {
      this.#leavesOutBranches ??= this.#findLeftOutBranch(this.root, 0);
      if (this.#leavesOutBranches) return [];
    }
    const inner = this.strip(value, depth + 1);
    if (keyword !== "oneOf" || !this.#hasFormat(value)) return [[keyword, inner]];
    return Object.hasOwn(schema, "anyOf") ? [] : [["anyOf", inner]];
  }

  #named(value: unknown, depth: number): unknown {
    if (!isPlainObject(value)) return value;
    const entries = Object.entries(value).map(([name, schema]): [string, unknown] => [
      name,
      this.strip(schema, depth + 1),
    ]);
    return entries.every(([name, schema]) => schema === value[name])
      ? value
      : Object.freeze(Object.fromEntries(entries));
  }

  #findLeftOutBranch(node: unknown, depth: number): boolean {
    if (typeof node !== "object" || node === null || depth > MAX_DEPTH) return false;
    if (!Array.isArray(node)) {
      const schema = node as JsonSchema;
      if (Object.hasOwn(schema, "if") && this.#hasFormat(schema.if)) return true;
      if (Object.hasOwn(schema, "anyOf") && Object.hasOwn(schema, "oneOf") && this.#hasFormat(schema.oneOf))
        return true;
    }
    return Object.values(node).some((inner) => this.#findLeftOutBranch(inner, depth + 1));
  }

  #hasFormat(start: unknown): boolean {
    const seen = new Set<unknown>();
    const pending = [start];
    while (pending.length > 0) {
      const node = pending.pop();
      if (typeof node !== "object" || node === null || seen.has(node)) continue;
      if (!this.#budget.spend()) return true;
      seen.add(node);
      if (!Array.isArray(node)) {
        if (typeof (node as JsonSchema).format === "string") return true;
        pending.push(findReference(node as JsonSchema, this.root)?.target);
      }
      for (const [keyword, inner] of Object.entries(node)) if (!DATA_KEYWORDS.has(keyword)) pending.push(inner);
    }
    return false;
  }
}

/** Values that do not look like their `format` says, where the server decides: they are sent all the same. */
async function formatWarnings(
  validator: ArgumentValidator,
  definition: ToolDefinition,
  args: unknown,
  size: ArgumentSize,
): Promise<Fault[]> {
  if (decidingSchema(definition) === definition.parameters) return [];
  const outcome = await validator.validate(definition.parameters, args, size);
  if (outcome.valid || !("errors" in outcome)) return [];
  return toFaults(outcome.errors, definition.parameters)
    .filter(({ keyword }) => keyword === "format")
    .map((fault) => ({ ...fault, severity: "warning", message: `${fault.message}; the server may reject it` }));
}
