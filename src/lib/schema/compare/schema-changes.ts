import { isPlainObject, type JsonSchema } from "../../contract/json";
import { canonicalJson } from "../../json/canonical-json";
import { equalJson } from "../../json/equal-json";
import { asSchema, ownKeyword, type SchemaNode } from "../resolve-ref";
import { StepBudget } from "../step-budget";
import { ChangeList, joinPath, shorten } from "./change-list";
import {
  compareAllowedValues,
  compareAnsweredTypes,
  compareAnsweredValues,
  compareBounds,
  compareTypes,
  type SchemaPair,
} from "./schema-limits";
import {
  branchesOf,
  breadthOf,
  findRenamed,
  itemsOf,
  pairBranches,
  positionsOf,
  propertiesOf,
  requiredOf,
  resolveSchema,
} from "./schema-parts";

/** Deeper than this two schemas are not compared. */
const MAX_DEPTH = 24;
const REFERENCES: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/** Keywords whose meaning is not compared: any difference may take something away. */
const OPAQUE_KEYWORDS = [
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "propertyNames",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "contains",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;

/** Who reads the schema: `sent` arguments have to fit the new one, `answered` content was relied on as the old one says. */
type Direction = "sent" | "answered";

/** Keywords, properties, options and branches compared; characters of the JSON texts that are compared for the rest. */
const MAX_STEPS = 50_000;
const MAX_CHARACTERS = 2_000_000;

/** Tells how what a tool takes (`sent`) or answers (`answered`) changed. */
export function compareSchemas(before: JsonSchema, after: JsonSchema, direction: Direction, changes: ChangeList): void {
  const comparison = new SchemaComparison(before, after, direction);
  comparison.compare(before, after, "", 0, changes);
  // What was not looked at may have taken something away.
  if (!comparison.isCut) return;
  const whole = direction === "sent" ? "the input schema" : "the output schema";
  changes.add("breaking", `${whole} changed and is too large to compare in full`);
}

/** The same part of both schemas. */
interface Part extends SchemaPair {
  path: string;
  depth: number;
}

class SchemaComparison {
  #seen = new Map<unknown, Set<unknown>>();
  /** A reference with something beside it makes a new object; made once, a circle of them is recognised. */
  #resolved = new Map<JsonSchema, Map<unknown, SchemaNode>>();
  readonly #steps = new StepBudget(MAX_STEPS);
  readonly #characters = new StepBudget(MAX_CHARACTERS);
  /** The same part is compared with many others where references lead to it. */
  #texts = new WeakMap<object, string>();

  constructor(
    readonly formerRoot: JsonSchema,
    readonly presentRoot: JsonSchema,
    readonly direction: Direction,
  ) {}

  /** True when the comparison ended before it had seen everything. */
  get isCut(): boolean {
    return this.#steps.isSpent || this.#characters.isSpent;
  }

  compare(former: unknown, present: unknown, path: string, depth: number, changes: ChangeList): void {
    if (this.isCut) return;
    // References in equal schemas may lead to different ones.
    if (equalJson(former, present, REFERENCES)) return;
    const before = this.#resolve(former, this.formerRoot);
    const after = this.#resolve(present, this.presentRoot);
    if (depth > MAX_DEPTH || this.#wasHere(before, after)) return;
    const name = this.#nameOf(path);
    if (before === after && typeof before === "boolean") return;
    if (before === false || after === false) {
      const can = after === false ? "can no longer have a value" : "can now have a value";
      changes.add(after === false ? "breaking" : "additive", `${name} ${can}`);
      return;
    }
    const [was, is] = [before === true ? {} : before, after === true ? {} : after];
    const part: Part = { before: was, after: is, name, path, depth, changes };
    this.#compareLimits(part);
    this.#compareProperties(part);
    this.#compareRest(part);
    this.#compareItems(part);
    for (const keyword of ["anyOf", "oneOf", "allOf"]) this.#compareBranches(keyword, part);
    this.#compareWords(part);
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
    return !this.#steps.spend(breadthOf(before) + breadthOf(after));
  }

  #textOf(value: unknown): string {
    const isObject = typeof value === "object" && value !== null;
    const known = isObject ? this.#texts.get(value) : undefined;
    const text = known ?? (this.isCut ? "" : canonicalJson(value));
    if (known === undefined) this.#characters.spend(text.length);
    if (isObject) this.#texts.set(value, text);
    return text;
  }

  #nameOf(path: string): string {
    const [whole, part] = this.direction === "sent" ? ["the arguments", "parameter"] : ["the output", "output field"];
    return path === "" ? whole : `${part} '${path}'`;
  }

  #compareLimits(part: Part): void {
    const { before: was, after: is, name, changes } = part;
    if (this.direction === "answered") {
      compareAnsweredTypes(part);
      compareAnsweredValues(part);
      return;
    }
    compareTypes(part);
    compareAllowedValues(part);
    compareBounds(part);
    for (const keyword of OPAQUE_KEYWORDS) {
      const [former, present] = [ownKeyword(was, keyword), ownKeyword(is, keyword)];
      if (this.#textOf(former) === this.#textOf(present)) continue;
      if (present === undefined && keyword !== "then" && keyword !== "else") {
        changes.add("additive", `${name} is no longer limited by '${keyword}'`);
      } else changes.add("breaking", `${name} may no longer take what it did: '${keyword}' changed`);
    }
  }

  #compareProperties({ before: was, after: is, path, depth, changes }: Part): void {
    const [former, present] = [propertiesOf(was), propertiesOf(is)];
    const [needed, needs] = [requiredOf(was), requiredOf(is)];
    const renamed = findRenamed(former, present, (node) => this.#textOf(node));
    const named = (name: string): string => this.#nameOf(joinPath(path, name));
    for (const [from, to] of renamed) changes.add("breaking", `${named(from)} was renamed to '${joinPath(path, to)}'`);
    for (const name of former.keys()) {
      if (!present.has(name) && !renamed.has(name)) changes.add("breaking", `${named(name)} was removed`);
    }
    const renamedTo = new Set(renamed.values());
    for (const name of present.keys()) {
      if (former.has(name) || renamedTo.has(name)) continue;
      const required = needs.has(name) && this.direction === "sent";
      if (required) changes.add("breaking", `${named(name)} was added and is required`);
      else changes.add("additive", `${named(name)} was added`);
    }
    for (const name of new Set([...needed, ...needs])) {
      // What came, went or changed its name was told above; a name that no `properties` has is told here.
      const told = former.has(name) !== present.has(name);
      if (!told && needed.has(name) !== needs.has(name)) this.#tellRequired(named(name), needs.has(name), changes);
    }
    for (const [name, node] of present) {
      const counterpart = former.get(name);
      if (counterpart !== undefined) this.compare(counterpart, node, joinPath(path, name), depth + 1, changes);
    }
  }

  #tellRequired(name: string, required: boolean, changes: ChangeList): void {
    if (this.direction === "sent") {
      changes.add(required ? "breaking" : "additive", `${name} is ${required ? "now" : "no longer"} required`);
    } else
      changes.add(required ? "additive" : "breaking", `${name} is now ${required ? "always there" : "may be omitted"}`);
  }

  #compareRest({ before: was, after: is, path, depth, changes }: Part): void {
    if (this.direction === "answered") return;
    const [former, present] = [ownKeyword(was, "additionalProperties"), ownKeyword(is, "additionalProperties")].map(
      asSchema,
    );
    const place = path === "" ? "" : ` of parameter '${path}'`;
    const wasClosed = former === false;
    if (wasClosed !== (present === false)) {
      if (wasClosed) changes.add("additive", `parameters${place} that are not described are now accepted`);
      else changes.add("breaking", `parameters${place} that are not described are no longer accepted`);
    } else if (!wasClosed) this.compare(former, present, path === "" ? "*" : `${path}.*`, depth + 1, changes);
  }

  #compareItems({ before: was, after: is, path, depth, changes }: Part): void {
    const [former, present] = [positionsOf(was), positionsOf(is)];
    for (let index = 0; index < Math.max(former.length, present.length) && !this.isCut; index += 1) {
      // Beyond what has a place of its own, `items` speaks.
      const [left, right] = [former[index] ?? itemsOf(was), present[index] ?? itemsOf(is)];
      this.compare(left, right, `${path}[${index}]`, depth + 1, changes);
    }
    this.compare(itemsOf(was), itemsOf(is), `${path}[]`, depth + 1, changes);
  }

  /** Unions are compared coarsely: branch by branch where their number is the same, else as sets. */
  #compareBranches(keyword: string, { before: was, after: is, name, path, depth, changes }: Part): void {
    const [former, present] = [branchesOf(was, keyword), branchesOf(is, keyword)];
    if (former.length !== present.length) {
      const left = new Set(former.map((branch) => this.#textOf(branch)));
      const right = new Set(present.map((branch) => this.#textOf(branch)));
      const wider = [...left].every((branch) => right.has(branch)) && left.size > 0;
      const narrower = [...right].every((branch) => left.has(branch)) && right.size > 0;
      const looser = keyword === "allOf" ? narrower || right.size === 0 : wider || right.size === 0;
      const safe = this.direction === "sent" ? looser : keyword === "allOf" ? wider : narrower;
      if (safe) changes.add("additive", `${name}: the alternatives in '${keyword}' changed`);
      else changes.add("breaking", `${name} may no longer be what it was: '${keyword}' changed`);
      return;
    }
    const inside = new ChangeList();
    for (const [left, right] of pairBranches(former, present, (branch) => this.#textOf(branch)))
      this.compare(left, right, path, depth + 1, inside);
    if (inside.strongest === null) return;
    const [first = ""] = inside.sentences();
    if (inside.strongest === "breaking") {
      changes.add("breaking", `${name} may no longer be what it was: in '${keyword}', ${first}`);
    } else changes.add(inside.strongest, `in '${keyword}', ${first}`);
  }

  #compareWords({ before: was, after: is, name, path, changes }: Part): void {
    for (const keyword of ["title", "description", "examples", "deprecated"]) {
      if (this.#textOf(ownKeyword(was, keyword)) === this.#textOf(ownKeyword(is, keyword))) continue;
      if (path !== "") changes.add("wording", `the ${keyword} of ${name} changed`);
      else changes.add("wording", `the ${keyword} of the schema changed`);
    }
    const [former, present] = [ownKeyword(was, "default"), ownKeyword(is, "default")];
    if (this.#textOf(former) === this.#textOf(present)) return;
    const said = (value: unknown): string => (value === undefined ? "none" : shorten(canonicalJson(value)));
    changes.add("wording", `the default of ${name} is now ${said(present)}, formerly ${said(former)}`);
  }
}
