/** A message never has more lines. */
const MAX_LINES = 100_000;
/** A longer line does not begin a message that goes over several. */
const MAX_FIRST_CHARS = 4096;
const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Joins the lines of a message that its server wrote over several lines; the protocol wants one. */
export class MessageLines {
  readonly #maxChars: number;
  #waiting: string[] = [];
  #chars = 0;
  /** Open braces of the lines that wait. */
  #depth = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** @returns what can be read now: the line itself, a joined message, or lines that belong to none */
  add(line: string): string[] {
    if (this.isEmpty && !beginsMessage(line)) return [line];
    // A whole message in one line does not belong to the lines before it.
    if (!this.isEmpty && isWhole(line)) return [...this.flush(), line];
    this.#waiting.push(line);
    this.#chars += line.length;
    this.#depth += countBraces(line);
    if (this.#depth > 0 && this.#waiting.length < MAX_LINES && this.#chars <= this.#maxChars) return [];
    return this.#depth === 0 ? [this.#take().join("\n")] : this.#take();
  }

  /** Returns the waiting lines, which do not form a message. */
  flush(): string[] {
    return this.#take();
  }

  #take(): string[] {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#chars = 0;
    this.#depth = 0;
    return lines;
  }
}

/** Matches only a brace, or a brace and a member that ends with the line: other text in the line excludes a message. */
const beginsMessage = (line: string): boolean =>
  !line.endsWith("}") && line.length <= MAX_FIRST_CHARS && /^[\s\uFEFF]*\{\s*(?:"[^"\\]*"\s*:.*[,[{]\s*)?$/.test(line);

const isWhole = (line: string): boolean => /^\s*\{\s*"(?:jsonrpc|id|result|error|method)".*\}\s*$/.test(line);

/** Opened minus closed braces outside of strings; JSON has no line break inside a string. */
function countBraces(line: string): number {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < line.length; index += 1) {
    const unit = line.charCodeAt(index);
    if (inString) {
      if (unit === BACKSLASH) index += 1;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) inString = true;
    else if (unit === OPEN_BRACE) depth += 1;
    else if (unit === CLOSE_BRACE) depth -= 1;
  }
  return depth;
}
