import { isPlainObject, type JsonSchema } from "../../lib/contract";
import { asSchema, ownKeyword, resolveRef, type SchemaNode } from "../../lib/json-schema/resolve-ref";
import { canonicalJson } from "./canonical-json";
import { ChangeList, joinPath, shorten } from "./change-list";
import {
  compareAllowedValues,
  compareAnsweredTypes,
  compareAnsweredValues,
  compareBounds,
  compareTypes,
  type Subject,
} from "./schema-limits";

/** Deeper than this, and beyond this many places, two schemas are not compared. */
const MAX_DEPTH = 24;
const MAX_PLACES = 5_000;
const MAX_REF_HOPS = 16;

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

/** Tells how what a tool takes (`sent`) or answers (`answered`) changed. */
export function compareSchemas(before: JsonSchema, after: JsonSchema, direction: Direction, changes: ChangeList): void {
  new SchemaComparison(before, after, direction).compare(before, after, "", 0, changes);
}

class SchemaComparison {
  #seen = new Map<unknown, Set<unknown>>();
  /** A reference with something beside it makes a new object; made once, a circle of them is recognised. */
  #resolved = new Map<JsonSchema, Map<unknown, SchemaNode>>();
  #places = 0;

  constructor(
    readonly formerRoot: JsonSchema,
    readonly presentRoot: JsonSchema,
    readonly direction: Direction,
  ) {}

  compare(former: unknown, present: unknown, path: string, depth: number, changes: ChangeList): void {
    const before = this.#resolve(former, this.formerRoot);
    const after = this.#resolve(present, this.presentRoot);
    if (depth > MAX_DEPTH || this.#wasHere(before, after)) return;
    const subject = this.#subject(path);
    if (before === after && typeof before === "boolean") return;
    if (before === false || after === false) {
      const can = after === false ? "can no longer have a value" : "can now have a value";
      changes.add(after === false ? "breaking" : "additive", `${subject.name} ${can}`);
      return;
    }
    const [was, is] = [before === true ? {} : before, after === true ? {} : after];
    this.#compareLimits(was, is, subject, changes);
    this.#compareProperties(was, is, path, depth, changes);
    this.#compareRest(was, is, path, depth, changes);
    this.#compareItems(was, is, path, depth, changes);
    for (const keyword of ["anyOf", "oneOf", "allOf"]) this.#compareBranches(keyword, was, is, path, depth, changes);
    this.#compareWords(was, is, subject, changes);
  }

  #resolve(node: unknown, root: JsonSchema): SchemaNode {
    const ofRoot = this.#resolved.get(root) ?? new Map<unknown, SchemaNode>();
    this.#resolved.set(root, ofRoot);
    const resolved = ofRoot.get(node) ?? resolve(node, root);
    if (isPlainObject(node)) ofRoot.set(node, resolved);
    return resolved;
  }

  #wasHere(before: SchemaNode, after: SchemaNode): boolean {
    this.#places += 1;
    if (this.#places > MAX_PLACES) return true;
    // `true` is one value for all places; objects are places.
    if (typeof before === "boolean" || typeof after === "boolean") return false;
    const partners = this.#seen.get(before) ?? new Set();
    this.#seen.set(before, partners);
    if (partners.has(after)) return true;
    partners.add(after);
    return false;
  }

