import { isPlainObject, type JsonSchema } from "../../contract/json";
import { canonicalJson } from "../../json/canonical-json";
import { equalJson } from "../../json/equal-json";
import { getDialect } from "../dialect";
import { documentIndex } from "../document-index";
import { ANNOTATIONS } from "../keywords";
import { asSchema, findReference, ownKeyword, ownList, REFERENCE_KEYWORDS, type SchemaNode } from "../resolve-ref";
import { StepBudget } from "../step-budget";
import { areDisjoint } from "./disjoint-schemas";
import { equalSchemas } from "./equal-schemas";
import { dropImpossible } from "./impossible-types";
import { impliesKeyword } from "./keyword-rules";
import { type Meeting, otherSide, type ProofOptions, type Prover, type Side } from "./prover";
import { readFacts } from "./schema-facts";

/** The levels of nested values. */
const MAX_LEVELS = 24;
/** The limit of nested proofs. */
const MAX_OPEN = 150;
/** The number of steps, some 200 ms on a slow machine. */
const MAX_STEPS = 20_000;
/** The number of values of an `enum` that cost as much as one step. */
const VALUES_OF_STEP = 16;
/** The limit of nested choices that are split into cases. */
const MAX_SPLITS = 3;
const MAX_CASES = 2_000;
const MAX_VALUES_SPLIT = 50;
/** The nested required parts of which one may accept nothing. */
const MAX_INNER = 3;
const REFERENCES: ReadonlySet<string> = new Set(REFERENCE_KEYWORDS);
const ALL = (): boolean => true;

/**
 * Proves that a schema takes every value that another takes, by a rule for each keyword. What no rule proves is not proven:
 * "yes" is right for every value, "no" may be too careful. Recursion is proven by induction over the value: while a pair is
 * being proven, it may be assumed for parts of the value, not for the value itself.
 */
export class Containment implements Prover {
  readonly #roots: Record<Side, JsonSchema>;
  readonly #steps = new StepBudget(MAX_STEPS);
  readonly #cases = new StepBudget(MAX_CASES);
  readonly #ids = new Map<unknown, number>();
  /** Parts that are created here, by their JSON text: equal ones are one object. */
  readonly #made = new Map<string, JsonSchema>();
  readonly #open = new Map<string, { level: number; assumed: boolean }>();
  readonly #failed = new Set<string>();
  /**
   * The proofs in order, with their level: a proof that depends on a failed assumption is dropped, and a proof about a
   * part may depend on an assumption that does not hold for the whole.
   */
  readonly #proven = new Map<string, number>();
  /** The meetings of single schemas, by what else decides them. */
  readonly #meetings = new Map<string, Map<unknown, Meeting | null>>();
  /** New properties that proofs excepted by convention, of attempts that failed too. */
  readonly excepted = new Set<string>();
  #level = 0;
  /** The depth of nested searches for values of parts. */
  #inner = 0;
  #lenient = false;

  constructor(before: JsonSchema, after: JsonSchema) {
    this.#roots = { before, after };
  }

  get lenient(): boolean {
    return this.#lenient;
  }

  exceptNew(name: string): void {
    this.excepted.add(name);
  }

  get isWhole(): boolean {
    return this.#level === 0;
  }

  /** Whether a limit ended a proof, so that a negative answer proves nothing. */
  get isCut(): boolean {
    return this.#steps.isSpent;
  }

  /** Whether every value that `inner` takes is taken by the other document's `outer`. */
  proves(inner: unknown, side: Side, outer: unknown, lenient = false): boolean {
    this.#lenient = lenient;
    return this.contains([inner], side, outer) || this.#areEqualRoots(inner, outer);
  }

  /** Whether the keyword of `outer` refuses nothing that `inner` takes. */
  provesKeyword(inner: unknown, side: Side, outer: JsonSchema, keyword: string): boolean {
    this.#lenient = true;
    if (keyword === "allOf") return ownList(outer, "allOf").every((part) => this.contains([inner], side, part));
    const meeting = this.meet([inner], side);
    return meeting === null || this.#impliesAtom(meeting, outer, (word) => word === keyword);
  }

