import { createHash } from "node:crypto";
import { isPlainObject, type ToolDefinition } from "../../lib/contract";

const known = new WeakMap<object, { hash: string; json: string }>();

/** JSON text with the keys of every object in code-unit order: equal content gives equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isPlainObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}

/**
 * A definition's content hash and JSON text. Remembered by object identity, since every call asks: a definition must not
 * be changed in place.
 */
export function snapshotDefinition(definition: ToolDefinition): { hash: string; json: string } {
  const found = known.get(definition);
  if (found) return found;
  const snapshot = {
    hash: createHash("sha256").update(canonicalJson(definition)).digest("hex").slice(0, 16),
    json: JSON.stringify(definition),
  };
  known.set(definition, snapshot);
  return snapshot;
}

/** What executions and the catalogue compare to know whether a definition is still the one that ran. */
export function hashDefinition(definition: ToolDefinition): string {
  return snapshotDefinition(definition).hash;
}
