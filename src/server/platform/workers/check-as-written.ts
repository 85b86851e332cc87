import type { JsonSchema, JsonValue } from "../../../lib/contract/json";
import type { CheckValue, Refusal } from "../../../lib/schema/witness/find-witnesses";
import type { SchemaError } from "../../engine/ports";
import { compileAsWritten } from "./schema-compiler";

/** Checks values against schemas with ajv, each in its dialect; a schema is compiled once while it lives. */
export function createValueCheck(): CheckValue {
  const compiled = new WeakMap<JsonSchema, ((value: unknown) => SchemaError[]) | null>();
  const compile = (schema: JsonSchema): ((value: unknown) => SchemaError[]) | null => {
    try {
      return compileAsWritten(schema);
    } catch {
      return null;
    }
  };
  return (schema: JsonSchema, value: JsonValue) => {
    let check = compiled.get(schema);
    if (check === undefined) {
      check = compile(schema);
      compiled.set(schema, check);
    }
    try {
      return check === null ? null : check(value).map(toRefusal);
    } catch {
      // The schema refers to itself for this value.
      return null;
    }
  };
}

function toRefusal({ instancePath, keyword, params }: SchemaError): Refusal {
  const property = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return { pointer: instancePath, keyword, property: typeof property === "string" ? property : null };
}
