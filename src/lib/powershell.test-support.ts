/** A program as PowerShell starts it. */
export interface Started {
  program: string;
  /** As the program gets them. */
  words: string[];
  /** What is piped into it. */
  input: string | null;
}

export const POWERSHELLS = ["5.1", "7"] as const;
export type PowerShellVersion = (typeof POWERSHELLS)[number];

const SINGLE = "'\u2018\u2019\u201a\u201b";
const DOUBLE = '"\u201c\u201d\u201e';
const DASHES = "-\u2013\u2014\u2015";
/** They end a word, or mean something within it. */
const SIGNS = `|&;{}(),$\`@#<>[]*?%!~^\\${SINGLE}${DOUBLE}`;

/**
 * Reads a text by PowerShell's own rules (about_Parsing, about_Quoting_Rules), as far as commands of the console need them, and says
 * what it starts. Throws for whatever else, so that no form is taken for right that is not known here.
 * @param variables those of the environment; settings of the text are added
 */
export function readPowerShell(
  text: string,
  version: PowerShellVersion,
  variables: Record<string, string> = {},
): Started[] {
  return new PowerShellReader(text, version, variables).read();
}

class PowerShellReader {
  #at = 0;
  #isLegacy = false;
  readonly #started: Started[] = [];

  constructor(
    readonly text: string,
    readonly version: PowerShellVersion,
    readonly variables: Record<string, string>,
  ) {}

  read(): Started[] {
    while (this.#at < this.text.length) this.#statement();
    return this.#started;
  }

  get #char(): string {
    return this.text[this.#at] ?? "";
  }

  #fail(what: string): never {
    throw new Error(`PowerShell: ${what} at ${this.#at} of ${this.text}`);
  }

