import { createHash } from "node:crypto";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { stringifyWithDigits } from "../../../lib/json/number-digits";

const known = new WeakMap<object, { hash: string; json: string }>();

/**
 * A definition's content hash and JSON text. The hash is of the numbers' values, so that `1` and `1.0` are one definition. Remembered by object identity, since every call asks: a definition must not
 * be changed in place.
 */
export function snapshotDefinition(definition: ToolDefinition): { hash: string; json: string } {
  const found = known.get(definition);
  if (found) return found;
  const snapshot = {
    hash: createHash("sha256").update(canonicalJson(definition)).digest("hex").slice(0, 16),
    json: stringifyWithDigits(definition),
  };
  known.set(definition, snapshot);
  return snapshot;
}

/** Returns the hash that executions and the catalog compare to know whether a definition is still the one that ran. */
export function hashDefinition(definition: ToolDefinition): string {
  return snapshotDefinition(definition).hash;
}
