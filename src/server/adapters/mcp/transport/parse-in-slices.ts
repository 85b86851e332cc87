import { randomUUID } from "node:crypto";
import { setImmediate as yieldTurn } from "node:timers/promises";

/** Shorter texts are parsed at once: `JSON.parse` takes up to 25 ms for this many characters. */
export const INLINE_CHARS = 512 * 1024;
/** Short, so that a server that starts while long lists arrive gets its turns: some 3 ms. */
const SLICE_CHARS = 64 * 1024;
/** The open objects and arrays are repeated for each slice. */
const MAX_DEPTH = 1000;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** An object or array that the text has opened and not closed yet. */
interface OpenContainer {
  isArray: boolean;
  /** Known from the slice on that follows the one that opened it. */
  node: Record<string, unknown> | unknown[] | null;
  /** Where the name of the current member of an object stands in the text, with its quotes. */
  nameStart: number;
  nameEnd: number;
  /** Of an object: its members in the slices that were merged. */
  members: number;
}

/** A promise for a text that is parsed in slices. @throws SyntaxError */
export function parseJson(text: string): unknown {
  return text.length <= INLINE_CHARS ? JSON.parse(text) : parseJsonInSlices(text);
}

/**
 * `JSON.parse` for large texts: parses a slice of about `sliceChars` characters at a time and gives other work a turn in
 * between. A slice ends after a comma, so that a single long string stays whole.
 * @param options.maxMembers of one object of a text that is longer than a slice: growing a larger one holds the event loop
 * @throws SyntaxError also for large texts that are nested deeper than 1,000 levels; Error with the code TOO_MANY_KEYS
 */
export async function parseJsonInSlices(
  text: string,
  { sliceChars = SLICE_CHARS, maxMembers = Number.POSITIVE_INFINITY } = {},
): Promise<unknown> {
  if (text.length <= sliceChars) return JSON.parse(text);
  const slices = new SlicedText(text, sliceChars, maxMembers);
  while (slices.parseNext()) await yieldTurn();
  return slices.root;
}

class SlicedText {
  root: unknown;
  readonly #text: string;
  readonly #sliceChars: number;
  /** Stands for the member that an earlier slice began; no text can hold it. */
  readonly #placeholder = JSON.stringify(randomUUID());
  #open: OpenContainer[] = [];
  #start = 0;
  #isFirst = true;

  constructor(
    text: string,
    sliceChars: number,
    private readonly maxMembers: number,
  ) {
    this.#text = text;
    this.#sliceChars = sliceChars;
  }

