import { isPlainObject, type JsonSchema } from "../../contract/json";
import { canonicalJson } from "../../json/canonical-json";
import { equalJson } from "../../json/equal-json";
import { findDialectDoubt } from "../dialect";
import {
  asSchema,
  listRequired,
  ownKeyword,
  ownList,
  ownMap,
  REFERENCE_KEYWORDS,
  readItems,
  type SchemaNode,
} from "../resolve-ref";
import { StepBudget } from "../step-budget";
import { ChangeList, joinPath, shorten } from "./change-list";
import { Containment } from "./containment";
import { otherSide } from "./prover";
import { describeLimits, type SchemaPair } from "./schema-limits";
import { findRenamed, measureBreadth, pairBranches, resolveSchema } from "./schema-parts";

/** Deeper than this two schemas are not described. */
const MAX_DEPTH = 24;
const REFERENCES: ReadonlySet<string> = new Set(REFERENCE_KEYWORDS);

/**
 * The direction of a comparison. For arguments (`sent`), every value that fitted before has to fit now. For a result (`answered`),
 * every value that fits now has to fit before: clients check results against the schema that they read before.
 */
type Direction = "sent" | "answered";

/** Keywords, properties, options and branches described; characters of the JSON texts that are compared for it. */
const MAX_STEPS = 50_000;
const MAX_CHARACTERS = 2_000_000;
/** The convention that clients rely on: they send what the schema names, and read what it names. */
export const BY_CONVENTION = "optional, compatible by convention: calls that do not use this name stay valid";

/**
 * Tells how what a tool takes (`sent`) or answers (`answered`) changed. Without a breaking sentence it is proven that no
 * value which has to fit stops to fit; `BY_CONVENTION` names the only exception.
 */
export function compareSchemas(before: JsonSchema, after: JsonSchema, direction: Direction, changes: ChangeList): void {
  const proof = new Containment(before, after);
  const [inner, outer] = direction === "sent" ? [before, after] : [after, before];
  const side = direction === "sent" ? "before" : "after";
  const doubt = findDialectDoubt(before, after);
  const isProven = doubt === null && proof.proves(inner, side, outer);
  const isCompatible = isProven || (doubt === null && direction === "sent" && proof.proves(inner, side, outer, true));
  const excepted = [...proof.excepted];
  const comparison = new SchemaComparison({ before, after, direction, proof, isProven });
  comparison.compare(before, after, "", 0, changes);
  const whole = direction === "sent" ? "the input schema" : "the output schema";
  if (comparison.isCut || (proof.isCut && !isCompatible)) {
    changes.add("breaking", `${whole} changed and is too large to compare in full`);
  } else if (doubt !== null) changes.add("breaking", `${whole} may break: ${doubt}`);
  else if (!isCompatible && changes.strongest !== "breaking") {
    const values =
      direction === "sent" ? "every call that was valid stays valid" : "every result fits the former schema";
    changes.add("breaking", `${whole} may break: it is not proven that ${values}`);
  }
  if (changes.strongest === null && !new Containment(before, after).proves(outer, otherSide(side), inner)) {
    // The walk does not describe what refers to itself.
    changes.add("additive", `${whole} now takes ${direction === "sent" ? "more" : "less"} than before`);
  }
  if (isProven || changes.strongest === "breaking") return;
  // The walk names an excepted property where it was added, but not one of an alternative.
  const told = changes.sentences().filter((sentence) => sentence.includes(BY_CONVENTION));
  for (const name of excepted.map(shorten)) {
    if (told.some((sentence) => sentence.includes(`${name}'`) || sentence.includes(JSON.stringify(name)))) continue;
    changes.add("additive", `${whole} describes '${name}' now (${BY_CONVENTION})`);
  }
}

interface Documents {
  before: JsonSchema;
  after: JsonSchema;
  direction: Direction;
  proof: Containment;
  /** No value that has to fit stops to fit. */
  isProven: boolean;
}

class SchemaComparison {
  readonly #documents: Documents;
  readonly #isSent: boolean;
  #seen = new Map<unknown, Set<unknown>>();
  /** A reference with something beside it makes a new object; made once, a circle of them is recognised. */
  #resolved = new Map<JsonSchema, Map<unknown, SchemaNode>>();
  readonly #steps = new StepBudget(MAX_STEPS);
  readonly #characters = new StepBudget(MAX_CHARACTERS);
  /** The same part is compared with many others where references lead to it. */
  #texts = new WeakMap<object, string>();

  constructor(documents: Documents) {
    this.#documents = documents;
    this.#isSent = documents.direction === "sent";
  }

  /** True when the comparison ended before it had seen everything. */
  get isCut(): boolean {
    return this.#steps.isSpent || this.#characters.isSpent;
  }

