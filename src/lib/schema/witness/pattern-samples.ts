/** Repetitions of `*` and `+` in the longer samples. */
const REPEATED = 2;
const MAX_CHARS = 200;
const CLASSES: Readonly<Record<string, string>> = { d: "0", w: "a", s: " ", D: "a", W: "-", S: "a", b: "", B: "" };

/**
 * Texts that a simple pattern probably matches: literals, classes, groups, alternatives, counts. What it cannot read gives texts
 * that do not match; the caller checks.
 */
export function samplePattern(pattern: string): string[] {
  const texts = [0, REPEATED].flatMap((more) =>
    [0, 1].map((branch) => new PatternReader(pattern, more, branch).read()),
  );
  return [...new Set(texts)].filter((text) => text.length <= MAX_CHARS);
}

class PatternReader {
  #at = 0;

  constructor(
    readonly pattern: string,
    readonly more: number,
    /** The alternative that is taken where there are several. */
    readonly branch: number,
  ) {}

  read(): string {
    const text = this.#readAlternatives();
    // Without an end anchor, more characters may follow.
    return text.slice(0, MAX_CHARS + 1);
  }

  #readAlternatives(): string {
    const branches = [this.#readSequence()];
    while (this.pattern[this.#at] === "|") {
      this.#at += 1;
      branches.push(this.#readSequence());
    }
    return branches[Math.min(this.branch, branches.length - 1)] ?? "";
  }

  #readSequence(): string {
    let text = "";
    while (this.#at < this.pattern.length && !"|)".includes(this.pattern[this.#at] ?? "")) {
      const atom = this.#readAtom();
      text += atom.repeat(Math.min(this.#readCount(), MAX_CHARS)).slice(0, MAX_CHARS);
    }
    return text;
  }

  #readAtom(): string {
    const sign = this.pattern[this.#at] ?? "";
    this.#at += 1;
    if (sign === "^" || sign === "$") return "";
    if (sign === ".") return "a";
    if (sign === "[") return this.#readClass();
    if (sign === "(") return this.#readGroup();
    return sign === "\\" ? this.#readEscape() : sign;
  }

  #readEscape(): string {
    const sign = this.pattern[this.#at] ?? "";
    this.#at += 1;
    if (sign !== "p" && sign !== "P") return CLASSES[sign] ?? sign;
    const end = this.pattern.indexOf("}", this.#at);
    this.#at = end < 0 ? this.pattern.length : end + 1;
    return "a";
  }

  #readGroup(): string {
    const [prefix = ""] = /^\?(?::|=|!|<=|<!|P?<\w+>)/.exec(this.pattern.slice(this.#at)) ?? [];
    this.#at += prefix.length;
    const text = this.#readAlternatives();
    this.#at += 1;
    return /[=!]$/.test(prefix) ? "" : text;
  }

  #readClass(): string {
    const isInverted = this.pattern[this.#at] === "^";
    const start = this.#at;
    if (isInverted) this.#at += 1;
    let first: string | null = null;
    for (let isFirst = true; this.#at < this.pattern.length; isFirst = false) {
      const sign = this.pattern[this.#at] ?? "";
      this.#at += 1;
      if (sign === "]" && !isFirst) break;
      const one = sign === "\\" ? this.#readEscape() : sign;
      first ??= one;
    }
    if (!isInverted) return first ?? "";
    const refused = this.pattern.slice(start, this.#at);
    return ["a", "0", "-", " ", "Z", "é"].find((each) => !new RegExp(`[${escapeClass(each)}]`).test(refused)) ?? "é";
  }

  #readCount(): number {
    const [whole = "", sign, least, comma, most] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.pattern.slice(this.#at)) ?? [];
    this.#at += whole.length;
    if (whole === "") return 1;
    if (sign === "?") return this.more > 0 ? 1 : 0;
    if (sign !== undefined) return this.more + (sign === "+" ? 1 : 0);
    const from = Number(least);
    const to = most ? Number(most) : comma ? Number.POSITIVE_INFINITY : Number(least);
    return Math.min(from + this.more, to);
  }
}

const escapeClass = (sign: string): string => (sign === "-" ? "\\-" : sign);