  contains(inner: readonly unknown[], side: Side, outer: unknown, { inside, strict }: ProofOptions = {}): boolean {
    if (!this.#steps.spend() || this.#open.size > MAX_OPEN) return false;
    // References in equal schemas may lead to different ones.
    if (inner.length === 1 && equalJson(inner[0], outer, REFERENCES)) return true;
    const wanted = this.#flatten([outer], otherSide(side));
    if (this.#steps.isSpent) return false;
    if (wanted?.length === 0) return true;
    const meeting = this.meet(inner, side);
    if (meeting === null || meeting.facts.types.size === 0) return true;
    if (wanted === null) return false;
    const level = this.#level;
    const lenient = this.#lenient;
    if (inside) this.#level += 1;
    if (strict) this.#lenient = false;
    const isProven = this.#level <= MAX_LEVELS && this.#prove(meeting, wanted);
    this.#level = level;
    this.#lenient = lenient;
    return isProven;
  }

  #prove(meeting: Meeting, wanted: readonly JsonSchema[]): boolean {
    const mark = `${this.#lenient ? "lenient" : "strict"},${this.isWhole ? "whole" : "part"}`;
    const key = `${meeting.side},${mark}:${this.#toKey(meeting.atoms)}|${this.#toKey(meeting.taken)}|${this.#toKey(wanted)}`;
    if ((this.#proven.get(key) ?? Number.POSITIVE_INFINITY) <= this.#level) return true;
    if (this.#failed.has(key)) return false;
    const open = this.#open.get(key);
    if (open !== undefined) {
      open.assumed ||= this.#level > open.level;
      return this.#level > open.level;
    }
    const state = { level: this.#level, assumed: false };
    const provenBefore = this.#proven.size;
    this.#open.set(key, state);
    const isProven = wanted.every((atom) => this.#impliesAtom(meeting, atom, ALL));
    this.#open.delete(key);
    if (isProven) this.#proven.set(key, this.#level);
    else this.#failed.add(key);
    if (!isProven && state.assumed) {
      for (const later of [...this.#proven.keys()].slice(provenBefore)) this.#proven.delete(later);
    }
    return isProven;
  }

  #impliesAtom(meeting: Meeting, atom: JsonSchema, isWanted: (keyword: string) => boolean): boolean {
    const unproven = Object.keys(atom).filter((keyword) => isWanted(keyword) && !this.#implies(meeting, atom, keyword));
    if (unproven.length === 0) return true;
    if (meeting.taken.length >= MAX_SPLITS || this.isCut) return false;
    const cases = this.#split(meeting, unproven);
    return cases?.every((each) => this.#impliesAtom(each, atom, (keyword) => unproven.includes(keyword))) ?? false;
  }

  #implies(meeting: Meeting, atom: JsonSchema, keyword: string): boolean {
    if (!this.#steps.spend()) return false;
    return meeting.facts.types.size === 0 || impliesKeyword(this, meeting, atom, keyword);
  }

  /** The values as cases that together hold all of them; null where nothing is left to split. */
  #split({ side, atoms, facts, taken }: Meeting, unproven: readonly string[]): Meeting[] | null {
    const divide = (choice: unknown, parts: readonly unknown[]): Meeting[] | null => {
      if (!this.#cases.spend(parts.length)) return null;
      const cases = parts.map((part) => this.meet([...atoms, part], side, [...taken, choice]));
      return cases.filter((each) => each !== null);
    };
    for (const atom of atoms) {
      for (const choice of [ownKeyword(atom, "anyOf"), ownKeyword(atom, "oneOf")]) {
        if (Array.isArray(choice) && choice.length > 0 && !taken.includes(choice)) return divide(choice, choice);
      }
    }
    if (!unproven.some((keyword) => keyword === "anyOf" || keyword === "oneOf")) return null;
    const values = [...(facts.values?.values() ?? [])];
    if (values.length > 1 && values.length <= MAX_VALUES_SPLIT) {
      const parts = values.map((value) => this.make({ const: value }));
      return divide("values", parts);
    }
    const parts = [...facts.types].map((type) => this.make({ type }));
    return parts.length < 2 ? null : divide("types", parts);
  }

  meet(schemas: readonly unknown[], side: Side, taken: readonly unknown[] = []): Meeting | null {
    const [only, ...others] = schemas;
    if (others.length > 0 || taken.length > 0 || !isPlainObject(only)) return this.#readMeeting(schemas, side, taken);
    // Each pair of alternatives is met once.
    const key = `${side} ${this.#inner}`;
    const known = this.#meetings.get(key) ?? new Map<unknown, Meeting | null>();
    this.#meetings.set(key, known);
    const found = known.get(only);
    if (found !== undefined) return found;
    const meeting = this.#readMeeting(schemas, side, taken);
    if (!this.isCut) known.set(only, meeting);
    return meeting;
  }

  #readMeeting(schemas: readonly unknown[], side: Side, taken: readonly unknown[]): Meeting | null {
    const atoms = this.#flatten(schemas, side);
    if (atoms === null) return null;
    const meeting = { side, atoms, facts: readFacts(atoms, this.isModern(side)), taken };
    this.#steps.spend(Math.floor((meeting.facts.values?.size ?? 0) / VALUES_OF_STEP));
    if (this.#inner >= MAX_INNER) return meeting;
    this.#inner += 1;
    const facts = dropImpossible(this, meeting);
    this.#inner -= 1;
    return { ...meeting, facts };
  }

  /** The schemas that refuse something, with all that they refer to and consist of; null where one takes nothing. */
  #flatten(schemas: readonly unknown[], side: Side): JsonSchema[] | null {
    const atoms = new Set<JsonSchema>();
    const pending = schemas.map(asSchema).reverse();
    for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
      if (schema === false) return null;
      if (schema === true || atoms.has(schema) || !this.#steps.spend()) continue;
      atoms.add(schema);
      const target = this.describeTarget(schema, side);
      if (target !== null) pending.push(target);
      for (const part of ownList(schema, "allOf")) pending.push(asSchema(part));
    }
    return [...atoms].filter((atom) => Object.keys(atom).some((keyword) => !ANNOTATIONS.has(keyword)));
  }

  isDisjoint(one: Meeting, other: Meeting): boolean {
    return this.#steps.spend() && areDisjoint(this, one, other);
  }

  describeTarget(schema: JsonSchema, side: Side): SchemaNode | null {
    const root = this.#roots[side];
    const keywords = REFERENCE_KEYWORDS.filter((keyword) => typeof ownKeyword(schema, keyword) === "string");
    if (keywords.length !== 1) return null;
    const isDynamic = keywords[0] !== "$ref" && documentIndex(root).uriOf.size > 0;
    return isDynamic ? null : (findReference(schema, root)?.target ?? null);
  }

  #areEqualRoots(inner: unknown, outer: unknown): boolean {
    const roots: unknown[] = [this.#roots.before, this.#roots.after];
    return roots.includes(inner) && roots.includes(outer) && equalSchemas(inner, outer, true);
  }

  isModern(side: Side): boolean {
    const dialect = getDialect(this.#roots[side]);
    return dialect === "2019-09" || dialect === "2020-12";
  }

  listAtoms(schema: unknown, side: Side): readonly JsonSchema[] | null {
    return this.#flatten([schema], side);
  }

  readItems(schema: JsonSchema, side: Side): { prefix: readonly unknown[]; rest: unknown } {
    const items = ownKeyword(schema, "items");
    const prefix = getDialect(this.#roots[side]) === "2020-12" ? ownKeyword(schema, "prefixItems") : undefined;
    if (!Array.isArray(items)) return { prefix: Array.isArray(prefix) ? prefix : [], rest: items };
    return { prefix: Array.isArray(prefix) ? prefix : items, rest: ownKeyword(schema, "additionalItems") };
  }

  #toKey(objects: readonly unknown[]): string {
    const ids = objects.map((each) => {
      const id = this.#ids.get(each) ?? this.#ids.size;
      this.#ids.set(each, id);
      return id;
    });
    return ids.sort().join();
  }

  make(schema: JsonSchema): JsonSchema {
    const text = canonicalJson(schema);
    const made = this.#made.get(text) ?? schema;
    this.#made.set(text, made);
    return made;
  }
}