  /** @returns whether there is more to parse */
  parseNext(): boolean {
    const openAtStart = [...this.#open];
    const { end, lowestDepth } = this.#scan();
    const head = openAtStart.map((container, index) => {
      if (container.isArray) return "[";
      return index === openAtStart.length - 1 ? "{" : `{${this.#placeholder}:`;
    });
    const isLast = end === this.#text.length;
    const tail = isLast ? [] : this.#open.map(({ isArray }) => (isArray ? "]" : "}")).reverse();
    const value: unknown = JSON.parse(head.join("") + this.#text.slice(this.#start, end) + tail.join(""));
    if (this.#isFirst) this.root = value;
    else mergeSlice(openAtStart, value, { placeholder: JSON.parse(this.#placeholder), maxMembers: this.maxMembers });
    this.#isFirst = false;
    this.#start = end + 1;
    if (isLast) return false;
    this.#findOpenNodes(lowestDepth);
    this.#checkNextMember();
    return true;
  }

  /** Goes to the slice's end and keeps `#open` current. `lowestDepth` is how many containers of the start never closed. */
  #scan(): { end: number; lowestDepth: number } {
    const text = this.#text;
    const open = this.#open;
    const minEnd = this.#start + this.#sliceChars;
    let lowestDepth = open.length;
    let stringStart = 0;
    let stringEnd = 0;
    for (let index = this.#start; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit === QUOTE) {
        stringStart = index;
        index = findStringEnd(text, index);
        stringEnd = index + 1;
      } else if (unit === COLON) {
        const container = open.at(-1);
        if (container === undefined) break;
        container.nameStart = stringStart;
        container.nameEnd = stringEnd;
      } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
        if (open.length === MAX_DEPTH) throw new SyntaxError(`JSON of this size may be ${MAX_DEPTH} levels deep`);
        open.push({ isArray: unit === OPEN_ARRAY, node: null, nameStart: 0, nameEnd: 0, members: 0 });
      } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
        // `JSON.parse` reports a bracket of the wrong kind, since the slice's text holds both.
        open.pop();
        lowestDepth = Math.min(lowestDepth, open.length);
      } else if (unit === COMMA && index >= minEnd && open.length > 0) {
        this.#checkMemberBefore(index);
        return { end: index, lowestDepth };
      }
    }
    return { end: text.length, lowestDepth };
  }

  #findOpenNodes(lowestDepth: number): void {
    for (let depth = lowestDepth; depth < this.#open.length; depth += 1) {
      const container = this.#open[depth];
      const parent = this.#open[depth - 1];
      if (container === undefined) return;
      container.node = (parent === undefined ? this.root : this.#currentMember(parent)) as OpenContainer["node"];
    }
  }

  #currentMember({ node, nameStart, nameEnd }: OpenContainer): unknown {
    if (Array.isArray(node)) return node.at(-1);
    return node?.[JSON.parse(this.#text.slice(nameStart, nameEnd)) as string];
  }

  /** The slice alone would not show that nothing stands between its last bracket or comma and the comma that ends it. */
  #checkMemberBefore(comma: number): void {
    let index = comma - 1;
    while (isSpace(this.#text.charCodeAt(index))) index -= 1;
    const before = this.#text.charCodeAt(index);
    if (before === OPEN_ARRAY || before === OPEN_OBJECT || before === COMMA) throw unexpected(",", comma);
  }

  /** The next slice alone would not show that this comma is one too many. */
  #checkNextMember(): void {
    let index = this.#start;
    while (isSpace(this.#text.charCodeAt(index))) index += 1;
    const next = this.#text.charCodeAt(index);
    if (next === CLOSE_ARRAY || next === CLOSE_OBJECT) throw unexpected(String.fromCharCode(next), index);
  }
}

const unexpected = (found: string, position: number): SyntaxError =>
  new SyntaxError(`Unexpected '${found}' in JSON at position ${position}`);

/** What JSON takes for space. */
const isSpace = (unit: number): boolean => unit === 32 || unit === 10 || unit === 13 || unit === 9;

/** The index of the closing quote; the text's length where there is none. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Adds the members of a slice's value to the containers that were open at its start. */
function mergeSlice(
  open: readonly OpenContainer[],
  value: unknown,
  { placeholder, maxMembers }: { placeholder: string; maxMembers: number },
): void {
  let part = value;
  for (const [index, container] of open.entries()) {
    const { node } = container;
    const isInnermost = index === open.length - 1;
    if (Array.isArray(node)) {
      const items = part as unknown[];
      for (let item = isInnermost ? 0 : 1; item < items.length; item += 1) node.push(items[item]);
      part = items[0];
    } else {
      const members = part as Record<string, unknown>;
      const names = Object.keys(members);
      container.members += names.length;
      if (container.members > maxMembers) {
        const message = `An object in the text has more than ${maxMembers} keys: split it`;
        throw Object.assign(new Error(message), { code: "TOO_MANY_KEYS" });
      }
      for (const name of names) {
        if (name !== placeholder) setMember(node as Record<string, unknown>, name, members[name]);
      }
      part = members[placeholder];
    }
  }
}

/** Like `JSON.parse`, for which `__proto__` is a name like any other. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else object[name] = value;
}
