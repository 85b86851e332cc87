import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { Dialect } from "../../../lib/schema/dialect";
import { absoluteUri, documentIndex } from "../../../lib/schema/document-index";
import { resolveRef, type SchemaNode } from "../../../lib/schema/resolve-ref";
import { someSchema } from "../../../lib/schema/walk-schemas";

const META = new Map<Dialect, RegExp>([
  ["draft-06", /^http:\/\/json-schema\.org\/draft-06\/schema(?:#|$)/],
  ["draft-07", /^http:\/\/json-schema\.org\/draft-07\/schema(?:#|$)/],
  ["2019-09", /^https:\/\/json-schema\.org\/draft\/2019-09\/(?:schema|meta\/[a-z-]+)(?:#|$)/],
  ["2020-12", /^https:\/\/json-schema\.org\/draft\/2020-12\/(?:schema|meta\/[a-z-]+)(?:#|$)/],
]);

/** The references of one document, as ajv follows them. */
export class SchemaReferences {
  readonly #root: JsonSchema;
  readonly #dialect: Dialect;
  /** Every token in the pointers of references. */
  readonly #tokens = new Set<string>();
  /** Whether a schema's references form a cycle. */
  readonly #endless = new Map<unknown, boolean>();

  constructor(root: JsonSchema, dialect: Dialect) {
    this.#root = root;
    this.#dialect = dialect;
    someSchema(root, ({ $ref }) => {
      if (typeof $ref === "string") for (const token of $ref.split("/")) this.#tokens.add(token);
      return false;
    });
  }

  /** Whether a reference may lead into what stands under a keyword. */
  leadInto(keyword: string): boolean {
    return this.#tokens.has(keyword);
  }

  /** The address that references in a schema are relative to. */
  getBase(node: JsonSchema): string {
    const { uriOf, rootUri } = documentIndex(this.#root);
    return uriOf.get(node) ?? rootUri;
  }

  /**
   * The schema before this one that has the same address or anchor; the first keeps it.
   * @param keyword one of `$id`, `$anchor`, `$dynamicAnchor`
   * @param outer the address around the schema
   */
  findNamesake(node: JsonSchema, keyword: string, outer: string): JsonSchema | undefined {
    const { anchors, resources } = documentIndex(this.#root);
    const base = this.getBase(node);
    const value = String(node[keyword]);
    const isAnchor = keyword !== "$id" || value.startsWith("#");
    if (base === outer && !isAnchor) return undefined;
    const first = isAnchor ? anchors.get(`${base}#${value.replace(/^#/, "")}`) : resources.get(base);
    return first === node ? undefined : first;
  }

  /**
   * Returns what a reference leads to; null where the document does not hold it.
   * @param node the schema that holds it
   */
  resolve(reference: string, node: JsonSchema): SchemaNode | null {
    return resolveRef(this.#root, reference, node);
  }

  /** Why the reference cannot be followed. */
  findProblem(reference: string, node: JsonSchema): string | null {
    if (META.get(this.#dialect)?.test(absoluteUri(reference, this.getBase(node)))) return null;
    const target = this.resolve(reference, node);
    if (target !== null) return this.#leadsToItself(target) ? "the reference leads back to itself" : null;
    return reference.startsWith("#") || reference === ""
      ? `the schema has nothing at ${reference}`
      : `${reference} is an external document, which Toolroom does not fetch`;
  }

  #leadsToItself(target: SchemaNode): boolean {
    const path = new Set<unknown>();
    let at: SchemaNode | null = target;
    while (isPlainObject(at) && typeof at.$ref === "string" && !this.#endless.has(at) && !path.has(at)) {
      path.add(at);
      at = this.resolve(at.$ref, at);
    }
    const isEndless = this.#endless.get(at) ?? path.has(at);
    for (const node of path) this.#endless.set(node, isEndless);
    return isEndless;
  }
}
