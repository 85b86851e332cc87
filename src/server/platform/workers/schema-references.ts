// Plain JavaScript: a worker thread loads this file directly, while the server bundles it.

/** The address of a document without one. */
export const NO_BASE = "schema:///root";

/** Keywords whose values are data, not schemas. */
const DATA = new Set(["enum", "const", "default", "examples"]);
/** Keywords whose value maps names to schemas; a name is no keyword. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
const META = new Map([
  ["draft-06", /^http:\/\/json-schema\.org\/draft-06\/schema(?:#|$)/],
  ["draft-07", /^http:\/\/json-schema\.org\/draft-07\/schema(?:#|$)/],
  ["2019-09", /^https:\/\/json-schema\.org\/draft\/2019-09\/(?:schema|meta\/[a-z-]+)(?:#|$)/],
  ["2020-12", /^https:\/\/json-schema\.org\/draft\/2020-12\/(?:schema|meta\/[a-z-]+)(?:#|$)/],
]);

/**
 * @param {string} reference
 * @param {string} base
 * @returns {string} as it is where it is no address
 */
export function resolveAddress(reference, base) {
  try {
    return new URL(reference, base).href;
  } catch {
    return reference;
  }
}

/**
 * Resolves references within one document. Nothing is fetched.
 * @param {Record<string, unknown>} root
 * @param {string} dialect
 */
export function createReferences(root, dialect) {
  /** @type {Map<string, unknown>} */
  const documents = new Map([[NO_BASE, root]]);
  /** @type {Map<string, unknown>} */
  const anchors = new Map();
  /** The base address of a schema's content. @type {Map<unknown, string>} */
  const bases = new Map();
  /** Every token in the pointers of references. @type {Set<string>} */
  const steps = new Set();
  collect(root, NO_BASE, { documents, anchors, bases, steps });

  /** Whether a schema's references form a cycle. @type {Map<unknown, boolean>} */
  const endless = new Map();

  /** @param {string} address @returns {unknown} */
  const find = (address) => {
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
     * @param {Record<string, unknown>} node
     * @param {string} keyword one of `$id`, `$anchor`, `$dynamicAnchor`
     * @param {string} base
     */
    namesake(node, keyword, base) {
      const own = idOf(node, base);
      const value = String(node[keyword]);
      const isAnchor = keyword !== "$id" || value.startsWith("#");
      const first = isAnchor ? anchors.get(`${own}#${value.replace(/^#/, "")}`) : documents.get(own);
      return own !== base || isAnchor ? (first === node ? undefined : first) : undefined;
    },

    /** Whether a reference may lead into what stands under a keyword. @param {string} keyword */
    leadInto: (keyword) => steps.has(keyword),

    /**
     * @param {string} reference
     * @param {unknown} node the schema that holds it
     * @returns {unknown} undefined where the document does not hold what it leads to
     */
    target: (reference, node) => find(resolveAddress(reference, bases.get(node) ?? NO_BASE)),

    /**
     * @param {string} reference
     * @param {string} base
     * @returns {string | null} why the reference cannot be followed
     */
    findProblem(reference, base) {
      const address = resolveAddress(reference, base);
      if (META.get(dialect)?.test(address)) return null;
      const target = find(address);
      if (typeof target !== "boolean" && !isObject(target)) {
        const own = reference.startsWith("#") || reference === "";
        return own
          ? `the schema has nothing at ${reference}`
          : `${reference} is an external document, which Toolroom does not fetch`;
      }
      return leadsToItself(target, base) ? "the reference leads back to itself" : null;
    },
  };

  /** @param {unknown} target @param {string} base */
  function leadsToItself(target, base) {
    /** @type {Set<unknown>} */
    const path = new Set();
    let at = target;
    while (isObject(at) && typeof at.$ref === "string" && !endless.has(at) && !path.has(at)) {
      path.add(at);
      at = find(resolveAddress(at.$ref, base));
    }
    const found = endless.get(at) ?? path.has(at);
    for (const node of path) endless.set(node, found);
    return found;
  }
}

/**
 * @param {unknown} node
 * @param {string} base
 * @param {{ documents: Map<string, unknown>, anchors: Map<string, unknown>, bases: Map<unknown, string>, steps: Set<string> }} found
 */
function collect(node, base, found) {
  if (Array.isArray(node)) for (const item of node) collect(item, base, found);
  if (!isObject(node)) return;
  const { documents, anchors, bases, steps } = found;
  const own = idOf(node, base);
  bases.set(node, own);
  if (own !== base && !documents.has(own)) documents.set(own, node);
  const { $id, $anchor, $dynamicAnchor, $ref } = node;
  if (typeof $ref === "string") for (const step of $ref.split("/")) steps.add(step);
  const plain = typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : undefined;
  for (const name of [plain, $anchor, $dynamicAnchor]) {
    if (typeof name === "string" && !anchors.has(`${own}#${name}`)) anchors.set(`${own}#${name}`, node);
  }
  for (const [key, value] of Object.entries(node)) {
    if (NAMED.has(key) && isObject(value)) for (const named of Object.values(value)) collect(named, own, found);
    else if (!DATA.has(key)) collect(value, own, found);
  }
}

/**
 * The base of what is inside a schema.
 * @param {Record<string, unknown>} node
 * @param {string} base
 */
export function idOf(node, base) {
  const { $id } = node;
  if (typeof $id !== "string" || $id.startsWith("#")) return base;
  return resolveAddress($id, base).replace(/#.*$/, "");
}

/** @param {unknown} document @param {string} pointer */
export function resolvePointer(document, pointer) {
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
    current = /** @type {Record<string, unknown>} */ (current)[segment];
  }
  return current;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
