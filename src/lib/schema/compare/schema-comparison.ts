import { type ChangeSubject, toRuleId } from "../../contract/change-rules";
import type { ChangeWeight } from "../../contract/change-weight";
import { isPlainObject, type JsonSchema } from "../../contract/json";
import { canonicalJson } from "../../json/canonical-json";
import { equalJson } from "../../json/equal-json";
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
import { collectMentions } from "../witness/collect-parts";
import { ChangeList, joinPath, shorten } from "./change-list";
import type { Containment } from "./containment";
import { describeLimits, type SchemaPair } from "./schema-limits";
import { findRenamed, measureBreadth, pairBranches, resolveSchema } from "./schema-parts";

/** Deeper than this two schemas are not described. */
const MAX_DEPTH = 24;
const REFERENCES: ReadonlySet<string> = new Set(REFERENCE_KEYWORDS);

/**
 * The direction of a comparison. For arguments (`sent`), every value that fitted before has to fit now. For a result (`answered`),
 * every value that fits now has to fit before: clients check results against the schema that they read before.
 */
export type Direction = "sent" | "answered";

/** Keywords, properties, options and branches described; characters of the JSON texts that are compared for it. */
const MAX_STEPS = 50_000;
const MAX_CHARACTERS = 2_000_000;
/** The convention that clients rely on: they send what the schema names, and read what it names. */
export const CONVENTION = "input.convention";
export const BY_CONVENTION = "optional, compatible by convention: calls that do not use this name stay valid";

interface Documents {
  before: JsonSchema;
  after: JsonSchema;
  direction: Direction;
  proof: Containment;
  /** Whether it is proven that every value which has to fit still fits. */
  isProven: boolean;
}

interface AddedProperty {
  path: string;
  /** The former schema's rule for names that it does not describe. */
  rest: unknown;
  node: unknown;
  changes: ChangeList;
}

