import { isPlainObject, type JsonSchema } from "../../contract/json";
import { inheritDigits } from "../../json/number-digits";
import { DATA_KEYWORDS, getHolding } from "../keywords";
import { findReference } from "../resolve-ref";
import type { ReductionState } from "./reduction-state";
import { noteOn } from "./schema-notes";

/** The limit of parts in a sentence, which is cut anyway. */
const MAX_PARTS = 80;
const LEFT_OUT = "…";
const DEFINITIONS = new Set(["$defs", "definitions"]);

/** A keyword as a sentence. References in it are written out: what they lead to is not sent with the sentence. */
export function schemaNote(keyword: string, value: unknown, state: ReductionState): string | null {
  const holding = getHolding(keyword, value);
  if (holding === null || typeof value !== "object") return noteOn(keyword, value);
  const speller = new Speller(state);
  const spelled = holding === "map" ? speller.map(value as JsonSchema, []) : speller.schema(value, []);
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
    const reference = findReference(node, this.#state.root);
    if (reference === null || reference.target === null) return this.#keywords(node, path);
    this.references += 1;
    if (path.includes(reference.target)) {
      this.#state.cuts += 1;
      return LEFT_OUT;
    }
    const { $ref: _, $dynamicRef: _dynamic, $recursiveRef: _recursive, ...beside } = node;
    const target = this.schema(reference.target, [...path, reference.target]);
    return isPlainObject(target) ? { ...target, ...this.#keywords(beside, path) } : target;
  }

  map(named: JsonSchema, path: readonly unknown[]): unknown {
    const shown = Object.entries(named).slice(0, MAX_PARTS);
    return Object.fromEntries(shown.map(([name, schema]) => [name, this.schema(schema, path)]));
  }

  #keywords(node: JsonSchema, path: readonly unknown[]): JsonSchema {
    const kept: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(node).slice(0, MAX_PARTS)) {
      if (DEFINITIONS.has(keyword)) continue;
      if (DATA_KEYWORDS.has(keyword)) kept.push([keyword, value]);
      else if (getHolding(keyword, value) === "map") kept.push([keyword, this.map(value as JsonSchema, path)]);
      else kept.push([keyword, this.schema(value, path)]);
    }
    return inheritDigits(node, Object.fromEntries(kept));
  }
}