  compare(former: unknown, present: unknown, path: string, depth: number, changes: ChangeList): void {
    if (this.isCut) return;
    // References in equal schemas may lead to different ones.
    if (equalJson(former, present, REFERENCES)) return;
    const before = this.#resolve(former, this.#documents.before);
    const after = this.#resolve(present, this.#documents.after);
    if (depth > MAX_DEPTH || this.#wasHere(before, after)) return;
    const name = this.#getName(path);
    if (before === after && typeof before === "boolean") return;
    if (before === false || after === false) {
      const can = after === false ? "can no longer have a value" : "can now have a value";
      changes.add((after === false) === this.#isSent ? "breaking" : "additive", `${name} ${can}`);
      return;
    }
    const [was, is] = [before === true ? {} : before, after === true ? {} : after];
    const pair: SchemaPair = { before: was, after: is, name, path, depth, changes };
    describeLimits(pair, this.#isSent, (keyword) => this.#isHarmless(pair, keyword));
    this.#compareProperties(pair);
    this.#compareRest(pair);
    this.#compareItems(pair);
    for (const keyword of ["anyOf", "oneOf", "allOf"]) this.#compareBranches(keyword, pair);
    this.#compareWords(pair);
  }

  /** Whether the keyword refuses nothing that has to fit, in the part or by what is proven of the whole. */
  #isHarmless({ before, after }: Pick<SchemaPair, "before" | "after">, keyword: string): boolean {
    const { isProven, proof } = this.#documents;
    if (isProven) return true;
    const [inner, outer] = this.#isSent ? [before, after] : [after, before];
    return (
      !Object.hasOwn(outer, keyword) || proof.provesKeyword(inner, this.#isSent ? "before" : "after", outer, keyword)
    );
  }

  #resolve(node: unknown, root: JsonSchema): SchemaNode {
    const ofRoot = this.#resolved.get(root) ?? new Map<unknown, SchemaNode>();
    this.#resolved.set(root, ofRoot);
    const resolved = ofRoot.get(node) ?? resolveSchema(node, root);
    if (isPlainObject(node)) ofRoot.set(node, resolved);
    return resolved;
  }

  #wasHere(before: SchemaNode, after: SchemaNode): boolean {
    if (!this.#steps.spend()) return true;
    // `true` is one value for all places; objects are places.
    if (typeof before === "boolean" || typeof after === "boolean") return false;
    const partners = this.#seen.get(before) ?? new Set();
    this.#seen.set(before, partners);
    if (partners.has(after)) return true;
    partners.add(after);
    return !this.#steps.spend(measureBreadth(before) + measureBreadth(after));
  }

  #readText(value: unknown): string {
    const isObject = typeof value === "object" && value !== null;
    const known = isObject ? this.#texts.get(value) : undefined;
    const text = known ?? (this.isCut ? "" : canonicalJson(value));
    if (known === undefined) this.#characters.spend(text.length);
    if (isObject) this.#texts.set(value, text);
    return text;
  }

  #getName(path: string): string {
    const [whole, part] = this.#isSent ? ["the arguments", "parameter"] : ["the output", "output field"];
    return path === "" ? whole : `${part} '${path}'`;
  }

  #compareProperties({ before: was, after: is, path, depth, changes }: SchemaPair): void {
    const [former, present] = [listProperties(was), listProperties(is)];
    const [needed, needs] = [new Set(listRequired(was)), new Set(listRequired(is))];
    const renamed = findRenamed(former, present, (node) => this.#readText(node));
    const named = (name: string): string => this.#getName(joinPath(path, name));
    for (const [from, to] of renamed) changes.add("breaking", `${named(from)} was renamed to '${joinPath(path, to)}'`);
    for (const name of former.keys()) {
      if (!present.has(name) && !renamed.has(name)) changes.add("breaking", `${named(name)} was removed`);
    }
    const renamedTo = new Set(renamed.values());
    for (const [name, node] of present) {
      if (former.has(name) || renamedTo.has(name)) continue;
      if (this.#isSent)
        this.#tellNewParameter(named(name), ownKeyword(was, "additionalProperties"), node, needs.has(name), changes);
      else this.#tellNewField(named(name), ownKeyword(was, "additionalProperties"), node, changes);
    }
    for (const name of new Set([...needed, ...needs])) {
      // Added, removed and renamed properties were reported above; only a name without an entry in `properties` is reported here.
      const told = former.has(name) !== present.has(name);
      if (!told && needed.has(name) !== needs.has(name)) this.#tellRequired(named(name), needs.has(name), changes);
    }
    for (const [name, node] of present) {
      const counterpart = former.get(name);
      if (counterpart !== undefined) this.compare(counterpart, node, joinPath(path, name), depth + 1, changes);
    }
  }

  #tellNewParameter(name: string, rest: unknown, node: unknown, required: boolean, changes: ChangeList): void {
    if (required) {
      changes.add(this.#documents.isProven ? "additive" : "breaking", `${name} was added and is required`);
    } else if (isPlainObject(rest) && !this.#documents.proof.proves(rest, "before", node)) {
      changes.add("breaking", `${name} was added, and takes less than other names did`);
    } else if (rest === false || isPlainObject(rest) || this.#documents.proof.proves(true, "before", node)) {
      changes.add("additive", `${name} was added`);
    } else changes.add("additive", `${name} was added (${BY_CONVENTION})`);
  }

  #tellNewField(name: string, rest: unknown, node: unknown, changes: ChangeList): void {
    if (rest === undefined || this.#documents.proof.proves(node, "after", rest)) {
      changes.add("additive", `${name} was added`);
    } else changes.add("breaking", `${name} was added, which the former schema refuses`);
  }

