import { isJsonSpace, type TextSpan } from "./json/json-text";
import { findStringEnd, MAX_CONTAINERS, MAX_KEYS, tooDeep, tooManyContainers, tooManyKeys } from "./json/limits";

/** Shorter texts are parsed at once: `JSON.parse` takes up to 25 ms for this many characters. */
export const INLINE_CHARS = 512 * 1024;
/** Short, so that a server that starts while long lists arrive gets its turns: some 3 ms. */
const SLICE_CHARS = 64 * 1024;
/** A longer string is parsed in parts of this length. */
const STRING_PART_CHARS = 1024 * 1024;
/** The open objects and arrays are repeated for each slice. */
const MAX_DEPTH = 1000;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const LETTER_U = 117;
/** The length of `\u1234`. */
const MAX_ESCAPE_CHARS = 6;
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
  /** The number of an object's members in the slices that were merged. */
  members: number;
}

const yieldTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A promise for a text that is parsed in slices. @throws SyntaxError; Error that `isBeyondLimits` recognizes */
export function parseJson(text: string): unknown {
  return text.length <= INLINE_CHARS ? JSON.parse(text) : parseJsonInSlices(text);
}

/**
 * `JSON.parse` for large texts: parses a slice of about `sliceChars` characters at a time and gives other work a turn in
 * between. A slice ends after a comma, so that a single long string stays whole.
 * @param options.maxMembers of one object of a text that is longer than a slice: growing a larger one holds the event loop
 * @param options.maxContainers lists and objects of the text
 * @throws SyntaxError also for large texts that are nested deeper than 1,000 levels; Error that `isBeyondLimits` recognizes
 */
export async function parseJsonInSlices(text: string, options: SliceOptions = {}): Promise<unknown> {
  return (await parseWithSpan(text, "", options)).value;
}

/** Parses an object and also finds the position of one member's value in the text; the last one of repeated members. */
export async function parseWithSpan(
  text: string,
  member: string,
  {
    sliceChars = SLICE_CHARS,
    stringChars = STRING_PART_CHARS,
    maxMembers = MAX_KEYS,
    maxContainers = MAX_CONTAINERS,
  }: SliceOptions = {},
): Promise<{ value: unknown; span: TextSpan | null }> {
  const options = { sliceChars, stringChars, maxMembers, maxContainers };
  const slices = new SlicedText(text, JSON.stringify(member), options);
  while (await slices.parseNext()) await yieldTurn();
  // The caller's work with a long text has a turn of its own.
  if (text.length > INLINE_CHARS) await yieldTurn();
  return { value: slices.root, span: slices.span };
}

interface SliceOptions {
  sliceChars?: number;
  /** The length of one part of a long string; longer than an escape sequence. */
  stringChars?: number;
  maxMembers?: number;
  maxContainers?: number;
}

class SlicedText {
  root: unknown;
  span: TextSpan | null = null;
  /** Stands for the member that an earlier slice began; no text can hold it. */
  readonly #placeholder = JSON.stringify(crypto.randomUUID());
  #open: OpenContainer[] = [];
  #start = 0;
  #isFirst = true;
  #containers = 0;
  /** Long strings of the slice that are not names. */
  #strings: TextSpan[] = [];
  /** The start of the current member's value in the outermost object. */
  #memberStart = 0;

  constructor(
    private readonly text: string,
    private readonly quotedMember: string,
    private readonly options: Required<SliceOptions>,
  ) {}

