import { matchesPattern } from "../../../lib/select-tool";

export type NameMatcher = (name: string) => boolean;

const isPattern = (entry: string): boolean => /[*?]/.test(entry);

/** Null for an empty list, which sets no limit. */
export function compilePatterns(entries: readonly string[]): NameMatcher | null {
  if (entries.length === 0) return null;
  const names = new Set(entries);
  const patterns = entries.filter(isPattern);
  return (name) => names.has(name) || patterns.some((pattern) => matchesPattern(pattern, name));
}
