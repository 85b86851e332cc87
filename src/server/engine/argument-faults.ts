import type { Fault, JsonSchema } from "../../lib/contract";
import { childPointer, pointerToPath } from "../../lib/json-schema/json-pointer";
import type { SchemaError } from "./ports";

const MAX_LISTED_FAULTS = 20;
const MAX_LISTED_OPTIONS = 200;

/** Turns a validator's errors into faults people can act on: missing ones first, unions folded into one. */
export function toFaults(errors: readonly SchemaError[]): Fault[] {
  const seen = new Set<string>();
  const missing: Fault[] = [];
  const other: Fault[] = [];
  for (const error of foldUnions(errors)) {
    const fault = toFault(error);
    const key = `${fault.pointer}\n${fault.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    (fault.message === "missing" ? missing : other).push(fault);
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
  if (fault.message === "missing") return `missing '${fault.path}'`;
  return fault.path === "" ? `arguments ${fault.message}` : `'${fault.path}' ${fault.message}`;
}

/** The required parameters of a schema, for callers that must mend a call (ERR-02). */
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
      return "missing";
    case "dependentRequired":
    case "dependencies":
      return typeof params.missingProperty === "string"
        ? `missing, because '${String(params.property)}' is given`
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
      return "must not match the excluded form";
    case "oneOf":
    case "anyOf":
      return error.message ?? "must match one of the allowed forms";
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

/**
 * A union's error follows the errors of its branches, which are noise to the caller. They are replaced by the branch
 * that the value was evidently meant for (it passed that branch's types and constants), else by one sentence.
 */
function foldUnions(errors: readonly SchemaError[]): SchemaError[] {
  const folded: SchemaError[] = [];
  for (const error of errors) {
    if (error.keyword !== "oneOf" && error.keyword !== "anyOf") {
      folded.push(error);
      continue;
    }
    const branchErrors = takeBranchErrors(folded, error);
    if (Array.isArray(error.params.passingSchemas)) {
      folded.push({ ...error, message: "must match exactly one of the allowed forms, but matches several" });
    } else {
      folded.push(...explainUnion(error, branchErrors));
    }
  }
  return folded.filter((error) => error.keyword !== "if");
}

function takeBranchErrors(folded: SchemaError[], union: SchemaError): SchemaError[] {
  const taken: SchemaError[] = [];
  for (let last = folded.at(-1); last !== undefined; last = folded.at(-1)) {
    const inside = last.instancePath === union.instancePath || last.instancePath.startsWith(`${union.instancePath}/`);
    // A branch that is a reference reports under its target; what stands beside the union does not.
    const ofBranch = last.schemaPath.startsWith(`${union.schemaPath}/`) || REFERENCED.test(last.schemaPath);
    if (!inside || !ofBranch) break;
    folded.pop();
    taken.push(last);
  }
  return taken.reverse();
}

const REFERENCED = /^(?:#\/(?:\$defs|definitions)\/|[^#])/;

function explainUnion(union: SchemaError, branchErrors: SchemaError[]): SchemaError[] {
  const atUnion = branchErrors.filter((error) => error.instancePath === union.instancePath);
  if (branchErrors.length > 0 && atUnion.length === branchErrors.length && atUnion.every((e) => e.keyword === "type")) {
    const types = [...new Set(atUnion.flatMap((error) => error.params.type as string | string[]))];
    return [{ ...union, keyword: "type", params: { type: types } }];
  }
  const branches = new Map<string, SchemaError[]>();
  for (const error of branchErrors) {
    const branch = branchOf(error.schemaPath, union.schemaPath);
    const known = branches.get(branch);
    if (known) known.push(error);
    else branches.set(branch, [error]);
  }
  const meant = [...branches.values()].filter((branch) => !branch.some((e) => isMismatch(e, union.instancePath)));
  if (meant.length === 1 && meant[0]) return meant[0];
  return foldDiscriminator(union, branchErrors) ?? [{ ...union, message: "must match one of the allowed forms" }];
}

/** When every branch refused the same property by constant or enum, that property's options are the message. */
function foldDiscriminator(union: SchemaError, branchErrors: SchemaError[]): SchemaError[] | null {
  const choices = branchErrors.filter((error) => error.keyword === "const" || error.keyword === "enum");
  const places = new Set(choices.map((error) => error.instancePath));
  const [place] = places;
  if (places.size !== 1 || place === undefined) return null;
  const allowedValues = choices.flatMap((error) =>
    error.keyword === "const" ? [error.params.allowedValue] : (error.params.allowedValues as unknown[]),
  );
  return [{ ...union, instancePath: place, keyword: "enum", params: { allowedValues } }];
}

function isMismatch(error: SchemaError, unionPath: string): boolean {
  if (error.keyword === "type") return error.instancePath === unionPath;
  const depth = error.instancePath.slice(unionPath.length).split("/").length - 1;
  return (error.keyword === "const" || error.keyword === "enum") && depth <= 1;
}

function branchOf(schemaPath: string, unionPath: string): string {
  const depth = schemaPath.startsWith(`${unionPath}/`) ? unionPath.split("/").length + 1 : 3;
  return schemaPath.split("/").slice(0, depth).join("/");
}
