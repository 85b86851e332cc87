/** Characters from the first to the last code point, both included. */
type Range = readonly [first: number, last: number];

type Edge =
  | { to: number; kind: "empty" | "start" | "end" }
  /** Consumes one character of the ranges. */
  | { to: number; kind: "character"; ranges: readonly Range[] };

/** A nondeterministic automaton: the edges of each node. */
export interface PatternLanguage {
  edges: readonly Edge[][];
  first: number;
  final: number;
  /** Whether it is read by code points; a validator reads a pattern that is not valid then by UTF-16 units. */
  isUnicode: boolean;
  /** Whether it names characters that the two ways of reading count differently. */
  namesPairs: boolean;
}

type Node =
  | { kind: "character"; ranges: readonly Range[] }
  | { kind: "start" | "end" }
  | { kind: "sequence" | "choice"; parts: readonly Node[] }
  | { kind: "repeat"; part: Node; least: number; most: number };

const MAX_NODES = 1_200;
const MAX_PATTERN_CHARS = 2_000;
export const LAST_CHARACTER = 0x10_ffff;
const DIGITS: readonly Range[] = [[48, 57]];
const WORDS: readonly Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const SPACES: readonly Range[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_ENDS: readonly Range[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const SETS: Readonly<Record<string, readonly Range[]>> = {
  d: DIGITS,
  w: WORDS,
  s: SPACES,
  D: invertRanges(DIGITS),
  W: invertRanges(WORDS),
  S: invertRanges(SPACES),
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, "0": 0 };

function invertRanges(ranges: readonly Range[]): Range[] {
  const inverted: Range[] = [];
  let next = 0;
  for (const [first, last] of [...ranges].sort((one, other) => one[0] - other[0])) {
    if (first > next) inverted.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= LAST_CHARACTER) inverted.push([next, LAST_CHARACTER]);
  return inverted;
}

class Unsupported extends Error {
  override name = "Unsupported";
}

/** Reads the part of the pattern syntax that describes a regular language. */
class PatternReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Node {
    const node = this.#readChoice();
    if (this.#at < this.#text.length) throw new Unsupported();
    return node;
  }

  #readChoice(): Node {
    const parts = [this.#readSequence()];
    while (this.#take("|")) parts.push(this.#readSequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "choice", parts };
  }

  #readSequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#text.length && this.#text[this.#at] !== "|" && this.#text[this.#at] !== ")") {
      const part = this.#readAtom();
      parts.push(part.kind === "start" || part.kind === "end" ? part : this.#readQuantifiers(part));
    }
    return { kind: "sequence", parts };
  }

  #readQuantifiers(part: Node): Node {
    const rest = this.#text.slice(this.#at, this.#at + 30);
    const found = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(rest);
    if (found === null) return part;
    this.#at += found[0].length;
    const [word, least, comma, most] = found;
    const unlimited = Number.POSITIVE_INFINITY;
    if (word.startsWith("*")) return { kind: "repeat", part, least: 0, most: unlimited };
    if (word.startsWith("+")) return { kind: "repeat", part, least: 1, most: unlimited };
    if (word.startsWith("?")) return { kind: "repeat", part, least: 0, most: 1 };
    const greatest = comma === undefined ? Number(least) : most === "" ? unlimited : Number(most);
    return { kind: "repeat", part, least: Number(least), most: greatest };
  }

  #readAtom(): Node {
    if (this.#take("^")) return { kind: "start" };
    if (this.#take("$")) return { kind: "end" };
    if (this.#take(".")) return { kind: "character", ranges: invertRanges(LINE_ENDS) };
    if (this.#take("[")) return { kind: "character", ranges: this.#readClass() };
    if (this.#take("(")) return this.#readGroup();
    if (this.#take("\\")) return { kind: "character", ranges: this.#readEscape(false) };
    const point = this.#text.codePointAt(this.#at) ?? 0;
    const character = String.fromCodePoint(point);
    if ("*+?{}]".includes(character)) throw new Unsupported();
    this.#at += character.length;
    return { kind: "character", ranges: [[point, point]] };
  }

  #readGroup(): Node {
    if (this.#take("?:")) return this.#closeGroup();
    if (this.#text[this.#at] === "?") {
      const name = /^\?<[A-Za-z_]\w*>/.exec(this.#text.slice(this.#at, this.#at + 100));
      // Assertions that look ahead or behind, and modifiers.
      if (name === null) throw new Unsupported();
      this.#at += name[0].length;
    }
    return this.#closeGroup();
  }

  #closeGroup(): Node {
    const inside = this.#readChoice();
    if (!this.#take(")")) throw new Unsupported();
    return inside;
  }

  #readClass(): Range[] {
    const isInverted = this.#take("^");
    const ranges: Range[] = [];
    while (!this.#take("]")) {
      if (this.#at >= this.#text.length) throw new Unsupported();
      const from = this.#readMember();
      const single = from.length === 1 && from[0]?.[0] === from[0]?.[1] ? from[0]?.[0] : undefined;
      const isRange = this.#text[this.#at] === "-" && this.#text[this.#at + 1] !== "]";
      if (!isRange || single === undefined) {
        ranges.push(...from);
        continue;
      }
      this.#at += 1;
      const last = this.#readMember()[0];
      if (last === undefined || last[0] !== last[1]) throw new Unsupported();
      ranges.push([single, last[1]]);
    }
    return isInverted ? invertRanges(ranges) : ranges;
  }

  #readMember(): readonly Range[] {
    if (this.#take("\\")) return this.#readEscape(true);
    const point = this.#text.codePointAt(this.#at) ?? 0;
    this.#at += String.fromCodePoint(point).length;
    return [[point, point]];
  }

  #readEscape(inClass: boolean): readonly Range[] {
    const word = this.#text[this.#at] ?? "";
    this.#at += 1;
    const set = Object.hasOwn(SETS, word) ? SETS[word] : undefined;
    if (set !== undefined) return set;
    const control = Object.hasOwn(CONTROLS, word) ? CONTROLS[word] : undefined;
    if (control !== undefined) return [[control, control]];
    if (word === "x") return toRange(this.#readHex(2));
    if (word === "u") return this.#readUnicode();
    if (word === "b" && inClass) return [[8, 8]];
    // These escapes are not supported: back references, word boundaries, properties of characters.
    if (/[A-Za-z0-9]/.test(word) || word === "") throw new Unsupported();
    return toRange(word.codePointAt(0) ?? 0);
  }

  #readUnicode(): readonly Range[] {
    const braced = /^\{([0-9a-fA-F]{1,6})\}/.exec(this.#text.slice(this.#at, this.#at + 10));
    if (braced !== null) {
      this.#at += braced[0].length;
      return toRange(Number.parseInt(braced[1] ?? "", 16));
    }
    const point = this.#readHex(4);
    // Two escapes may encode one character.
    if (point >= 0xd800 && point <= 0xdfff) throw new Unsupported();
    return toRange(point);
  }

  #readHex(length: number): number {
    const digits = this.#text.slice(this.#at, this.#at + length);
    if (digits.length !== length || !/^[0-9a-fA-F]+$/.test(digits)) throw new Unsupported();
    this.#at += length;
    return Number.parseInt(digits, 16);
  }

  #take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }
}

const toRange = (point: number): readonly Range[] => [[point, point]];

class LanguageBuilder {
  readonly edges: Edge[][] = [];

  add(): number {
    if (this.edges.length >= MAX_NODES) throw new Unsupported();
    return this.edges.push([]) - 1;
  }

  connect(from: number, edge: Edge): void {
    this.edges[from]?.push(edge);
  }

  /** Adds the node between two others. @returns the node after it */
  build(node: Node, from: number): number {
    switch (node.kind) {
      case "character": {
        const to = this.add();
        this.connect(from, { kind: "character", to, ranges: node.ranges });
        return to;
      }
      case "start":
      case "end": {
        const to = this.add();
        this.connect(from, { kind: node.kind, to });
        return to;
      }
      case "sequence":
        return node.parts.reduce((at, part) => this.build(part, at), from);
      case "choice": {
        const to = this.add();
        for (const part of node.parts) this.connect(this.build(part, from), { kind: "empty", to });
        return to;
      }
      default:
        return this.#repeat(node, from);
    }
  }

  #repeat({ part, least, most }: Extract<Node, { kind: "repeat" }>, from: number): number {
    let at = from;
    for (let count = 0; count < least; count += 1) at = this.build(part, at);
    if (most === Number.POSITIVE_INFINITY) {
      const loop = this.add();
      this.connect(at, { kind: "empty", to: loop });
      this.connect(this.build(part, loop), { kind: "empty", to: loop });
      return loop;
    }
    const to = this.add();
    this.connect(at, { kind: "empty", to });
    for (let count = least; count < most; count += 1) {
      at = this.build(part, at);
      this.connect(at, { kind: "empty", to });
    }
    return to;
  }
}

const FIRST_HALF = 0xd800;
const AFTER_HALVES = 0xe000;

/** Whether a range holds characters beyond 16 bits, or the surrogates that encode them. */
const isPair = ([first, last]: Range): boolean => last > 0xffff || (first < AFTER_HALVES && last >= FIRST_HALF);

function compiles(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

/** Reads a pattern; null where it is no regular language, is too large, or is not valid. */
export function readPattern(pattern: string): PatternLanguage | null {
  if (pattern.length > MAX_PATTERN_CHARS) return null;
  const isUnicode = compiles(pattern, "u");
  if (!isUnicode && !compiles(pattern, "")) return null;
  try {
    const builder = new LanguageBuilder();
    const first = builder.add();
    const final = builder.build(new PatternReader(pattern).read(), first);
    const { edges } = builder;
    const namesPairs = edges.flat().some((edge) => edge.kind === "character" && edge.ranges.some(isPair));
    return { edges, first, final, isUnicode, namesPairs };
  } catch {
    return null;
  }
}