  #tellRequired(name: string, required: boolean, changes: ChangeList): void {
    const weight = required === this.#isSent && !this.#documents.isProven ? "breaking" : "additive";
    if (this.#isSent) changes.add(weight, `${name} is ${required ? "now" : "no longer"} required`);
    else changes.add(weight, `${name} ${required ? "is now always there" : "may now be omitted"}`);
  }

  #compareRest(pair: SchemaPair): void {
    const { before: was, after: is, path, depth, changes } = pair;
    const [former, present] = [was, is].map((schema) => asSchema(ownKeyword(schema, "additionalProperties")));
    const what = this.#isSent ? "parameters" : "output fields";
    const of = path === "" ? "" : ` of ${this.#getName(path)}`;
    const wasClosed = former === false;
    if (wasClosed !== (present === false)) {
      const weight = this.#isHarmless(pair, "additionalProperties") ? "additive" : "breaking";
      const verb = this.#isSent ? "accepted" : "possible";
      changes.add(weight, `${what}${of} that are not described are ${wasClosed ? "now" : "no longer"} ${verb}`);
    } else if (!wasClosed) this.compare(former, present, path === "" ? "*" : `${path}.*`, depth + 1, changes);
  }

  #compareItems({ before: was, after: is, path, depth, changes }: SchemaPair): void {
    const [former, present] = [readItems(was), readItems(is)];
    const positions = Math.max(former.prefix.length, present.prefix.length);
    for (let index = 0; index < positions && !this.isCut; index += 1) {
      const [left, right] = [former.prefix[index] ?? former.rest, present.prefix[index] ?? present.rest];
      this.compare(left, right, `${path}[${index}]`, depth + 1, changes);
    }
    this.compare(former.rest, present.rest, `${path}[]`, depth + 1, changes);
  }

  /** Branches are described by their first difference where their number is the same. */
  #compareBranches(keyword: string, pair: SchemaPair): void {
    const { before: was, after: is, name, path, depth, changes } = pair;
    const [former, present] = [ownList(was, keyword), ownList(is, keyword)];
    const inside = new ChangeList();
    if (former.length === present.length) {
      for (const [left, right] of pairBranches(former, present, (branch) => this.#readText(branch)))
        this.compare(left, right, path, depth + 1, inside);
      if (inside.strongest === null) return;
    }
    const [first] = inside.sentences();
    const isHarmless = this.#isHarmless(pair, keyword);
    if (!isHarmless) {
      changes.add(
        "breaking",
        `${name} may break: ${first === undefined ? `'${keyword}' changed` : `in '${keyword}', ${first}`}`,
      );
    } else if (first === undefined) changes.add("additive", `${name}: the alternatives in '${keyword}' changed`);
    else changes.add(inside.strongest === "wording" ? "wording" : "additive", `in '${keyword}', ${first}`);
  }

  #compareWords({ before: was, after: is, name, path, changes }: SchemaPair): void {
    for (const keyword of ["title", "description", "examples", "deprecated"]) {
      if (this.#readText(ownKeyword(was, keyword)) === this.#readText(ownKeyword(is, keyword))) continue;
      if (path !== "") changes.add("wording", `the ${keyword} of ${name} changed`);
      else changes.add("wording", `the ${keyword} of the schema changed`);
    }
    const [former, present] = [ownKeyword(was, "default"), ownKeyword(is, "default")];
    if (this.#readText(former) === this.#readText(present)) return;
    const said = (value: unknown): string => (value === undefined ? "none" : shorten(canonicalJson(value)));
    changes.add("wording", `the default of ${name} is now ${said(present)}, formerly ${said(former)}`);
  }
}

function listProperties(schema: JsonSchema): Map<string, unknown> {
  return new Map(Object.entries(ownMap(schema, "properties")));
}
