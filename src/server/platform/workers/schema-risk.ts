import type { JsonSchema } from "../../../lib/contract/json";
import { DATA_KEYWORDS, SCHEMA_MAPS } from "../../../lib/schema/keywords";
import { resolveRef } from "../../../lib/schema/resolve-ref";

interface SchemaCaps {
  maxBytes: number;
  maxDepth: number;
  /** JSON values in the schema; compile time grows faster than linearly with them. */
  maxValues: number;
}

const SCHEMA_CAPS: SchemaCaps = { maxBytes: 262_144, maxDepth: 64, maxValues: 10_000 };

export interface SchemaSize {
  /** Why the schema is too large to be compiled, or null. */
  problem: string | null;
  values: number;
  bytes: number;
}

/** Iterative, so that depth itself cannot hurt; stops at the first cap that is passed. */
export function measureSchema(schema: JsonSchema, caps: SchemaCaps = SCHEMA_CAPS): SchemaSize {
  const pending: { value: unknown; depth: number }[] = [{ value: schema, depth: 1 }];
  let values = 0;
  let bytes = 0;
  const over = (problem: string): SchemaSize => ({ problem, values, bytes });
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    values += 1;
    if (depth > caps.maxDepth) return over(`it is nested deeper than ${caps.maxDepth} levels`);
    if (values > caps.maxValues) return over(`it holds more than ${caps.maxValues} values`);
    bytes += typeof value === "string" ? value.length + 2 : 4;
    if (typeof value === "object" && value !== null) {
      for (const [key, part] of Object.entries(value)) {
        bytes += key.length + 4;
        pending.push({ value: part, depth: depth + 1 });
      }
    }
    if (bytes > caps.maxBytes) return over(`it is larger than ${caps.maxBytes} bytes`);
  }
  return { problem: null, values, bytes };
}

/** Schemas inside one another, references followed: a longer chain could exhaust the stack. */
const MAX_OPEN = 500;
const EXPLOSIVE = new Set(["pattern", "patternProperties", "uniqueItems", "$dynamicRef", "$recursiveRef"]);

/**
 * How many steps one value can cost: subschemas visited with every `$ref` followed, enum options compared. Infinity for
 * what has no bound of its own: regular expressions, `uniqueItems` (quadratic), recursion, references that multiply.
 * Times the number of values in the arguments this bounds a validation.
 */
export function validationCost(schema: JsonSchema): number {
  const known = new Map<unknown, number>();
  const open = new Set<unknown>();

  /** A reference by $id may mean another document than the one searched here: no bound. */
  const costOfReference = (ref: string): number =>
    ref.startsWith("#") ? cost(resolveRef(schema, ref)) : Number.POSITIVE_INFINITY;

  const cost = (node: unknown): number => {
    if (typeof node !== "object" || node === null) return 0;
    if (Array.isArray(node)) return node.reduce((sum: number, item) => sum + cost(item), 0);
    const before = known.get(node);
    if (before !== undefined) return before;
    if (open.has(node) || open.size >= MAX_OPEN) return Number.POSITIVE_INFINITY;
    open.add(node);
    let sum = 1;
    for (const [keyword, value] of Object.entries(node)) {
      if (EXPLOSIVE.has(keyword) && value !== false) sum = Number.POSITIVE_INFINITY;
      // ajv-formats' pattern for it backtracks; the others were tried up to 20 kB and are linear enough.
      else if (keyword === "format" && value === "url") sum = Number.POSITIVE_INFINITY;
      else if (keyword === "$ref") sum += typeof value === "string" ? costOfReference(value) : 0;
      else if (keyword === "$defs" || keyword === "definitions") continue;
      else if (keyword === "enum" && Array.isArray(value)) sum += value.length;
      else if (DATA_KEYWORDS.has(keyword)) continue;
      else if (SCHEMA_MAPS.has(keyword) && typeof value === "object" && value !== null) {
        for (const named of Object.values(value)) sum += cost(named);
      } else sum += cost(value);
    }
    open.delete(node);
    known.set(node, sum);
    return sum;
  };
  return cost(schema);
}
