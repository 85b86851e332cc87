import type { JsonSchema } from "../../contract/json";
import { asSchema, findReference, ownKeyword, REFERENCE_KEYWORDS, type SchemaNode } from "../resolve-ref";

const MAX_REF_HOPS = 16;

/** A reference that cannot be resolved accepts anything, as nothing is fetched. */
export function resolveSchema(node: unknown, root: JsonSchema): SchemaNode {
  let current = asSchema(node);
  for (let hops = 0; hops < MAX_REF_HOPS && typeof current !== "boolean"; hops += 1) {
    const reference = findReference(current, root);
    if (reference === null) return current;
    const beside = Object.fromEntries(Object.entries(current).filter(([keyword]) => !isReference(keyword)));
    const target = reference.target ?? true;
    if (typeof target === "boolean") return target ? beside : false;
    current = Object.keys(beside).length === 0 ? target : { ...target, ...beside };
  }
  return typeof current === "boolean" || findReference(current, root) === null ? current : true;
}

function isReference(keyword: string): boolean {
  return REFERENCE_KEYWORDS.some((each) => each === keyword);
}

/** Counts the parts that comparing a schema's own level looks at. */
export function measureBreadth(schema: JsonSchema): number {
  let breadth = 0;
  for (const keyword of ["properties", "required", "enum", "prefixItems", "items", "anyOf", "oneOf", "allOf"]) {
    const value = ownKeyword(schema, keyword);
    if (typeof value === "object" && value !== null) breadth += Object.keys(value).length;
  }
  return breadth;
}

/** Where exactly one of equal content went and one came, it is the same under another name. */
export function findRenamed(
  former: ReadonlyMap<string, unknown>,
  present: ReadonlyMap<string, unknown>,
  formatText: (node: unknown) => string,
): Map<string, string> {
  const gone = [...former].filter(([name]) => !present.has(name));
  const come = [...present].filter(([name]) => !former.has(name));
  const from = gone[0];
  const to = come[0];
  if (gone.length !== 1 || come.length !== 1 || from === undefined || to === undefined) return new Map();
  const content = formatText(from[1]);
  const sameContent = content === formatText(to[1]) && content !== "{}" && content !== "true";
  return sameContent ? new Map([[from[0], to[0]]]) : new Map();
}

/** Pairs equal branches at any position, and the others in their order. */
export function pairBranches(
  former: readonly unknown[],
  present: readonly unknown[],
  formatText: (branch: unknown) => string,
): [unknown, unknown][] {
  const left = new Map<string, unknown[]>();
  for (const branch of former) {
    const equals = left.get(formatText(branch));
    if (equals) equals.push(branch);
    else left.set(formatText(branch), [branch]);
  }
  const pairs: [unknown, unknown][] = [];
  const others: unknown[] = [];
  for (const branch of present) {
    const equals = left.get(formatText(branch));
    if (equals === undefined || equals.length === 0) others.push(branch);
    else pairs.push([equals.shift(), branch]);
  }
  const unpaired = [...left.values()].flat();
  return [...pairs, ...others.map((branch, index): [unknown, unknown] => [unpaired[index], branch])];
}
