import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import type { JsonSchema, JsonValue } from "../../lib/contract/json";
import { compareSchemas } from "../../lib/schema/compare/compare-tool";
import { BY_CONVENTION } from "../../lib/schema/compare/schema-comparison";
import { RandomSchemas } from "./random-schemas.test-support";

/** More for a longer run: `SCHEMA_PAIRS=100000 SCHEMA_SEED=7 npx vitest run src/server/platform/schema-comparison.test.ts`. */
const PAIRS = Number(process.env.SCHEMA_PAIRS ?? 600);
const SEED = Number(process.env.SCHEMA_SEED ?? 1);
const VALUES = 40;
const SEEDS_OF_RUN = 10;
const addFormats = ajvFormats.default ?? ajvFormats;

const OPTIONS = { strict: false, ownProperties: true, logger: false, validateSchema: false, meta: false } as const;

type Check = (value: JsonValue) => boolean;

/** Null for a schema that has no meaning: a reference that leads nowhere, or back to itself. */
function compile(schema: JsonSchema): Check | null {
  try {
    return addFormats(new Ajv2020(OPTIONS)).compile(schema);
  } catch {
    return null;
  }
}

function hasName(value: JsonValue, names: ReadonlySet<string>): boolean {
  if (typeof value !== "object" || value === null) return false;
  const isNamed = !Array.isArray(value) && Object.keys(value).some((name) => names.has(name));
  return isNamed || Object.values(value).some((part) => hasName(part, names));
}

/** The names that a verdict excepts: `parameter 'filter.path' was added (optional, compatible by convention…`. */
function exceptedNames(sentences: readonly string[]): Set<string> {
  const excepted = sentences.filter((sentence) => sentence.includes(BY_CONVENTION));
  return new Set(excepted.flatMap((sentence) => /'(?:[^']*[.\]])?([a-z])'/.exec(sentence)?.[1] ?? []));
}

/** A value that fits the schema of which each value has to fit, and not the other. */
function findBroken(must: Check, fits: Check, values: readonly JsonValue[], names: ReadonlySet<string>) {
  for (const value of values) {
    try {
      if (must(value) && !fits(value) && !hasName(value, names)) return value;
    } catch {
      // The schema refers to itself for the same value.
    }
  }
  return undefined;
}

function check(before: JsonSchema, after: JsonSchema, direction: "sent" | "answered") {
  const changes = compareSchemas(before, after, direction);
  return { direction, isBreaking: changes.strongest === "breaking", sentences: changes.sentences() };
}

describe.each(Array.from({ length: SEEDS_OF_RUN }, (_, at) => SEED * 1000 + at))(
  "random schemas of seed %i",
  (seed) => {
    it("is never called compatible where a value that has to fit stops to fit", () => {
      const random = new RandomSchemas(seed);
      let compatible = 0;
      let compared = 0;
      for (let pair = 0; pair < PAIRS / SEEDS_OF_RUN; pair += 1) {
        const [before, after] = random.pair();
        const values = random.values(VALUES, before, after);
        const verdicts = (["sent", "answered"] as const).map((direction) => check(before, after, direction));
        compared += 2;
        if (verdicts.every(({ isBreaking }) => isBreaking)) continue;
        const was = compile(before);
        const is = compile(after);
        if (was === null || is === null) continue;
        for (const { direction, isBreaking, sentences } of verdicts) {
          if (isBreaking) continue;
          compatible += 1;
          const [must, fits] = direction === "sent" ? [was, is] : [is, was];
          const broken = findBroken(must, fits, values, exceptedNames(sentences));
          expect({ broken, before, after, direction, sentences }).toMatchObject({ broken: undefined });
        }
      }
      expect(compatible).toBeGreaterThan(compared / 5);
    });
  },
);
