import type { RE2JS } from "re2js";
import type { ResultPreset } from "../../../lib/contract/call-rule-words";
import { compilePattern } from "./compile-pattern";
import { type FoundText, PRESET_SIGNS, PRESETS } from "./find-preset";

/** The cost of one character for each instruction of a pattern's program. */
const MATCH_NS = 24;
/** The cost of one character for a kind of text. */
const PRESET_NS = 60;

/** Thrown when the time for one search has passed. */
class SearchTimeout extends Error {
  override name = "SearchTimeout";
}

export interface TextSearch {
  /** An estimate, in nanoseconds a character. */
  readonly cost: number;
  readonly hasPatterns: boolean;
  /** The search without the kinds of text that a whole JSON text cannot hold; null where nothing is left. */
  narrow(jsonText: string): TextSearch | null;
  /** The texts that are found, in their order; none overlaps another. @throws SearchTimeout */
  find(text: string, deadline: number): FoundText[];
}

/** Patterns of a rule, which must find some text: one that finds the empty text finds nothing. */
export function findPatternProblem(pattern: string): string | null {
  const compiled = compilePattern(pattern);
  if ("problem" in compiled) return compiled.problem;
  return compiled.pattern.matcher("").find()
    ? "The pattern finds empty texts: it must match at least one character"
    : null;
}

/** Patterns that do not compile are left out: saving refuses them. */
export function compileSearch(presets: readonly ResultPreset[], patterns: readonly string[]): TextSearch {
  const compiled = patterns.flatMap((each) => {
    const made = compilePattern(each);
    return "pattern" in made ? made.pattern : [];
  });
  return createSearch(presets, compiled);
}

/** A sign of escaped letters; `\u0040` has none. */
const ESCAPED = "\\u";

function createSearch(presets: readonly ResultPreset[], compiled: readonly RE2JS[]): TextSearch {
  const search: TextSearch = {
    cost: presets.length * PRESET_NS + compiled.reduce((sum, each) => sum + each.programSize() * MATCH_NS, 0),
    hasPatterns: compiled.length > 0,
    narrow(jsonText) {
      if (presets.length === 0 || jsonText.includes(ESCAPED)) return search;
      const left = presets.filter((preset) => PRESET_SIGNS[preset].test(jsonText));
      if (left.length === presets.length) return search;
      return left.length + compiled.length === 0 ? null : createSearch(left, compiled);
    },
    find(text, deadline) {
      const found: FoundText[] = [];
      for (const preset of presets) {
        assertTime(deadline);
        found.push(...PRESETS[preset](text));
      }
      for (const pattern of compiled) addMatches(pattern, text, deadline, found);
      return mergeFound(found);
    },
  };
  return search;
}

/** A pattern that looks far ahead for each match takes more time than the text is long. */
function addMatches(pattern: RE2JS, text: string, deadline: number, found: FoundText[]): void {
  assertTime(deadline);
  const matcher = pattern.matcher(text);
  while (matcher.find()) {
    const start = matcher.start();
    const end = matcher.end();
    if (end > start) found.push({ start, end });
    assertTime(deadline);
  }
}

/** @throws SearchTimeout */
export function assertTime(deadline: number): void {
  if (performance.now() > deadline) throw new SearchTimeout("The search takes too long");
}

function mergeFound(found: FoundText[]): FoundText[] {
  if (found.length < 2) return found;
  found.sort((left, right) => left.start - right.start);
  const merged: FoundText[] = [];
  for (const { start, end } of found) {
    const last = merged.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
