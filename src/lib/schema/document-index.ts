import { isPlainObject, type JsonSchema } from "../contract/json";
import { DATA_KEYWORDS, SCHEMA_MAPS } from "./keywords";

export interface DocumentIndex {
  rootUri: string;
  /** `$id` of every resource, absolute. */
  resources: ReadonlyMap<string, JsonSchema>;
  /** `$anchor` and `$dynamicAnchor`: the resource's address, `#`, the name. */
  anchors: ReadonlyMap<string, JsonSchema>;
  /** The targets of `$dynamicAnchor` alone. */
  dynamicAnchors: ReadonlyMap<string, JsonSchema>;
  /** The address of the resource a subschema belongs to; without an entry it is the root's. */
  uriOf: ReadonlyMap<object, string>;
}

/** Nodes that are searched for anchors and identifiers. */
const MAX_INDEXED_NODES = 20_000;
/** Relative identifiers of a document without an address of its own are resolved against this one. */
export const NO_ADDRESS = "schema:///";

interface Place {
  node: unknown;
  uri: string;
  /** The keys are names, not keywords. */
  named: boolean;
}

/** An identifier or reference without its fragment, as an absolute address. */
export function absoluteUri(uri: string, base: string): string {
  try {
    return new URL(uri, base).href.replace(/#$/, "");
  } catch {
    return uri;
  }
}

class Indexer {
  resources = new Map<string, JsonSchema>();
  anchors = new Map<string, JsonSchema>();
  dynamicAnchors = new Map<string, JsonSchema>();
  uriOf = new Map<object, string>();
  rootUri = NO_ADDRESS;
  #seen = new Set<object>();

  index(root: JsonSchema): DocumentIndex {
    const pending: Place[] = [{ node: root, uri: NO_ADDRESS, named: false }];
    for (let at = 0; at < pending.length && this.#seen.size < MAX_INDEXED_NODES; at += 1) {
      const place = pending[at];
      if (place === undefined || typeof place.node !== "object" || place.node === null) continue;
      if (this.#seen.has(place.node)) continue;
      this.#seen.add(place.node);
      if (Array.isArray(place.node)) {
        for (const node of place.node) pending.push({ ...place, node, named: false });
      } else if (isPlainObject(place.node)) this.#addObject(place.node, place, root, pending);
    }
    return this;
  }

  #addObject(node: JsonSchema, { uri: outer, named }: Place, root: JsonSchema, pending: Place[]): void {
    const uri = named ? outer : this.#addIdentifiers(node, outer);
    if (node === root) this.rootUri = uri;
    else if (uri !== this.rootUri) this.uriOf.set(node, uri);
    for (const [key, value] of Object.entries(node)) {
      if (!named && DATA_KEYWORDS.has(key)) continue;
      pending.push({ node: value, uri, named: !named && SCHEMA_MAPS.has(key) });
    }
  }

  /** Gives the address of the resource that the node belongs to. */
  #addIdentifiers(node: JsonSchema, outer: string): string {
    let uri = outer;
    const id = Object.hasOwn(node, "$id") ? node.$id : undefined;
    if (typeof id === "string" && id.startsWith("#")) this.#addAnchor(this.anchors, id.slice(1), uri, node);
    else if (typeof id === "string" && id !== "") {
      uri = absoluteUri(id, outer);
      if (!this.resources.has(uri)) this.resources.set(uri, node);
    }
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = Object.hasOwn(node, keyword) ? node[keyword] : undefined;
      if (typeof anchor !== "string") continue;
      this.#addAnchor(this.anchors, anchor, uri, node);
      if (keyword === "$dynamicAnchor") this.#addAnchor(this.dynamicAnchors, anchor, uri, node);
    }
    return uri;
  }

  #addAnchor(anchors: Map<string, JsonSchema>, name: string, uri: string, node: JsonSchema): void {
    if (!anchors.has(`${uri}#${name}`)) anchors.set(`${uri}#${name}`, node);
  }
}

const indexes = new WeakMap<JsonSchema, DocumentIndex>();

/** Built once per document. */
export function documentIndex(root: JsonSchema): DocumentIndex {
  const known = indexes.get(root);
  if (known) return known;
  const built = new Indexer().index(root);
  indexes.set(root, built);
  return built;
}
