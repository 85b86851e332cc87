import type { RawDatabase } from "../../../platform/db/sqlite/connection";

const stored = new WeakMap<RawDatabase, Set<string>>();

/** Definitions that this process knows to be stored: a call stores the others with itself. */
export function getStoredDefinitions(raw: RawDatabase): Set<string> {
  const found = stored.get(raw) ?? new Set();
  stored.set(raw, found);
  return found;
}
