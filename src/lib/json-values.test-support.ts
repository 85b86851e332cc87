import fc from "fast-check";
import type { JsonValue } from "./contract/json";

/** Any value that JSON text can hold: not the `-0` that fast-check adds, which JSON writes as `0`. */
export function jsonValues(constraints: fc.JsonSharedConstraints = {}): fc.Arbitrary<JsonValue> {
  return fc.jsonValue(constraints).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
}
