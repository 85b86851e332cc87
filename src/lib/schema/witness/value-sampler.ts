import type { JsonObject, JsonSchema, JsonValue } from "../../contract/json";
import { readFacts, type SchemaFacts } from "../compare/schema-facts";
import { listRequired, ownKeyword, ownMap, readItems } from "../resolve-ref";
import { StepBudget } from "../step-budget";
import { acceptsValue, schemasOfName } from "./accept-value";
import { collectMentions, flattenSchemas, listCases } from "./collect-parts";
import { samplePattern } from "./pattern-samples";
import { listSizes, sampleScalars } from "./sample-scalars";

const MAX_DEPTH = 12;
const MAX_NAMES = 40;
const MAX_ITEMS = 60;
/** Values made for one pair of schemas, with all their parts; for the whole alone; for a case of a part. */
const MAX_VALUES = 25_000;
const MAX_OF_WHOLE = 1_500;
const MAX_OF_CASE = 250;
/** The values kept of a part: those that the other schema probably refuses, and those that it takes. */
const KEPT = { refused: 8, taken: 6 };
/** The values made of a part, before some of them are chosen. */
const MAX_TAKEN = 200;
const MAX_MIXED = 24;

/** Values of a part that the other schema probably refuses, and others. */
interface Samples {
  refused: JsonValue[];
  taken: JsonValue[];
}

const NONE: Samples = { refused: [], taken: [] };
const listAll = ({ refused, taken }: Samples): JsonValue[] => [...refused, ...taken];
const pickPlain = ({ refused, taken }: Samples): JsonValue | undefined => taken[0] ?? refused[0];

type Build = (wanted: Iterable<string>, pick: (samples: Samples) => JsonValue | undefined) => JsonObject;

/** Schemas for one part of the value: those that it must match, and those that it must not. */
interface Part {
  inner: readonly unknown[];
  outer: readonly unknown[];
}

/** One way to fit a part: with a branch of each choice, and the same branches of the other schema. */
interface Case {
  atoms: readonly JsonSchema[];
  outer: readonly JsonSchema[];
  mentions: readonly JsonSchema[];
  depth: number;
}

/**
 * Makes values that one schema takes, first those that another one probably refuses: the smallest, each with one part changed,
 * dropped or added, other branches, sizes at the limits. They are candidates: a validator decides.
 */
export class ValueSampler {
  readonly #values = new StepBudget(MAX_VALUES);
  readonly #known = new Map<string, Samples>();
  readonly #ids = new Map<unknown, number>();

  constructor(
    readonly innerRoot: JsonSchema,
    readonly outerRoot: JsonSchema,
  ) {}

  /** The values that the other schema probably refuses come first. */
  *list(): Generator<JsonValue> {
    const taken: JsonValue[] = [];
    const whole = { inner: [this.innerRoot], outer: [this.outerRoot] };
    for (const { value, isTaken } of this.#make(whole, 0)) {
      if (isTaken) taken.push(value);
      else yield value;
    }
    yield* taken;
  }

  #sampleInside(part: Part, depth: number): Samples {
    const key = [...part.inner, "|", ...part.outer].map((each) => this.#toId(each)).join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // A schema that refers to itself has no further level.
    this.#known.set(key, NONE);
    const samples = this.#sample(part, depth);
    this.#known.set(key, samples);
    return samples;
  }

