import { isPlainObject, type JsonSchema } from "../../contract/json";
import { DATA_KEYWORDS } from "../keywords";
import { findTarget, type ReductionState } from "./reduction-state";
import { SCHEMA_KEYWORDS, SCHEMA_LISTS, SCHEMA_MAPS } from "./schema-keywords";
import { noteOn } from "./schema-notes";

/** More than a sentence shows before it is cut. */
const MAX_PARTS = 80;
const LEFT_OUT = "…";
const DEFINITIONS = new Set(["$defs", "definitions"]);

/** A keyword as a sentence. References in it are written out: what they lead to is not sent with the sentence. */
export function schemaNote(keyword: string, value: unknown, state: ReductionState): string | null {
  const holdsSchemas = SCHEMA_KEYWORDS.has(keyword) || SCHEMA_LISTS.has(keyword) || SCHEMA_MAPS.has(keyword);
  if (!holdsSchemas || typeof value !== "object" || value === null) return noteOn(keyword, value);
  const speller = new Speller(state);
  const spelled = SCHEMA_MAPS.has(keyword) ? speller.map(value, []) : speller.schema(value, []);
  // The value itself where nothing had to change: texts of values are remembered.
  return noteOn(keyword, speller.references > 0 ? spelled : value);
}

class Speller {
  references = 0;
  #parts = 0;
  readonly #state: ReductionState;

  constructor(state: ReductionState) {
    this.#state = state;
  }

  schema(node: unknown, path: readonly unknown[]): unknown {
    if (typeof node !== "object" || node === null) return node;
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) return LEFT_OUT;
    if (Array.isArray(node)) return node.slice(0, MAX_PARTS).map((item) => this.schema(item, path));
    if (!isPlainObject(node)) return node;
    const reference = findTarget(node, this.#state.root);
    if (reference?.target === undefined) return this.#keywords(node, path);
    this.references += 1;
    if (path.includes(reference.target)) {
      this.#state.cuts += 1;
      return LEFT_OUT;
    }
    const { $ref: _, $dynamicRef: _dynamic, $recursiveRef: _recursive, ...beside } = node;
    const target = this.schema(reference.target, [...path, reference.target]);
    return isPlainObject(target) ? { ...target, ...this.#keywords(beside, path) } : target;
  }

  map(named: object, path: readonly unknown[]): unknown {
    const shown = Object.entries(named).slice(0, MAX_PARTS);
    return Object.fromEntries(shown.map(([name, schema]) => [name, this.schema(schema, path)]));
  }

  #keywords(node: JsonSchema, path: readonly unknown[]): JsonSchema {
    const kept: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(node).slice(0, MAX_PARTS)) {
      if (DEFINITIONS.has(keyword)) continue;
      if (DATA_KEYWORDS.has(keyword)) kept.push([keyword, value]);
      else if (SCHEMA_MAPS.has(keyword) && isPlainObject(value)) kept.push([keyword, this.map(value, path)]);
      else kept.push([keyword, this.schema(value, path)]);
    }
    return Object.fromEntries(kept);
  }
}
