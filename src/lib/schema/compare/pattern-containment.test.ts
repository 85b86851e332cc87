import { describe, expect, it } from "vitest";
import { containsPattern } from "./pattern-containment";

/** Numbers from 0 to 1 that are the same for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

const LETTERS = ["a", "b", "0", "-", "\n", "😀"];
const ATOMS = ["a", "b", "0", "[ab]", "[^a]", ".", "\\d", "\\w", "[a-b0]", "\\-", "^", "$"];
const QUANTIFIERS = ["", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "+?"];

function createPatterns(seed: number) {
  const random = seededRandom(seed);
  const pick = (values: readonly string[]): string => values[Math.floor(random() * values.length)] ?? "";
  const sequence = (depth: number): string =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const atom = depth > 0 && random() < 0.3 ? `(${choice(depth - 1)})` : pick(ATOMS);
      return atom === "^" || atom === "$" ? atom : atom + pick(QUANTIFIERS);
    }).join("");
  const choice = (depth: number): string =>
    random() < 0.3 ? `${sequence(depth)}|${sequence(depth)}` : sequence(depth);
  const text = (): string => Array.from({ length: Math.floor(random() * 5) }, () => pick(LETTERS)).join("");
  return {
    pattern: (): string => (random() < 0.4 ? `^(?:${choice(1)})$` : choice(1)),
    text,
  };
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}

describe("the languages of two patterns", () => {
  it("are called contained for no pair of random patterns that a text tells apart", () => {
    const random = createPatterns(7);
    let contained = 0;
    for (let pair = 0; pair < 3_000; pair += 1) {
      const inner = random.pattern();
      const outer = random.pattern();
      if (!containsPattern(inner, outer)) continue;
      contained += 1;
      const one = compile(inner);
      const other = compile(outer);
      for (let count = 0; count < 60; count += 1) {
        const text = random.text();
        expect({ inner, outer, text, wrong: one.test(text) && !other.test(text) }).toMatchObject({ wrong: false });
      }
    }
    expect(contained).toBeGreaterThan(100);
  });

  it("are contained in one direction where one is wider", () => {
    const pairs = [
      ["^[a-c]$", "^[a-z]$"],
      ["^a$", "a"],
      ["^\\d{2}$", "^\\d+$"],
      ["^ab$", "^a"],
    ] as const;
    for (const [narrow, wide] of pairs) {
      expect([narrow, containsPattern(narrow, wide), containsPattern(wide, narrow)]).toEqual([narrow, true, false]);
    }
  });

  it("are not called contained where a pattern looks ahead, refers back, is not valid or is too large", () => {
    for (const pattern of ["^(?=a)a$", "^(a)\\1$", "^\\ba$", "(", "^a{1000}b{1000}$", "^\\p{L}$"]) {
      expect([pattern, containsPattern(pattern, "^.*a$")]).toEqual([pattern, false]);
    }
  });

  it("end a proof at its limit", () => {
    const explosive = `^(a|b)*a${"(a|b)".repeat(30)}$`;
    expect(containsPattern(explosive, `^[ab]*a${"[ab]".repeat(30)}$`)).toBe(false);
  });
});