  #toId(each: unknown): number {
    const id = this.#ids.get(each) ?? this.#ids.size;
    this.#ids.set(each, id);
    return id;
  }

  #sample(part: Part, depth: number): Samples {
    const found: Samples = { refused: [], taken: [] };
    for (const { value, isTaken } of this.#make(part, depth)) {
      (isTaken ? found.taken : found.refused).push(value);
      const isEnough = found.refused.length >= KEPT.refused && found.taken.length >= KEPT.taken * 2;
      if (isEnough || found.taken.length >= MAX_TAKEN) break;
    }
    return { refused: found.refused.slice(0, KEPT.refused), taken: spread(found.taken, KEPT.taken) };
  }

  /** The values that the part takes, as far as that is seen here. */
  *#make(part: Part, depth: number): Generator<{ value: JsonValue; isTaken: boolean }> {
    const atoms = flattenSchemas(part.inner, this.innerRoot);
    if (atoms === null || depth > MAX_DEPTH) return;
    const mentions = [...collectMentions(part.outer, this.outerRoot), ...collectMentions(part.inner, this.innerRoot)];
    const seen = new Set<string>();
    const outer = listCases(flattenSchemas(part.outer, this.outerRoot) ?? [], this.outerRoot);
    for (const [index, each] of listCases(atoms, this.innerRoot).entries()) {
      const ofCase = new StepBudget(depth === 0 ? MAX_OF_WHOLE : MAX_OF_CASE);
      for (const value of this.#sampleCase({ atoms: each, outer: outer[index] ?? outer[0] ?? [], mentions, depth })) {
        if (!ofCase.spend() || !this.#values.spend()) break;
        const text = JSON.stringify(value);
        if (seen.has(text)) continue;
        seen.add(text);
        if (!part.inner.every((schema) => acceptsValue(value, schema, this.innerRoot))) continue;
        yield { value, isTaken: part.outer.every((schema) => acceptsValue(value, schema, this.outerRoot)) };
      }
    }
  }

  *#sampleCase(each: Case): Generator<JsonValue> {
    const facts = readFacts(each.atoms);
    if (facts.values !== null) return yield* facts.values.values() as Iterable<JsonValue>;
    if (facts.types.has("object")) yield* this.#sampleObjects(each, facts);
    yield* sampleScalars(facts.types, each.mentions);
    if (facts.types.has("array")) yield* this.#sampleLists(each, facts);
  }

  *#sampleLists({ atoms, outer, mentions, depth }: Case, { bounds }: SchemaFacts): Generator<JsonValue> {
    const itemsOf = (schemas: readonly JsonSchema[], at: number): unknown[] =>
      schemas.map(readItems).map(({ prefix, rest }) => prefix[at] ?? rest ?? true);
    const samples = (at: number): Samples =>
      this.#sampleInside({ inner: itemsOf(atoms, at), outer: itemsOf(outer, at) }, depth + 1);
    const containing = mentions.flatMap((schema) => (Object.hasOwn(schema, "contains") ? [schema.contains] : []));
    const wanted = containing.flatMap((each) =>
      this.#sampleInside({ inner: [each], outer: [] }, depth + 1).taken.slice(0, 4),
    );
    const isUnique = atoms.some((atom) => ownKeyword(atom, "uniqueItems") === true);
    const fill = (length: number): JsonValue[] | null => {
      const items: JsonValue[] = [];
      for (let at = 0; at < length; at += 1) {
        const { refused, taken } = samples(at);
        const texts = new Set(isUnique ? items.map((item) => JSON.stringify(item)) : []);
        const item = [...taken, ...refused].find((each) => !isUnique || !texts.has(JSON.stringify(each)));
        if (item === undefined) return null;
        items.push(item);
      }
      return items;
    };
    const least = bounds.get("minItems") ?? 0;
    const most = bounds.get("maxItems") ?? MAX_ITEMS;
    const positions = Math.max(...[...atoms, ...mentions].map((each) => readItems(each).prefix.length), 0);
    const sizes = new Set([
      least,
      0,
      1,
      2,
      3,
      most,
      positions,
      positions + 1,
      ...mentions.flatMap((each) => listSizes(each, "Items")),
    ]);
    for (const size of sizes) {
      if (size < least || size > Math.min(most, MAX_ITEMS)) continue;
      const items = fill(size);
      if (items === null) continue;
      yield items;
      if (size > positions + 2) continue;
      for (let at = 0; at < size; at += 1) {
        for (const item of [...listAll(samples(at)), ...wanted]) yield items.with(at, item);
      }
      const first = pickPlain(samples(0));
      if (first !== undefined) yield items.map(() => first);
    }
  }

  *#sampleObjects({ atoms, outer, mentions, depth }: Case, facts: SchemaFacts): Generator<JsonValue> {
    const names = listNames(atoms, mentions);
    const samples = (name: string): Samples => {
      const inside = (schemas: readonly JsonSchema[]) => schemas.flatMap((schema) => schemasOfName(schema, name));
      return this.#sampleInside({ inner: inside(atoms), outer: inside(outer) }, depth + 1);
    };
    /** Adds the properties that the required ones require. */
    const close = (wanted: Iterable<string>): Set<string> => {
      const all = new Set(wanted);
      for (const name of all) {
        for (const atom of atoms) for (const each of listDependents(atom, name)) all.add(each);
      }
      return all;
    };
    const build: Build = (wanted, pick) => {
      const entries = [...wanted].map((name) => [name, pick(samples(name))] as const);
      return Object.fromEntries(entries.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));
    };
    const needed = close(facts.required);
    const least = facts.bounds.get("minProperties") ?? 0;
    for (const name of names) {
      if (needed.size >= least) break;
      if (listAll(samples(name)).length > 0) needed.add(name);
    }
    const base = build(needed, pickPlain);
    yield base;
    for (const name of names) {
      const around = build(close([...needed, name]), pickPlain);
      for (const value of listAll(samples(name))) yield { ...around, [name]: value };
    }
    const full = build(close(names), pickPlain);
    yield full;
    yield build(close(names), (each) => listAll(each)[0]);
    for (const name of names) {
      const { [name]: _, ...rest } = full;
      yield rest;
    }
    for (let size = 0; size <= Math.min(names.length, 5); size += 1)
      yield build(close([...needed, ...names.slice(0, size)]), pickPlain);
    yield* this.#mix(names, needed, build, close);
  }

  /** Combines values in a fixed pseudo-random order. */
  *#mix(
    names: readonly string[],
    needed: ReadonlySet<string>,
    build: Build,
    close: (wanted: Iterable<string>) => Set<string>,
  ): Generator<JsonValue> {
    let state = 1;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 4_294_967_296) * below);
    };
    if (names.length === 0) return;
    for (let count = 0; count < MAX_MIXED; count += 1) {
      const wanted = names.filter(() => next(2) === 0);
      yield build(
        close([...needed, ...wanted]),
        (each) => listAll(each)[next(each.refused.length + each.taken.length)],
      );
    }
  }
}