  #subject(path: string): Subject {
    const [whole, part] = this.direction === "sent" ? ["the arguments", "parameter"] : ["the output", "output field"];
    return { name: path === "" ? whole : `${part} '${path}'`, path };
  }

  #compareLimits(was: JsonSchema, is: JsonSchema, subject: Subject, changes: ChangeList): void {
    if (this.direction === "answered") {
      compareAnsweredTypes(was, is, subject, changes);
      compareAnsweredValues(was, is, subject, changes);
      return;
    }
    compareTypes(was, is, subject, changes);
    compareAllowedValues(was, is, subject, changes);
    compareBounds(was, is, subject, changes);
    for (const keyword of OPAQUE_KEYWORDS) {
      const [former, present] = [ownKeyword(was, keyword), ownKeyword(is, keyword)];
      if (canonicalJson(former) === canonicalJson(present)) continue;
      if (present === undefined && keyword !== "then" && keyword !== "else") {
        changes.add("additive", `${subject.name} is no longer limited by '${keyword}'`);
      } else changes.add("breaking", `${subject.name} may no longer take what it did: '${keyword}' changed`);
    }
  }

  #compareProperties(was: JsonSchema, is: JsonSchema, path: string, depth: number, changes: ChangeList): void {
    const [former, present] = [propertiesOf(was), propertiesOf(is)];
    const [needed, needs] = [requiredOf(was), requiredOf(is)];
    const renamed = findRenamed(former, present);
    const named = (name: string): string => this.#subject(joinPath(path, name)).name;
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
      changes.add(
        required ? "additive" : "breaking",
        `${name} is now ${required ? "always there" : "sometimes left out"}`,
      );
  }

  #compareRest(was: JsonSchema, is: JsonSchema, path: string, depth: number, changes: ChangeList): void {
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

  #compareItems(was: JsonSchema, is: JsonSchema, path: string, depth: number, changes: ChangeList): void {
    const [former, present] = [positionsOf(was), positionsOf(is)];
    for (let index = 0; index < Math.max(former.length, present.length); index += 1) {
      // Beyond what has a place of its own, `items` speaks.
      const [left, right] = [former[index] ?? itemsOf(was), present[index] ?? itemsOf(is)];
      this.compare(left, right, `${path}[${index}]`, depth + 1, changes);
    }
    this.compare(itemsOf(was), itemsOf(is), `${path}[]`, depth + 1, changes);
  }

  /** Unions are compared coarsely: branch by branch where their number is the same, else as sets. */
  #compareBranches(
    keyword: string,
    was: JsonSchema,
    is: JsonSchema,
    path: string,
    depth: number,
    changes: ChangeList,
  ): void {
    const [former, present] = [branchesOf(was, keyword), branchesOf(is, keyword)];
    const name = this.#subject(path).name;
    if (former.length !== present.length) {
      const [left, right] = [former.map(canonicalJson), present.map(canonicalJson)];
      const wider = left.every((branch) => right.includes(branch)) && left.length > 0;
      const narrower = right.every((branch) => left.includes(branch)) && right.length > 0;
      const looser = keyword === "allOf" ? narrower || right.length === 0 : wider || right.length === 0;
      const safe = this.direction === "sent" ? looser : keyword === "allOf" ? wider : narrower;
      if (safe) changes.add("additive", `${name}: the alternatives in '${keyword}' changed`);
      else changes.add("breaking", `${name} may no longer be what it was: '${keyword}' changed`);
      return;
    }
    const inside = new ChangeList();
    for (const [left, right] of pairBranches(former, present)) this.compare(left, right, path, depth + 1, inside);
    if (inside.strongest === null) return;
    const [first = ""] = inside.sentences();
    if (inside.strongest === "breaking") {
      changes.add("breaking", `${name} may no longer be what it was: in '${keyword}', ${first}`);
    } else changes.add(inside.strongest, `in '${keyword}', ${first}`);
  }

  #compareWords(was: JsonSchema, is: JsonSchema, { name, path }: Subject, changes: ChangeList): void {
    for (const keyword of ["title", "description", "examples", "deprecated"]) {
      if (canonicalJson(ownKeyword(was, keyword)) === canonicalJson(ownKeyword(is, keyword))) continue;
      if (path !== "") changes.add("wording", `the ${keyword} of ${name} changed`);
      else changes.add("wording", `the ${keyword} of the schema changed`);
    }
    const [former, present] = [ownKeyword(was, "default"), ownKeyword(is, "default")];
    if (canonicalJson(former) === canonicalJson(present)) return;
    const said = (value: unknown): string => (value === undefined ? "none" : shorten(canonicalJson(value)));
    changes.add("wording", `the default of ${name} is now ${said(present)}, formerly ${said(former)}`);
  }
}

/** What cannot be resolved reads as "anything", as nothing is fetched. */
function resolve(node: unknown, root: JsonSchema): SchemaNode {
  let current = asSchema(node);
  for (let hops = 0; hops < MAX_REF_HOPS && typeof current !== "boolean"; hops += 1) {
    const ref = ownKeyword(current, "$ref");
    if (typeof ref !== "string") return current;
    const { $ref: _, ...beside } = current;
    const target = resolveRef(root, ref) ?? true;
    if (typeof target === "boolean") return target ? beside : false;
    current = Object.keys(beside).length === 0 ? target : { ...target, ...beside };
  }
  return typeof current === "boolean" || !Object.hasOwn(current, "$ref") ? current : true;
}

function propertiesOf(schema: JsonSchema): Map<string, unknown> {
  const properties = ownKeyword(schema, "properties");
  return new Map(isPlainObject(properties) ? Object.entries(properties) : []);
}

function requiredOf(schema: JsonSchema): Set<string> {
  const required = ownKeyword(schema, "required");
  return new Set(Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : []);
}

/** Where exactly one of equal content went and one came, it is the same under another name. */
function findRenamed(former: ReadonlyMap<string, unknown>, present: ReadonlyMap<string, unknown>): Map<string, string> {
  const gone = [...former].filter(([name]) => !present.has(name));
  const come = [...present].filter(([name]) => !former.has(name));
  const [from, to] = [gone[0], come[0]];
  if (gone.length !== 1 || come.length !== 1 || from === undefined || to === undefined) return new Map();
  const content = canonicalJson(from[1]);
  const sameContent = content === canonicalJson(to[1]) && content !== "{}" && content !== "true";
  return sameContent ? new Map([[from[0], to[0]]]) : new Map();
}

function positionsOf(schema: JsonSchema): unknown[] {
  const positions = ownKeyword(schema, "prefixItems") ?? ownKeyword(schema, "items");
  return Array.isArray(positions) ? positions : [];
}

function itemsOf(schema: JsonSchema): unknown {
  const items = ownKeyword(schema, "items");
  return Array.isArray(items) ? ownKeyword(schema, "additionalItems") : items;
}

function branchesOf(schema: JsonSchema, keyword: string): unknown[] {
  const branches = ownKeyword(schema, keyword);
  return Array.isArray(branches) ? branches : [];
}

/** Equal ones belong together wherever they stand, the others in their order. */
function pairBranches(former: readonly unknown[], present: readonly unknown[]): [unknown, unknown][] {
  const left = former.map((branch) => ({ branch, text: canonicalJson(branch) }));
  const pairs: [unknown, unknown][] = [];
  const others = present.filter((branch) => {
    const text = canonicalJson(branch);
    const at = left.findIndex((each) => each.text === text);
    if (at === -1) return true;
    for (const { branch: equal } of left.splice(at, 1)) pairs.push([equal, branch]);
    return false;
  });
  return [...pairs, ...others.map((branch, index): [unknown, unknown] => [left[index]?.branch, branch])];
}
