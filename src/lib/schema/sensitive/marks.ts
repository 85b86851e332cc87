import { isPlainObject, type JsonSchema } from "../../contract/json";
import type { ToolDefinition } from "../../contract/tool-definition";
import { parsePointer } from "../../json/json-pointer";
import { resolveRef } from "../resolve-ref";

const MAX_DEPTH = 64;

/** The values of a JSON document that are masked. */
export interface Marks {
  /** The schema of the document; null where no schema marks a value. */
  schema: JsonSchema | null;
  /** The schema in which its references are resolved. */
  root: JsonSchema;
  /** The schema cannot be followed to its marks, so every member is masked. */
  isHard: boolean;
  /** Listed paths as tokens; `*` matches any member or item. */
  paths: readonly (readonly string[])[];
}

export interface ToolMarks {
  arguments: Marks | null;
  results: Marks | null;
}

/** Definitions are frozen and long-lived; what follows from them is worked out once. */
const known = new WeakMap<ToolDefinition, ToolMarks>();

/** Returns what is masked of a tool's arguments and results, by its schemas and its listed paths. */
export function getMarks(definition: ToolDefinition): ToolMarks {
  let marks = known.get(definition);
  if (marks === undefined) {
    const { parameters, outputSchema, sensitive, implementation } = definition;
    const isServerTool = implementation.type === "mcp";
    marks = {
      arguments: toMarks(parameters, sensitive?.arguments),
      results: toMarks(outputSchema, sensitive?.results, isServerTool ? "structuredContent" : null),
    };
    known.set(definition, marks);
  }
  return marks;
}

/** @param member where the document that the schema describes is; null where it is the whole */
function toMarks(schema: JsonSchema | undefined, pointers: unknown, member: string | null = null): Marks | null {
  const paths = (Array.isArray(pointers) ? pointers : []).filter(isText).map(parsePointer);
  const isMarking = schema !== undefined && hasMarkedFields(schema);
  if (!isMarking) return paths.length === 0 ? null : { schema: null, root: {}, isHard: false, paths };
  const isHard = isHardToFollow(schema, schema);
  if (member === null) return { schema, root: schema, isHard, paths };
  if (isHard) return { schema: null, root: {}, isHard: false, paths: [...paths, [member]] };
  return { schema: { properties: { [member]: schema } }, root: schema, isHard, paths };
}

export function isMarked(schema: JsonSchema): boolean {
  return schema.writeOnly === true || schema["x-sensitive"] === true || schema.format === "password";
}

/** True when a part of the schema is marked `writeOnly`, `x-sensitive` or `format: "password"`. */
export function hasMarkedFields(schema: unknown, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  // A value that is not examined might be marked.
  if (depth > MAX_DEPTH) return true;
  if (!Array.isArray(schema) && isMarked(schema as JsonSchema)) return true;
  return Object.values(schema).some((part) => hasMarkedFields(part, depth + 1));
}

const NOT_FOLLOWED = ["dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems", "contains"];

/** True where a value may be described by a keyword that is not followed here, or by a reference that leads nowhere. */
function isHardToFollow(schema: unknown, root: JsonSchema, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return false;
  if (!Array.isArray(schema)) {
    const node = schema as JsonSchema;
    if (NOT_FOLLOWED.some((keyword) => isPlainObject(node[keyword]))) return true;
    if (typeof node.$dynamicRef === "string" || typeof node.$recursiveRef === "string") return true;
    if (typeof node.$ref === "string" && resolveRef(root, node.$ref, node) === null) return true;
  }
  return Object.values(schema).some((part) => isHardToFollow(part, root, depth + 1));
}

const isText = (value: unknown): value is string => typeof value === "string";
