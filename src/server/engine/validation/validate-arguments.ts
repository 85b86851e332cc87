import type { ArgumentVerdict, Fault, FiredLimit } from "../../../lib/contract/envelope";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { measureJson } from "../executor/measure-json";
import type { ArgumentValidator, ExecutionLimits, ValidationOutcome } from "../ports";
import { toFaults } from "./argument-faults";
import { decidingSchema, formatWarnings } from "./format-annotations";

/** Why arguments may not reach a tool. */
export interface Refusal {
  /** The first hundred. */
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
  return outcome instanceof Promise ? outcome.then((judged) => toRefusal(judged, schema)) : toRefusal(outcome, schema);
}

/** Returns the faults to show before the arguments are sent: the executor's own, and what the server may refuse. */
export async function judgeArguments(
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

function toRefusal(outcome: ValidationOutcome, schema: JsonSchema): Refusal | null {
  if (outcome.valid) return null;
  if ("errors" in outcome) {
    const faults = toFaults(outcome.errors, schema);
    return { faults: faults.slice(0, MAX_FAULTS), unlisted: Math.max(0, faults.length - MAX_FAULTS) };
  }
  return { ...rejectArguments(outcome.reason, "limit"), ...(outcome.limit ? { limit: outcome.limit } : {}) };
}

function tooLarge(reason: string, value: number, unit: FiredLimit["unit"]): Refusal {
  return { ...rejectArguments(reason, "limit"), limit: { name: "argument_size", value, unit, setBy: "global" } };
}

/** One fault of the payload as a whole. */
function rejectArguments(message: string, keyword: string): Refusal {
  return { faults: [{ pointer: "", path: "", keyword, message }], unlisted: 0 };
}
