/** The words of a search that are compared with every entry of a list; users type less. */
const MAX_WORDS = 50;
const MAX_CHARS = 1_000;

/**
 * Returns whether every word of a search occurs in the texts together, in any order and case, also inside other words: what
 * filters a list while a user types. An empty search matches everything.
 */
export function createWordMatcher(search: string): (...texts: readonly (string | null | undefined)[]) => boolean {
  const typed = search.slice(0, MAX_CHARS).toLowerCase().split(/\s+/);
  const words = [...new Set(typed)].filter(Boolean).slice(0, MAX_WORDS);
  if (words.length === 0) return () => true;
  return (...texts) => {
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
