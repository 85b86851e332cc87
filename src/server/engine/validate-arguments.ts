import { type Fault, type FiredLimit, isPlainObject, type JsonSchema } from "../../lib/contract";
import { toFaults } from "./argument-faults";
import { measureJson } from "./measure-json";
import type { ArgumentValidator, ExecutionLimits, ValidationOutcome } from "./ports";

/** Why arguments may not reach a tool. */
export interface Refusal {
  faults: Fault[];
  limit?: FiredLimit;
}

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
    return tooLarge(
      `are nested deeper than ${maxArgumentDepth} levels, which is the limit`,
      maxArgumentDepth,
      "levels",
    );
  }
  if (size.bytes > maxArgumentBytes) {
    return tooLarge(`are larger than ${maxArgumentBytes} bytes, which is the limit`, maxArgumentBytes, "bytes");
  }
  if (!isPlainObject(args)) {
    const type = args === null ? "null" : Array.isArray(args) ? "array" : typeof args;
    return { faults: [wholePayload(`must be an object, got ${type}`, "type")] };
  }
  if (skipSchema) return null;
  const outcome = validator.validate(schema, args, size);
  return outcome instanceof Promise ? outcome.then(toRefusal) : toRefusal(outcome);
}

function toRefusal(outcome: ValidationOutcome): Refusal | null {
  if (outcome.valid) return null;
  if ("errors" in outcome) return { faults: toFaults(outcome.errors) };
  return { faults: [wholePayload(outcome.reason, "limit")], ...(outcome.limit ? { limit: outcome.limit } : {}) };
}

function tooLarge(reason: string, value: number, unit: FiredLimit["unit"]): Refusal {
  return { faults: [wholePayload(reason, "limit")], limit: { name: "argument_size", value, unit, setBy: "global" } };
}

function wholePayload(message: string, keyword: string): Fault {
  return { pointer: "", path: "", keyword, message };
}
