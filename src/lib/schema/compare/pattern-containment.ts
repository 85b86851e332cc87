import { LAST_CHARACTER, type PatternLanguage, readPattern } from "./pattern-language";

/** Edges that one proof may follow: a few milliseconds. */
const MAX_STEPS = 300_000;
const MAX_KNOWN = 500;

/** What has been read of a text: the nodes that the automaton may be at. Null where every text with this beginning matches. */
type Position = { nodes: readonly number[]; isStart: boolean } | null;

class Matcher {
  readonly #language: PatternLanguage;
  readonly #spend: (steps: number) => boolean;

  constructor(language: PatternLanguage, spend: (steps: number) => boolean) {
    this.#language = language;
    this.#spend = spend;
  }

  get start(): Position {
    return this.#toPosition([this.#language.first], true);
  }

  /** A pattern may match anywhere in the text, so each position may be its first. */
  read(position: Position, character: number): Position {
    if (position === null) return null;
    const next: number[] = [this.#language.first];
    for (const node of position.nodes) {
      const edges = this.#language.edges[node] ?? [];
      if (!this.#spend(edges.length + 1)) return position;
      for (const edge of edges) {
        if (edge.kind !== "character") continue;
        if (edge.ranges.some(([first, last]) => first <= character && character <= last)) next.push(edge.to);
      }
    }
    return this.#toPosition(next, false);
  }

  /** Whether the pattern matches a text that ends here. */
  acceptsEnd(position: Position): boolean {
    if (position === null) return true;
    return this.#reach(position.nodes, position.isStart, true).has(this.#language.final);
  }

  #toPosition(nodes: readonly number[], isStart: boolean): Position {
    const reached = this.#reach(nodes, isStart, false);
    if (reached.has(this.#language.final)) return null;
    return { nodes: [...reached].sort((one, other) => one - other), isStart };
  }

  /** The nodes that are reached without a character. */
  #reach(nodes: readonly number[], isStart: boolean, isEnd: boolean): Set<number> {
    const reached = new Set(nodes);
    for (const node of reached) {
      const edges = this.#language.edges[node] ?? [];
      if (!this.#spend(edges.length + 1)) return reached;
      for (const { kind, to } of edges) {
        if (kind === "empty" || (kind === "start" && isStart) || (kind === "end" && isEnd)) reached.add(to);
      }
    }
    return reached;
  }
}

/** One character of each set that both patterns treat alike. */
function listCharacters(languages: readonly PatternLanguage[]): number[] {
  const firsts = new Set([0]);
  for (const { edges } of languages) {
    for (const edge of edges.flat()) {
      if (edge.kind !== "character") continue;
      for (const [first, last] of edge.ranges) {
        firsts.add(first);
        firsts.add(last + 1);
      }
    }
  }
  return [...firsts].filter((point) => point <= LAST_CHARACTER);
}

const toKey = (position: Position): string => (position === null ? "*" : `${position.isStart} ${position.nodes}`);

function proves(inner: PatternLanguage, outer: PatternLanguage): boolean {
  let left = MAX_STEPS;
  const spend = (steps: number): boolean => {
    left -= steps;
    return left > 0;
  };
  const one = new Matcher(inner, spend);
  const other = new Matcher(outer, spend);
  const characters = listCharacters([inner, outer]);
  const seen = new Set<string>();
  const pending: [Position, Position][] = [[one.start, other.start]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [here, there] = next;
    const key = `${toKey(here)}|${toKey(there)}`;
    if (there === null || seen.has(key)) continue;
    seen.add(key);
    if (!spend(1) || (one.acceptsEnd(here) && !other.acceptsEnd(there))) return false;
    for (const character of characters) pending.push([one.read(here, character), other.read(there, character)]);
  }
  return left > 0;
}

function areReadAlike(one: PatternLanguage, other: PatternLanguage): boolean {
  return one.isUnicode === other.isUnicode || (!one.namesPairs && !other.namesPairs);
}

const known = new Map<string, boolean>();

/**
 * Whether each text that the first pattern matches is matched by the second, proven over the automata of both. "No" where
 * a pattern looks ahead, refers back or is too large.
 */
export function containsPattern(inner: string, outer: string): boolean {
  if (inner === outer) return true;
  const key = JSON.stringify([inner, outer]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const wanted = readPattern(outer);
  const given = wanted === null ? null : readPattern(inner);
  const isContained = wanted !== null && given !== null && areReadAlike(given, wanted) && proves(given, wanted);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, isContained);
  return isContained;
}
