/** Schemas that are slow to process without limits, and pseudo-random ones. */
import type { JsonSchema } from "../src/lib/contract/json";

/** Each level refers twice to the next: 2^levels paths in a text that grows by one line per level. */
export function doublingSchema(levels: number): JsonSchema {
  const definitions: Record<string, unknown> = { [`level${levels}`]: { type: "object", properties: {} } };
  for (let level = 0; level < levels; level += 1) {
    const next = { $ref: `#/$defs/level${level + 1}` };
    definitions[`level${level}`] = { allOf: [next, next], properties: { [`p${level}`]: { type: "string" } } };
  }
  return { type: "object", allOf: [{ $ref: "#/$defs/level0" }], $defs: definitions };
}

/** A pseudo-random number generator (mulberry32), so that each run sees the same schemas. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const REFERENCES = ["#", "#/$defs/a", "#/$defs/b", "#/$defs/missing", "#/properties/p0", "https://example.com/schema"];
const PATTERNS = ["^(a+)+$", "(?i:abc)", "(?P<year>\\d+)", "\\Aabc", "[\\w\\-]+", "a++"];

function randomSchema(random: () => number, depth: number): unknown {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const several = (): unknown[] =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => randomSchema(random, depth + 1));
  if (depth > 6 || random() < 0.2) {
    return pick<unknown>([
      { type: pick(["string", "integer", "boolean", "null", "array"]) },
      { $ref: pick(REFERENCES) },
      { type: "string", pattern: pick(PATTERNS) },
      { enum: pick<unknown>([[], [1, 2], [null], ["a", { b: 1 }]]) },
      { type: "string", format: pick(["uuid", "date-time", "unheard-of"]) },
      { const: pick<unknown>([0, null, "x", [1]]) },
      true,
    ]);
  }
  return pick<() => unknown>([
    () => ({ [pick(["allOf", "anyOf", "oneOf"])]: several() }),
    () => ({ type: "object", properties: Object.fromEntries(several().map((schema, index) => [`p${index}`, schema])) }),
    () => ({ type: "array", items: randomSchema(random, depth + 1), uniqueItems: random() < 0.3 }),
    () => ({ not: randomSchema(random, depth + 1) }),
    () => Object.fromEntries(["if", "then"].map((keyword) => [keyword, randomSchema(random, depth + 1)])),
    () => ({ type: ["object", "null"], additionalProperties: randomSchema(random, depth + 1) }),
    () => ({ $ref: pick(REFERENCES), [pick(["allOf", "oneOf"])]: several() }),
  ])();
}

/** @param count how many; the same ones for the same count */
export function generateSchemas(count: number): JsonSchema[] {
  const random = createRandom(20_261_122);
  return Array.from({ length: count }, () => ({
    type: "object",
    properties: { p0: randomSchema(random, 0), p1: randomSchema(random, 0), p2: randomSchema(random, 2) },
    $defs: { a: randomSchema(random, 1), b: randomSchema(random, 1) },
  })) as JsonSchema[];
}