  #blanks(alsoLines = false): void {
    for (;;) {
      if (/[ \t]/.test(this.#char) || (alsoLines && this.#char === "\n")) this.#at += 1;
      else if (this.text.startsWith("`\n", this.#at)) this.#at += 2;
      else return;
    }
  }

  #take(sign: string): boolean {
    if (!this.text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #statement(): void {
    this.#blanks(true);
    if (this.#take(";") || this.#char === "}" || this.#char === "") return;
    if (this.#take("$")) {
      this.#setting();
      return;
    }
    let input: string | null = null;
    if (SINGLE.includes(this.#char)) {
      input = this.#quoted();
      this.#blanks();
      if (!this.#take("|")) this.#fail("a string alone");
      this.#blanks(true);
    }
    this.#command(input);
  }

  #setting(): void {
    const [, name = ""] = /^([\w:]+)/.exec(this.text.slice(this.#at)) ?? [];
    this.#at += name.length;
    this.#blanks();
    if (!this.#take("=")) this.#fail("a variable alone");
    this.#blanks();
    const value = this.#quoted();
    if (name.startsWith("env:")) this.variables[name.slice(4)] = value;
    else if (name === "PSNativeCommandArgumentPassing") this.#isLegacy = value === "Legacy";
    else this.#fail(`the variable ${name}`);
  }

  #command(input: string | null): void {
    const isCalled = this.#take("&");
    this.#blanks();
    if (isCalled && this.#take("{")) {
      if (input !== null) this.#fail("input of a block");
      const before = this.#isLegacy;
      this.#blanks(true);
      while (this.#char !== "}") {
        if (this.#char === "") this.#fail("a block without an end");
        this.#statement();
        this.#blanks(true);
      }
      this.#at += 1;
      this.#isLegacy = before;
      return;
    }
    if (!isCalled && !/[A-Za-z]/.test(this.#char)) this.#fail("no name of a command");
    const program = this.#word();
    const words: string[] = [];
    for (;;) {
      this.#blanks();
      if (this.#char === "" || ";}|\n".includes(this.#char)) break;
      words.push(this.#word());
    }
    if (this.#char === "|") this.#fail("a second command of a pipeline");
    this.#started.push({ program, words: passWords(words, this.version, this.#isLegacy), input });
  }

  #word(): string {
    if (SINGLE.includes(this.#char) || DOUBLE.includes(this.#char)) {
      const word = this.#quoted();
      if (!/^(?:[ \t\n;}|`]|$)/.test(this.#char)) this.#fail("signs after a string");
      return word;
    }
    const from = this.#at;
    while (this.#char !== "" && !/\s/.test(this.#char) && !SIGNS.includes(this.#char)) this.#at += 1;
    const word = this.text.slice(from, this.#at);
    if (word === "" || (this.#char !== "" && !/[\s;}|]/.test(this.#char))) this.#fail(`the sign ${this.#char}`);
    // A parameter ends at these, and `--` alone is taken by scripts.
    if (DASHES.includes(word[0] ?? "") && /[.:]|^--$|[^ -~]/.test(word)) this.#fail(`the parameter ${word}`);
    return word;
  }

  #quoted(): string {
    const quotes = SINGLE.includes(this.#char)
      ? SINGLE
      : DOUBLE.includes(this.#char)
        ? DOUBLE
        : this.#fail("no string");
    this.#at += 1;
    let value = "";
    for (;;) {
      if (this.#char === "") this.#fail("a string without an end");
      if (quotes.includes(this.#char)) {
        this.#at += 1;
        // The second one of two stays.
        if (this.#char === "" || !quotes.includes(this.#char)) return value;
      } else if (quotes === DOUBLE && this.#char === "$") {
        const [whole = "", name = ""] = /^\$env:(\w+)/.exec(this.text.slice(this.#at)) ?? this.#fail("a variable");
        this.#at += whole.length;
        value += this.variables[name] ?? "";
        continue;
      } else if (quotes === DOUBLE && this.#char === "`") this.#fail("an escape");
      value += this.#char;
      this.#at += 1;
    }
  }
}

/** How words come to a program: 7 passes them as they are, 5.1 and 7 on request write a command line, which the program takes apart. */
function passWords(words: readonly string[], version: PowerShellVersion, isLegacy: boolean): string[] {
  if (version === "7" && !isLegacy) return [...words];
  const line = words
    .filter((word) => word !== "")
    .map((word) => {
      if (!needsQuotes(word)) return word;
      const [slashes = ""] = /\\*$/.exec(word) ?? [];
      return `"${word}${version === "7" ? slashes : ""}"`;
    });
  return splitWindowsLine(line.join(" "));
}

function needsQuotes(word: string): boolean {
  let quotes = 0;
  let isAfterSlash = false;
  let needs = false;
  for (const char of word) {
    if (char === '"' && !isAfterSlash) quotes += 1;
    else if (/[\s\u0085]/.test(char) && quotes % 2 === 0) needs = true;
    isAfterSlash = char === "\\";
  }
  return needs;
}

/** The words of a Windows command line, as the C runtime reads them. */
function splitWindowsLine(line: string): string[] {
  const words: string[] = [];
  let word = "";
  let isQuoted = false;
  let isOpen = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] as string;
    if (!isQuoted && (char === " " || char === "\t")) {
      if (isOpen) words.push(word);
      [word, isOpen] = ["", false];
      continue;
    }
    isOpen = true;
    if (char === "\\") {
      const [run = ""] = /^\\+/.exec(line.slice(at)) ?? [];
      at += run.length - 1;
      const isBeforeQuote = line[at + 1] === '"';
      word += isBeforeQuote ? "\\".repeat(Math.floor(run.length / 2)) : run;
      if (!isBeforeQuote || run.length % 2 === 0) continue;
      word += '"';
      at += 1;
    } else if (char === '"') {
      if (isQuoted && line[at + 1] === '"') {
        word += '"';
        at += 1;
      }
      isQuoted = !isQuoted;
    } else word += char;
  }
  return isOpen ? [...words, word] : words;
}