  /** @returns whether there is more to parse */
  async parseNext(): Promise<boolean> {
    const openAtStart = [...this.#open];
    const { end, lowestDepth } = this.#scan();
    // A slice without a comma, such as one number of megabytes, takes long to find and to parse.
    if (end - this.#start > this.options.stringChars) await yieldTurn();
    const head = openAtStart.map((container, index) => {
      if (container.isArray) return "[";
      return index === openAtStart.length - 1 ? "{" : `{${this.#placeholder}:`;
    });
    const isLast = end === this.text.length;
    const tail = isLast ? [] : this.#open.map(({ isArray }) => (isArray ? "]" : "}")).reverse();
    const value = await this.#parseSlice(head.join(""), end, tail.join(""));
    const { maxMembers } = this.options;
    if (this.#isFirst) this.root = value;
    else mergeSlice(openAtStart, value, { placeholder: JSON.parse(this.#placeholder), maxMembers });
    this.#isFirst = false;
    this.#start = end + 1;
    if (isLast) return false;
    this.#findOpenNodes(lowestDepth);
    this.#checkNextMember();
    return true;
  }

  async #parseSlice(head: string, end: number, tail: string): Promise<unknown> {
    if (this.#strings.length === 0) return JSON.parse(head + this.text.slice(this.#start, end) + tail);
    const parts = [head];
    const long = new Map<unknown, string>();
    let at = this.#start;
    for (const { start, end: stringEnd } of this.#strings) {
      const standIn = `${this.#placeholder.slice(1, -1)} ${long.size}`;
      long.set(standIn, await parseLongString(this.text, start, stringEnd, this.options.stringChars));
      parts.push(this.text.slice(at, start), JSON.stringify(standIn));
      at = stringEnd;
    }
    this.#strings = [];
    parts.push(this.text.slice(at, end), tail);
    return JSON.parse(parts.join(""), (_key, value: unknown) => long.get(value) ?? value);
  }

  /** Goes to the slice's end and keeps `#open` current. `lowestDepth` is how many containers of the start never closed. */
  #scan(): { end: number; lowestDepth: number } {
    const { text } = this;
    const { sliceChars, stringChars } = this.options;
    const open = this.#open;
    const minEnd = this.#start + sliceChars;
    let lowestDepth = open.length;
    let stringStart = 0;
    let stringEnd = 0;
    for (let index = this.#start; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit === QUOTE) {
        stringStart = index;
        index = findStringEnd(text, index);
        stringEnd = index + 1;
        if (stringEnd - stringStart > stringChars && stringEnd <= text.length)
          this.#strings.push({ start: stringStart, end: stringEnd });
      } else if (unit === COLON) {
        const container = open.at(-1);
        if (container === undefined) break;
        container.nameStart = stringStart;
        container.nameEnd = stringEnd;
        if (this.#strings.at(-1)?.start === stringStart) this.#strings.pop();
        if (open.length === 1) this.#memberStart = index + 1;
      } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
        if (open.length === MAX_DEPTH) throw tooDeep(`JSON of this size may be ${MAX_DEPTH} levels deep`);
        this.#containers += 1;
        if (this.#containers > this.options.maxContainers) throw tooManyContainers(this.options.maxContainers);
        open.push({ isArray: unit === OPEN_ARRAY, node: null, nameStart: 0, nameEnd: 0, members: 0 });
      } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
        if (open.length === 1) this.#endMember(index);
        // `JSON.parse` reports a bracket of the wrong kind, since the slice's text holds both.
        open.pop();
        lowestDepth = Math.min(lowestDepth, open.length);
      } else if (unit === COMMA && open.length > 0) {
        if (open.length === 1) this.#endMember(index);
        if (index < minEnd) continue;
        this.#checkMemberBefore(index);
        return { end: index, lowestDepth };
      }
    }
    return { end: text.length, lowestDepth };
  }

  #endMember(end: number): void {
    const [outermost] = this.#open;
    if (outermost === undefined || outermost.isArray) return;
    if (this.text.slice(outermost.nameStart, outermost.nameEnd) !== this.quotedMember) return;
    this.span = { start: this.#memberStart, end };
  }

  #findOpenNodes(lowestDepth: number): void {
    for (let depth = lowestDepth; depth < this.#open.length; depth += 1) {
      const container = this.#open[depth];
      const parent = this.#open[depth - 1];
      if (container === undefined) return;
      const node = (parent === undefined ? this.root : this.#currentMember(parent)) as OpenContainer["node"];
      container.node = node;
      container.members = container.isArray ? 0 : Object.keys(node ?? {}).length;
    }
  }

  #currentMember({ node, nameStart, nameEnd }: OpenContainer): unknown {
    if (Array.isArray(node)) return node.at(-1);
    return node?.[JSON.parse(this.text.slice(nameStart, nameEnd)) as string];
  }

  /** The slice alone would not show that nothing stands between its last bracket or comma and the comma that ends it. */
  #checkMemberBefore(comma: number): void {
    let index = comma - 1;
    while (isJsonSpace(this.text.charCodeAt(index))) index -= 1;
    const before = this.text.charCodeAt(index);
    if (before === OPEN_ARRAY || before === OPEN_OBJECT || before === COMMA) throw unexpected(",", comma);
  }

  /** The next slice alone would not show that this comma is one too many. */
  #checkNextMember(): void {
    let index = this.#start;
    while (isJsonSpace(this.text.charCodeAt(index))) index += 1;
    const next = this.text.charCodeAt(index);
    if (next === CLOSE_ARRAY || next === CLOSE_OBJECT) throw unexpected(String.fromCharCode(next), index);
  }
}

const unexpected = (found: string, position: number): SyntaxError =>
  new SyntaxError(`Unexpected '${found}' in JSON at position ${position}`);

/** A string of the text, with its quotes at `start` and before `end`. */
async function parseLongString(text: string, start: number, end: number, partChars: number): Promise<string> {
  let value = "";
  for (let at = start + 1; at < end - 1; ) {
    const cut = at + partChars >= end - 1 ? end - 1 : findCut(text, at, at + partChars);
    value += JSON.parse(`"${text.slice(at, cut)}"`) as string;
    at = cut;
    await yieldTurn();
  }
  return value;
}

/** `wanted`, or the position before the escape sequence that spans it. None spans `from`. */
function findCut(text: string, from: number, wanted: number): number {
  const near = text.slice(wanted - MAX_ESCAPE_CHARS + 1, wanted).lastIndexOf("\\");
  if (near === -1) return wanted;
  const backslash = wanted - MAX_ESCAPE_CHARS + 1 + near;
  let first = backslash;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  const isSecond = (backslash - first) % 2 === 1;
  const chars = text.charCodeAt(backslash + 1) === LETTER_U ? MAX_ESCAPE_CHARS : 2;
  return isSecond || wanted >= backslash + chars ? wanted : backslash;
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
      container.members += names.length - (isInnermost ? 0 : 1);
      if (container.members > maxMembers) throw tooManyKeys(maxMembers);
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
