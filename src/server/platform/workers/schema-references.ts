import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { DATA_KEYWORDS, SCHEMA_MAPS } from "../../../lib/schema/keywords";
/** The address of a document without one. */
export const NO_BASE = "schema:///root";

const META = new Map([
  ["draft-06", /^http:\/\/json-schema\.org\/draft-06\/schema(?:#|$)/],
  ["draft-07", /^http:\/\/json-schema\.org\/draft-07\/schema(?:#|$)/],
  ["2019-09", /^https:\/\/json-schema\.org\/draft\/2019-09\/(?:schema|meta\/[a-z-]+)(?:#|$)/],
  ["2020-12", /^https:\/\/json-schema\.org\/draft\/2020-12\/(?:schema|meta\/[a-z-]+)(?:#|$)/],
]);

/**
 * @returns as it is where it is no address
 */
function resolveAddress(reference: string, base: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    return reference;
  }
}

/**
 * Resolves references within one document. Nothing is fetched.
 */
export function createReferences(root: JsonSchema, dialect: string) {
  const documents: Map<string, unknown> = new Map([[NO_BASE, root]]);
  const anchors: Map<string, unknown> = new Map();
  /** The base address of a schema's content. */
  const bases: Map<unknown, string> = new Map();
  /** Every token in the pointers of references. */
  const steps: Set<string> = new Set();
  collect(root, NO_BASE, { documents, anchors, bases, steps });

  /** Whether a schema's references form a cycle. */
  const endless: Map<unknown, boolean> = new Map();

  const find = (address: string): unknown => {
    const hash = address.indexOf("#");
    const [place, fragment] = hash === -1 ? [address, ""] : [address.slice(0, hash), address.slice(hash + 1)];
    const named = anchors.get(`${place}#${fragment}`);
    if (named !== undefined) return named;
    const document = documents.get(place);
    if (fragment === "" || document === undefined) return document;
    return fragment.startsWith("/") ? resolvePointer(document, fragment) : undefined;
  };

  return {
    /**
     * The schema before this one that has the same address or anchor; the first keeps it.
     * @param keyword one of `$id`, `$anchor`, `$dynamicAnchor`
     */
    namesake(node: JsonSchema, keyword: string, base: string) {
      const own = getId(node, base);
      const value = String(node[keyword]);
      const isAnchor = keyword !== "$id" || value.startsWith("#");
      const first = isAnchor ? anchors.get(`${own}#${value.replace(/^#/, "")}`) : documents.get(own);
      return own !== base || isAnchor ? (first === node ? undefined : first) : undefined;
    },

    /** Whether a reference may lead into what stands under a keyword. */
    leadInto: (keyword: string) => steps.has(keyword),

    /**
     * @param node the schema that holds it
     * @returns undefined where the document does not hold what it leads to
     */
    target: (reference: string, node: unknown): unknown => find(resolveAddress(reference, bases.get(node) ?? NO_BASE)),

    /**
     * @returns why the reference cannot be followed
     */
    findProblem(reference: string, base: string): string | null {
      const address = resolveAddress(reference, base);
      if (META.get(dialect)?.test(address)) return null;
      const target = find(address);
      if (typeof target !== "boolean" && !isPlainObject(target)) {
        const own = reference.startsWith("#") || reference === "";
        return own
          ? `the schema has nothing at ${reference}`
          : `${reference} is an external document, which Toolroom does not fetch`;
      }
      return leadsToItself(target, base) ? "the reference leads back to itself" : null;
    },
  };

  function leadsToItself(target: unknown, base: string) {
    const path: Set<unknown> = new Set();
    let at = target;
    while (isPlainObject(at) && typeof at.$ref === "string" && !endless.has(at) && !path.has(at)) {
      path.add(at);
      at = find(resolveAddress(at.$ref, base));
    }
    const found = endless.get(at) ?? path.has(at);
    for (const node of path) endless.set(node, found);
    return found;
  }
}

function collect(
  node: unknown,
  base: string,
  found: {
    documents: Map<string, unknown>;
    anchors: Map<string, unknown>;
    bases: Map<unknown, string>;
    steps: Set<string>;
  },
) {
  if (Array.isArray(node)) for (const item of node) collect(item, base, found);
  if (!isPlainObject(node)) return;
  const { documents, anchors, bases, steps } = found;
  const own = getId(node, base);
  bases.set(node, own);
  if (own !== base && !documents.has(own)) documents.set(own, node);
  const { $id, $anchor, $dynamicAnchor, $ref } = node;
  if (typeof $ref === "string") for (const step of $ref.split("/")) steps.add(step);
  const plain = typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : undefined;
  for (const name of [plain, $anchor, $dynamicAnchor]) {
    if (typeof name === "string" && !anchors.has(`${own}#${name}`)) anchors.set(`${own}#${name}`, node);
  }
  for (const [key, value] of Object.entries(node)) {
    if (SCHEMA_MAPS.has(key) && isPlainObject(value))
      for (const named of Object.values(value)) collect(named, own, found);
    else if (!DATA_KEYWORDS.has(key)) collect(value, own, found);
  }
}

/**
 * The base of what is inside a schema.
 */
export function getId(node: JsonSchema, base: string) {
  const { $id } = node;
  if (typeof $id !== "string" || $id.startsWith("#")) return base;
  return resolveAddress($id, base).replace(/#.*$/, "");
}

function resolvePointer(document: unknown, pointer: string) {
  let current = document;
  for (const raw of pointer.slice(1).split("/")) {
    let segment = raw;
    try {
      segment = decodeURIComponent(raw);
    } catch {
      // Kept as written: a lone % is legal in a key.
    }
    segment = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = (current as JsonSchema)[segment];
  }
  return current;
}
