import { createWordMatcher } from "./match-words";

interface Candidate {
  label: string;
  keywords?: string | undefined;
  hint?: string | undefined;
}

/**
 * Returns how well a candidate matches a search, 0 for no match: a label that begins with it beats one that contains it, beats
 * keywords, beats letters in order.
 */
export function createScore(search: string): (candidate: Candidate) => number {
  const wanted = search.trim().toLowerCase();
  const matches = createWordMatcher(wanted);
  const letters = wanted.replace(/\s+/g, "");
  return (candidate) => {
    if (wanted === "") return 1;
    const label = candidate.label.toLowerCase();
    if (label === wanted) return 6;
    if (label.startsWith(wanted)) return 5;
    if (label.includes(wanted)) return 4;
    if (matches(label, candidate.keywords, candidate.hint)) return 3;
    return isSubsequence(letters, label) ? 1 : 0;
  };
}

function isSubsequence(letters: string, text: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
