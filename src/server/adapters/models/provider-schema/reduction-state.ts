import { isPlainObject, type JsonSchema } from "../../../../lib/contract";
import type { SchemaDialect } from "./schema-dialects";
import { own, typeKeyword, typesOf } from "./schema-keywords";
import { joinNotes } from "./schema-notes";

export interface ReductionLimits {
  depth: number;
  /** How often a reference may be written out inside itself. */
  recursion: number;
  /** Schemas in all. */
  nodes: number;
  /** Of one object. */
  properties: number;
  /** Of one `anyOf` or `oneOf`; a longer one is left out. */
  branches: number;
  enumValues: number;
  descriptionChars: number;
}

export interface ReductionState {
  /** The whole original, which references point into. */
  root: JsonSchema;
  dialect: SchemaDialect;
  limits: ReductionLimits;
  /** Counted up as the reduction goes. */
  nodes: number;
  /** Whether a reference may stay because the result has the definition. */
  keepsDefinition(ref: string): boolean;
}

const MAX_POINTER_STEPS = 50;
const MAX_REF_HOPS = 10;
const CUT_NOTE = "Not written out further; its full shape is checked when the tool is called.";
const DEFINITION = /^#\/(?:\$defs|definitions)\/[^/]+$/;

/** What a reference inside the schema points to; undefined for others and for what is not there. */
export function refTarget(root: JsonSchema, ref: string): unknown {
  if (ref === "#" || ref === "#/") return root;
  if (!ref.startsWith("#/")) return undefined;
  const steps = ref.slice(2).split("/", MAX_POINTER_STEPS + 1);
  if (steps.length > MAX_POINTER_STEPS) return undefined;
  let target: unknown = root;
  for (const step of steps) {
    if (typeof target !== "object" || target === null) return undefined;
    target = own(target, unescaped(step));
  }
  return typeof target === "boolean" || isPlainObject(target) ? target : undefined;
}

export function isDefinitionRef(ref: string): boolean {
  return DEFINITION.test(ref);
}

/** `["$defs", "Node"]` of `#/$defs/Node`. */
export function definitionOf(ref: string): [string, string] {
  const [, group = "", name = ""] = ref.split("/");
  return [group, unescaped(name)];
}

function unescaped(step: string): string {
  let decoded = step;
  try {
    decoded = decodeURIComponent(step);
  } catch {
    // A stray percent sign means itself.
  }
  return decoded.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A schema's type and description alone. */
export function cutShape(schema: unknown, state: ReductionState): JsonSchema {
  let shape = schema;
  for (let hops = 0; hops < MAX_REF_HOPS && isPlainObject(shape); hops += 1) {
    const ref = own(shape, "$ref");
    if (typeof ref !== "string") break;
    shape = refTarget(state.root, ref);
  }
  if (!isPlainObject(shape)) return { description: CUT_NOTE };
  const types = typesOf(shape);
  const description = own(shape, "description");
  return {
    ...typeKeyword(types.length === 0 && Object.hasOwn(shape, "properties") ? ["object"] : types),
    description: joinNotes(
      [typeof description === "string" ? description : null, CUT_NOTE],
      state.limits.descriptionChars,
    ),
    ...(types.includes("array") && state.dialect.needsItems && { items: {} }),
  };
}
