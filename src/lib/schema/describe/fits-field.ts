import type { JsonValue } from "../../contract/json";
import { readNumber } from "../json-number";
import { isJsonObject } from "../value-at";
import type { FieldDescription } from "./describe-field";

/**
 * Whether a field of this kind can show and edit the value without changing it. A text area turns `\r` into `\n`, so such text
 * is shown as JSON; a number field shows text that is not yet a number (`1.`).
 */
export function fitsField(field: FieldDescription, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return field.kind !== "any" || value === undefined;
  switch (field.kind) {
    case "string":
    case "multiline":
      return typeof value === "string" && !value.includes("\r");
    case "number":
    case "integer":
      return typeof value === "number" || (typeof value === "string" && isHalfTypedNumber(value));
    case "boolean":
      return typeof value === "boolean";
    case "enum":
    case "const":
      return typeof value !== "object";
    case "object":
    case "map":
      return isJsonObject(value);
    case "array":
    case "tuple":
      return Array.isArray(value);
    case "union":
      return true;
    case "null":
    case "any":
      return false;
  }
}

function isHalfTypedNumber(text: string): boolean {
  return readNumber(text) === null && !/[\r\n]/.test(text);
}
