/** A repeatable source of chance: the same seed gives the same figures on every machine. */
export interface Random {
  /** From 0 up to, but not, 1. */
  next(): number;
  /** Both ends included. */
  int(least: number, most: number): number;
  chance(probability: number): boolean;
  /** @throws RangeError for an empty list */
  pick<T>(list: readonly T[]): T;
  /** One of these, each as often as its weight says. @throws RangeError for an empty list */
  weighted<T extends { weight: number }>(list: readonly T[]): T;
  /** A duration as real ones are spread: most near the median, a few many times as long. */
  duration(medianMs: number, spread: number): number;
  /** Letters and digits for ids, without those that look alike. */
  letters(count: number): string;
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** mulberry32: small, fast, and even enough for figures that only have to look real. */
export function createRandom(seed: number): Random {
  let state = seed | 0;

  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));

  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (list) => elementAt(list, int(0, list.length - 1)),
    weighted(list) {
      let left = next() * list.reduce((sum, { weight }) => sum + weight, 0);
      const at = list.findIndex(({ weight }) => {
        left -= weight;
        return left < 0;
      });
      return elementAt(list, at);
    },
    duration(medianMs, spread) {
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return medianMs * Math.exp(normal * spread);
    },
    letters: (count) => Array.from({ length: count }, () => ALPHABET[int(0, ALPHABET.length - 1)]).join(""),
  };
}

function elementAt<T>(list: readonly T[], at: number): T {
  const item = list[at];
  if (item === undefined) throw new RangeError("There is nothing to choose from");
  return item;
}
