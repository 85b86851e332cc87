import { isPlainObject, type JsonSchema } from "../../contract/json";
import { listTypes, typeKeyword } from "../keywords";
import { findReference, ownKeyword, parseFragment, resolveRef, type SchemaNode } from "../resolve-ref";
import type { SchemaDialect } from "./schema-dialects";
import { joinNotes } from "./schema-notes";

export interface ReductionLimits {
  depth: number;
  /** How often a reference may be written out inside itself. */
  recursion: number;
  /** The number of all schemas. */
  nodes: number;
  /** The properties of one object. */
  properties: number;
  /** The limit of branches of one `anyOf` or `oneOf`; a longer one is left out. */
  branches: number;
  enumValues: number;
  descriptionChars: number;
}

export interface ReductionState {
  /** The whole original, which references point into. */
  root: JsonSchema;
  dialect: SchemaDialect;
  limits: ReductionLimits;
  /** Counts up during the reduction. */
  nodes: number;
  /** Counts the parts whose shape was cut off. */
  cuts: number;
}

const MAX_REF_HOPS = 10;
const CUT_NOTE = "Not written out further; its full shape is checked when the tool is called.";
const DEFINITION = /^#\/(?:\$defs|definitions)\/[^/]+$/;

/** Whether a reference may stay because the result has its definition. */
export function keepsReference(schema: JsonSchema, target: SchemaNode, { root, dialect }: ReductionState): boolean {
  const ref = ownKeyword(schema, "$ref");
  return !dialect.inlineRefs && typeof ref === "string" && isDefinitionRef(ref) && resolveRef(root, ref) === target;
}

export const isDefinitionRef = (ref: string): boolean => DEFINITION.test(ref);

/** Splits a reference: `["$defs", "Node"]` for `#/$defs/Node`. */
export function splitReference(ref: string): [string, string] {
  const [group = "", name = ""] = parseFragment(ref.slice(1));
  return [group, name];
}

/** A schema's type and description alone. */
export function cutShape(schema: unknown, state: ReductionState): JsonSchema {
  let shape = schema;
  state.cuts += 1;
  for (let hops = 0; hops < MAX_REF_HOPS && isPlainObject(shape); hops += 1) {
    const reference = findReference(shape, state.root);
    if (reference === null) break;
    shape = reference.target;
  }
  if (!isPlainObject(shape)) return { description: CUT_NOTE };
  const types = listTypes(shape);
  const description = ownKeyword(shape, "description");
  return {
    ...typeKeyword(types.length === 0 && Object.hasOwn(shape, "properties") ? ["object"] : types),
    description: joinNotes(
      [typeof description === "string" ? description : null, CUT_NOTE],
      state.limits.descriptionChars,
    ),
    ...(types.includes("array") && state.dialect.needsItems && { items: {} }),
  };
}
