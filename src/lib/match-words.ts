/**
 * Returns whether every word of a search occurs in the texts together, in any order and case, also inside other words: what
 * filters a list while a person types. An empty search matches everything.
 */
export function createWordMatcher(search: string): (...texts: readonly (string | null | undefined)[]) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return () => true;
  return (...texts) => {
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
