import type { Fault } from "../../../lib/contract/envelope";
import type { JsonSchema } from "../../../lib/contract/json";
import { childPointer, pointerToPath } from "../../../lib/json/json-pointer";
import type { SchemaError } from "../ports";
import { foldUnions } from "./union-faults";

const MAX_LISTED_FAULTS = 20;
const MAX_LISTED_OPTIONS = 200;

/**
 * Turns a validator's errors into faults that users can act on: missing ones first, unions combined into one.
 * @param schema the schema of the validation; with it the forms of a union have names
 */
export function toFaults(errors: readonly SchemaError[], schema: JsonSchema | null = null): Fault[] {
  const seen = new Set<string>();
  const missing: Fault[] = [];
  const other: Fault[] = [];
  for (const error of foldUnions(errors, { schema, describe: (error) => sentence(toFault(error)) })) {
    const fault = toFault(error);
    const key = `${fault.pointer}\n${fault.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    (fault.keyword === "required" ? missing : other).push(fault);
  }
  return [...missing, ...other];
}

/** The exact sentence of EXE-03: all faults after `Invalid parameters: `, joined by `; `. */
export function describeFaults(faults: readonly Fault[], unlisted = 0): string {
  const listed = faults.slice(0, MAX_LISTED_FAULTS).map(sentence);
  const more = faults.length - listed.length + unlisted;
  if (more > 0) listed.push(`and ${more} more`);
  return `Invalid parameters: ${listed.join("; ")}`;
}

function sentence(fault: Fault): string {
  if (fault.keyword === "required") return `missing '${fault.path}'`;
  return fault.path === "" ? `arguments ${fault.message}` : `'${fault.path}' ${fault.message}`;
}

/** The required parameters of a schema, for callers that must fix a call (ERR-02). */
export function requiredParameters(schema: JsonSchema): { name: string; type: string; description?: string }[] {
  if (!Array.isArray(schema.required)) return [];
  const properties = schema.properties as Record<string, unknown> | undefined;
  return schema.required
    .filter((name): name is string => typeof name === "string")
    .map((name) => {
      const field = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
      const described = typeof field === "object" && field !== null ? (field as JsonSchema) : {};
      const description = typeof described.description === "string" ? described.description : undefined;
      return { name, type: typeLabel(described), ...(description === undefined ? {} : { description }) };
    });
}

function typeLabel(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return listOptions(schema.enum);
  if (typeof schema.type === "string") return schema.type;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return "any";
}

function toFault(error: SchemaError): Fault {
  const missing = missingProperty(error);
  const pointer = missing === null ? error.instancePath : childPointer(error.instancePath, missing);
  return { pointer, path: pointerToPath(pointer), keyword: error.keyword, message: faultMessage(error) };
}

function missingProperty(error: SchemaError): string | null {
  const property = error.params.missingProperty;
  if (typeof property !== "string") return null;
  return ["required", "dependentRequired", "dependencies"].includes(error.keyword) ? property : null;
}

function faultMessage(error: SchemaError): string {
  const { params } = error;
  switch (error.keyword) {
    case "required":
      return "is required";
    case "dependentRequired":
    case "dependencies":
      return typeof params.missingProperty === "string"
        ? `is required because '${String(params.property)}' is set`
        : (error.message ?? "is not allowed here");
    case "type":
      return `must be ${Array.isArray(params.type) ? params.type.join(" or ") : String(params.type).replaceAll(",", " or ")}`;
    case "enum":
      return `must be one of ${listOptions(params.allowedValues as unknown[])}`;
    case "const":
      return `must be ${short(params.allowedValue)}`;
    case "format":
      return `must match format "${String(params.format)}"`;
    case "pattern":
      return `must match pattern ${short(params.pattern)}`;
    case "minLength":
      return `must have at least ${count(params.limit, "character")}`;
    case "maxLength":
      return `must have at most ${count(params.limit, "character")}`;
    case "minItems":
      return `must have at least ${count(params.limit, "item")}`;
    case "maxItems":
      return `must have at most ${count(params.limit, "item")}`;
    case "minProperties":
      return `must have at least ${count(params.limit, "property", "properties")}`;
    case "maxProperties":
      return `must have at most ${count(params.limit, "property", "properties")}`;
    case "uniqueItems":
      return `must not have duplicate items (items ${String(params.j)} and ${String(params.i)} are equal)`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `must be ${String(params.comparison)} ${String(params.limit)}`;
    case "multipleOf":
      return `must be a multiple of ${String(params.multipleOf)}`;
    case "false schema":
      return "is not allowed";
    case "not":
      return "must not match the excluded schema";
    case "oneOf":
    case "anyOf":
      return error.message ?? "matches none of the allowed schemas";
    default:
      return error.message ?? `fails '${error.keyword}'`;
  }
}

function count(limit: unknown, singular: string, plural = `${singular}s`): string {
  return `${String(limit)} ${limit === 1 ? singular : plural}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function listOptions(options: readonly unknown[]): string {
  const listed = options.slice(0, MAX_LISTED_OPTIONS).map(short).join(", ");
  return options.length > MAX_LISTED_OPTIONS ? `${listed} and ${options.length - MAX_LISTED_OPTIONS} more` : listed;
}