/** The names that the schemas mention, and one that they do not. */
function listNames(atoms: readonly JsonSchema[], mentions: readonly JsonSchema[]): string[] {
  const names = new Set<string>();
  const patterns = new Set<string>();
  for (const schema of [...atoms, ...mentions]) {
    for (const name of [...listRequired(schema), ...Object.keys(ownMap(schema, "properties"))]) names.add(name);
    for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"])
      for (const name of Object.keys(ownMap(schema, keyword))) names.add(name);
    for (const pattern of Object.keys(ownMap(schema, "patternProperties"))) patterns.add(pattern);
    const rule = ownKeyword(schema, "propertyNames");
    for (const value of [ownKeyword(rule, "enum"), [ownKeyword(rule, "const")]].flat())
      if (typeof value === "string") names.add(value);
    const pattern = ownKeyword(rule, "pattern");
    if (typeof pattern === "string") patterns.add(pattern);
  }
  for (const pattern of patterns) for (const text of samplePattern(pattern)) names.add(text);
  const known = [...names].slice(0, MAX_NAMES);
  const fresh = ["other", "other2", "o"].filter((name) => !names.has(name));
  return [...known, ...fresh.slice(0, 1)];
}

function listDependents(schema: JsonSchema, name: string): string[] {
  return ["dependentRequired", "dependencies"].flatMap((keyword) => {
    const listed = ownKeyword(ownMap(schema, keyword), name);
    return Array.isArray(listed) ? listed.filter((each): each is string => typeof each === "string") : [];
  });
}

/** Picks a number of values spread over the whole list. */
function spread<T>(values: readonly T[], count: number): T[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: count }, (_, at) => values[Math.floor((at * values.length) / count)] as T);
}