/** Describes what differs, part by part. */
export class SchemaComparison {
  readonly #documents: Documents;
  readonly #isSent: boolean;
  #seen = new Map<unknown, Set<unknown>>();
  /** A reference with something beside it makes a new object; made once, a circle of them is recognised. */
  #resolved = new Map<JsonSchema, Map<unknown, SchemaNode>>();
  readonly #steps = new StepBudget(MAX_STEPS);
  readonly #characters = new StepBudget(MAX_CHARACTERS);
  /** Texts of schemas: references make the same part meet many others. */
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
      this.#tell(
        (after === false) === this.#isSent ? "breaking" : "additive",
        "possible",
        `${name} ${can}`,
        path,
        changes,
      );
      return;
    }
    const was = before === true ? {} : before;
    const is = after === true ? {} : after;
    const pair: SchemaPair = { before: was, after: is, name, path, depth, changes };
    describeLimits(pair, this.#isSent, (keyword) => this.#isHarmless(pair, keyword));
    this.#compareProperties(pair);
    this.#compareRest(pair);
    this.#compareItems(pair);
    for (const keyword of ["anyOf", "oneOf", "allOf"]) this.#compareBranches(keyword, pair);
    this.#compareWords(pair);
  }

  #tell(weight: ChangeWeight, subject: ChangeSubject, sentence: string, path: string, changes: ChangeList): void {
    changes.add(weight, sentence, toRuleId(this.#isSent ? "input" : "output", subject, weight), path);
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
    // `true` is one value at every position; an object is a position of its own.
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
    const former = listProperties(was);
    const present = listProperties(is);
    const needed = new Set(listRequired(was));
    const needs = new Set(listRequired(is));
    const renamed = findRenamed(former, present, (node) => this.#readText(node));
    const at = (name: string): string => joinPath(path, name);
    const named = (name: string): string => this.#getName(at(name));
    for (const [from, to] of renamed) {
      this.#tell("breaking", "property-renamed", `${named(from)} was renamed to '${at(to)}'`, at(from), changes);
    }
    for (const name of former.keys()) {
      if (present.has(name) || renamed.has(name) || this.#describesInBranch(is, name)) continue;
      this.#tell("breaking", "property-removed", `${named(name)} was removed`, at(name), changes);
    }
    const renamedTo = new Set(renamed.values());
    for (const [name, node] of present) {
      if (former.has(name) || renamedTo.has(name)) continue;
      const added = { path: at(name), rest: ownKeyword(was, "additionalProperties"), node, changes };
      if (this.#isSent) this.#tellNewParameter(added, needs.has(name));
      else this.#tellNewField(added);
    }
    for (const name of new Set([...needed, ...needs])) {
      // Added, removed and renamed properties were reported above; only a name without an entry in `properties` is reported here.
      const told = former.has(name) !== present.has(name);
      if (!told && needed.has(name) !== needs.has(name)) this.#tellRequired(at(name), needs.has(name), changes);
    }
    for (const [name, node] of present) {
      const counterpart = former.get(name);
      if (counterpart !== undefined) this.compare(counterpart, node, at(name), depth + 1, changes);
    }
  }

  /** Whether alternatives describe a property that may have moved into one of them. */
  #describesInBranch(schema: JsonSchema, name: string): boolean {
    const mentions = collectMentions([schema], this.#documents.after);
    return mentions.some((mention) => Object.hasOwn(ownMap(mention, "properties"), name));
  }

  #tellNewParameter({ path, rest, node, changes }: AddedProperty, required: boolean): void {
    const { isProven, proof } = this.#documents;
    const name = this.#getName(path);
    if (required) {
      this.#tell(isProven ? "additive" : "breaking", "required", `${name} was added and is required`, path, changes);
    } else if (isPlainObject(rest) && !proof.proves(rest, "before", node)) {
      const sentence = `${name} was added, and takes less than other names did`;
      this.#tell("breaking", "property-added", sentence, path, changes);
    } else if (rest === false || isPlainObject(rest) || proof.proves(true, "before", node)) {
      this.#tell("additive", "property-added", `${name} was added`, path, changes);
    } else changes.add("additive", `${name} was added (${BY_CONVENTION})`, CONVENTION, path);
  }

  #tellNewField({ path, rest, node, changes }: AddedProperty): void {
    const name = this.#getName(path);
    if (rest === undefined || this.#documents.proof.proves(node, "after", rest)) {
      this.#tell("additive", "property-added", `${name} was added`, path, changes);
    } else {
      this.#tell("breaking", "property-added", `${name} was added, which the former schema refuses`, path, changes);
    }
  }

  #tellRequired(path: string, required: boolean, changes: ChangeList): void {
    const weight = required === this.#isSent && !this.#documents.isProven ? "breaking" : "additive";
    const is = this.#isSent
      ? `is ${required ? "now" : "no longer"} required`
      : required
        ? "is now always there"
        : "may now be omitted";
    this.#tell(weight, "required", `${this.#getName(path)} ${is}`, path, changes);
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
      const sentence = `${what}${of} that are not described are ${wasClosed ? "now" : "no longer"} ${verb}`;
      this.#tell(weight, "undescribed", sentence, path, changes);
    } else if (!wasClosed) this.compare(former, present, path === "" ? "*" : `${path}.*`, depth + 1, changes);
  }

  #compareItems({ before: was, after: is, path, depth, changes }: SchemaPair): void {
    const former = readItems(was);
    const present = readItems(is);
    const positions = Math.max(former.prefix.length, present.prefix.length);
    for (let index = 0; index < positions && !this.isCut; index += 1) {
      const left = former.prefix[index] ?? former.rest;
      const right = present.prefix[index] ?? present.rest;
      this.compare(left, right, `${path}[${index}]`, depth + 1, changes);
    }
    this.compare(former.rest, present.rest, `${path}[]`, depth + 1, changes);
  }

  /** Branches are described by their first difference where their number is the same. */
  #compareBranches(keyword: string, pair: SchemaPair): void {
    const { before: was, after: is, name, path, depth, changes } = pair;
    const former = ownList(was, keyword);
    const present = ownList(is, keyword);
    const inside = new ChangeList();
    if (former.length === present.length) {
      for (const [left, right] of pairBranches(former, present, (branch) => this.#readText(branch)))
        this.compare(left, right, path, depth + 1, inside);
      if (inside.strongest === null) return;
    }
    const [first] = inside.sentences();
    const isHarmless = this.#isHarmless(pair, keyword);
    if (!isHarmless) {
      const what = first === undefined ? `'${keyword}' changed` : `in '${keyword}', ${first}`;
      this.#tell("breaking", "alternatives", `${name} may break: ${what}`, path, changes);
    } else if (first === undefined) {
      this.#tell("additive", "alternatives", `${name}: the alternatives in '${keyword}' changed`, path, changes);
    } else {
      const weight = inside.strongest === "wording" ? "wording" : "additive";
      const convention = inside.list().find(({ rule }) => rule === CONVENTION);
      if (convention !== undefined)
        changes.add("additive", `in '${keyword}', ${convention.sentence}`, CONVENTION, path);
      else this.#tell(weight, "alternatives", `in '${keyword}', ${first}`, path, changes);
    }
  }

  #compareWords({ before: was, after: is, name, path, changes }: SchemaPair): void {
    const side = this.#isSent ? "input" : "output";
    for (const keyword of ["title", "description", "examples", "deprecated"]) {
      if (this.#readText(ownKeyword(was, keyword)) === this.#readText(ownKeyword(is, keyword))) continue;
      const of = path === "" ? "the schema" : name;
      changes.add("wording", `the ${keyword} of ${of} changed`, `${side}.words`, path);
    }
    const former = ownKeyword(was, "default");
    const present = ownKeyword(is, "default");
    if (this.#readText(former) === this.#readText(present)) return;
    const said = (value: unknown): string => (value === undefined ? "none" : shorten(canonicalJson(value)));
    const sentence = `the default of ${name} is now ${said(present)}, formerly ${said(former)}`;
    changes.add("wording", sentence, `${side}.default`, path);
  }
}

function listProperties(schema: JsonSchema): Map<string, unknown> {
  return new Map(Object.entries(ownMap(schema, "properties")));
}
