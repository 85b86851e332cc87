import { afterAll } from "vitest";
import type { JsonSchema } from "../../../lib/contract/json";
import { describeFaults } from "../../engine/validation/argument-faults";
import { validateArguments } from "../../engine/validation/validate-arguments";
import { AjvValidator } from "./ajv-validator";

/** For the file that calls it: its threads end with that file's tests. */
export function openValidator() {
  const validator = new AjvValidator({ home: process.cwd(), validationMs: 1500, workers: 1 });
  afterAll(() => validator.close());
  const findFaults = async (schema: JsonSchema, args: unknown): Promise<string | null> => {
    const refusal = await validateArguments(validator, schema, args, { maxArgumentBytes: 1e9, maxArgumentDepth: 1e3 });
    return refusal === null ? null : describeFaults(refusal.faults, refusal.unlisted);
  };
  return { validator, findFaults };
}

export const object = (properties: Record<string, unknown>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
