import { findStringEnd } from "./json/json-text";
import { type FoundSpan, type SearchWork, TextAutomaton } from "./text-automaton";

/** Lists the forms of a secret in a text: plain, and as encoded in JSON, in JSON inside JSON, in a URL and in a form. */
export function secretForms(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inForm = new URLSearchParams({ "": secret }).toString().slice(1);
  return [...new Set([secret, inJson, JSON.stringify(inJson).slice(1, -1), encodeSafely(secret), inForm])];
}

export interface SecretSpan extends FoundSpan {
  /** The rest of the text, which could not be searched. */
  isRest?: true;
}

/** Pairs of characters are compared first. */
const PAIR = 2;
const TABLE = 65_536;
/** The beginning of a form, which is compared first. */
const HEAD_CHARS = 64;
/** Beyond so many steps for each character of a text, the text repeats itself as the forms do, and the automaton reads on. */
const STEPS_PER_CHAR = 4;
const FREE_STEPS = 4_096;
/** Forms of more characters take too much memory and time: what the direct search leaves of a text counts as found. */
const MAX_AUTOMATON_CHARS = 1_000_000;
/** Texts that can stand outside a string in JSON: numbers, literals, punctuation. */
const OUTSIDE_STRINGS = /^[\s\d+\-.eE,:{}[\]truefalsn]+$/;
const NUMBER_PART = /[\d+\-.eE]/;

/**
 * Finds many texts at once (Wu-Manber): the last pair of a window gives the distance to the next possible match, so
 * that a text is read in steps of almost the shortest form's length. Comparisons are counted: a text with too many is
 * read by an automaton, which takes linear time for any forms.
 */
export class SecretMatcher {
  readonly replacements: ReadonlyMap<string, string>;
  readonly #shortest: number;
  readonly #shifts: Uint8Array;
  /** Candidates by the pair that ends the first `#shortest` characters; longest first. */
  readonly #candidates = new Map<number, Candidate[]>();
  readonly #inJson: SecretMatcher | null;
  #automaton: TextAutomaton | null = null;
  /** Length of the longest form. */
  readonly longest: number;
  readonly #chars: number;

  /** @param replacements by form, each of two characters or more; safe inside a JSON string */
  constructor(replacements: ReadonlyMap<string, string>, isForJson = false) {
    this.replacements = replacements;
    const forms = [...replacements.keys()].sort((one, other) => other.length - one.length);
    this.longest = forms[0]?.length ?? 0;
    this.#chars = forms.reduce((sum, { length }) => sum + length, 0);
    this.#shortest = Math.min(forms.at(-1)?.length ?? 0, 255);
    this.#shifts = new Uint8Array(TABLE).fill(Math.max(0, this.#shortest - PAIR + 1));
    for (const form of forms) this.#add(form);
    const jsonForms = isForJson ? forms : forms.filter(isJsonContent);
    this.#inJson =
      jsonForms.length === forms.length
        ? null
        : new SecretMatcher(new Map(jsonForms.map((form) => [form, replacements.get(form) ?? ""])), true);
  }

  #add(form: string): void {
    for (let at = PAIR; at <= this.#shortest; at += 1) {
      const pair = pairAt(form, at - 1);
      const shift = this.#shortest - at;
      if (shift < (this.#shifts[pair] ?? 0)) this.#shifts[pair] = shift;
      if (shift > 0) continue;
      const candidate = { form, head: form.slice(0, HEAD_CHARS) };
      const others = this.#candidates.get(pair);
      if (others === undefined) this.#candidates.set(pair, [candidate]);
      else others.push(candidate);
    }
  }

  /** The found secrets in order; overlapping ones are merged. */
  find(text: string, work: SearchWork = { steps: 0 }): SecretSpan[] {
    const spans: SecretSpan[] = [];
    if (this.#shortest < PAIR) return spans;
    const limit = work.steps + FREE_STEPS + text.length * STEPS_PER_CHAR;
    for (let at = this.#shortest - 1; at < text.length; ) {
      const pair = pairAt(text, at);
      const shift = this.#shifts[pair] ?? 0;
      work.steps += 1;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at - this.#shortest + 1;
      if (work.steps > limit) {
        this.#findRest(text, start, spans, work);
        return spans;
      }
      const form = findForm(this.#candidates.get(pair) ?? [], text, start, work, limit);
      if (form === null) continue;
      if (form !== undefined) mergeSpan(spans, { start, end: start + form.length, form });
      at += 1;
    }
    return spans;
  }

  #findRest(text: string, from: number, spans: SecretSpan[], work: SearchWork): void {
    if (this.#chars > MAX_AUTOMATON_CHARS) {
      const [form = ""] = this.replacements.keys();
      spans.push({ start: Math.max(from, spans.at(-1)?.end ?? 0), end: text.length, form, isRest: true });
      return;
    }
    this.#automaton ??= new TextAutomaton([...this.replacements.keys()]);
    this.#automaton.find(text, from, spans, work);
  }

  /** @param isCut the text continues elsewhere: the beginning of a secret at its end is left out too */
  replace(text: string, isCut = false): string {
    const whole = this.#splice(text, this.find(text), ({ form }) => this.replacements.get(form) ?? "");
    return isCut ? whole.slice(0, whole.length - this.#begunAtEnd(whole)) : whole;
  }

  /** Replaces in valid JSON text, which stays valid: inside strings, and numbers that are equal to a form. */
  replaceInJson(text: string): string {
    if (this.#inJson !== null) return this.#inJson.replaceInJson(text);
    const spans = this.find(text);
    const last = spans.at(-1);
    if (last?.isRest === true) return JSON.stringify(this.replacements.get(last.form));
    const found = spans.filter(({ start }) => !isInsideEscape(text, start));
    if (found.length === 0) return text;
    const strings = new StringRanges(text);
    const outside = new Set<SecretSpan>();
    const replaceable = found.filter((span) => {
      if (!OUTSIDE_STRINGS.test(span.form) || strings.contains(span.start)) return true;
      outside.add(span);
      return isWholeNumber(text, span);
    });
    return this.#splice(text, replaceable, (span) => {
      const replacement = this.replacements.get(span.form) ?? "";
      return outside.has(span) ? `"${replacement}"` : replacement;
    });
  }

  /** A copy of a JSON value with the secrets replaced; the value itself where nothing is found. */
  replaceInValue<T>(value: T): T {
    // Undefined and functions have no JSON text.
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return value;
    const replaced = this.replaceInJson(text);
    return replaced === text ? value : (JSON.parse(replaced) as T);
  }

  #splice(text: string, spans: readonly SecretSpan[], getReplacement: (span: SecretSpan) => string): string {
    if (spans.length === 0) return text;
    const parts: string[] = [];
    let at = 0;
    for (const span of spans) {
      parts.push(text.slice(at, span.start), getReplacement(span));
      at = span.end;
    }
    parts.push(text.slice(at));
    return parts.join("");
  }

  /** Characters at the end of a text that are the beginning of a form. */
  #begunAtEnd(text: string): number {
    let begun = 0;
    for (const form of this.replacements.keys()) begun = Math.max(begun, measureBeginning(form, text));
    return begun;
  }
}

interface Candidate {
  form: string;
  head: string;
}

/** @returns the longest form at `start`; undefined where there is none, null where the search needed more steps */
function findForm(
  candidates: readonly Candidate[],
  text: string,
  start: number,
  work: SearchWork,
  limit: number,
): string | undefined | null {
  for (const { form, head } of candidates) {
    work.steps += HEAD_CHARS / 4;
    if (!text.startsWith(head, start)) continue;
    work.steps += Math.min(form.length, text.length - start);
    if (work.steps > limit) return null;
    if (text.startsWith(form, start)) return form;
  }
  return work.steps > limit ? null : undefined;
}

/** The longest end of a text that is the beginning of a form, and not all of it (Knuth-Morris-Pratt). */
function measureBeginning(form: string, text: string): number {
  const most = Math.min(form.length - 1, text.length);
  const borders = new Int32Array(most + 1);
  let border = 0;
  for (let at = 1; at < most; at += 1) {
    border = extendBorder(form, borders, border, form.charCodeAt(at));
    borders[at + 1] = border;
  }
  let begun = 0;
  for (let at = text.length - most; at < text.length; at += 1) {
    begun = extendBorder(form, borders, begun, text.charCodeAt(at));
  }
  return begun;
}

function extendBorder(form: string, borders: Int32Array, border: number, code: number): number {
  let length = border;
  while (length > 0 && form.charCodeAt(length) !== code) length = borders[length] ?? 0;
  return form.charCodeAt(length) === code ? length + 1 : length;
}

/** Appends a span, or extends the last one that it overlaps. */
export function mergeSpan(spans: SecretSpan[], span: SecretSpan): void {
  const last = spans.at(-1);
  if (last === undefined || span.start >= last.end) spans.push(span);
  else last.end = Math.max(last.end, span.end);
}

/** Combines the characters before and at a position. */
function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at - 1) * 31 + text.charCodeAt(at)) & (TABLE - 1);
}

/** Whether it can stand between two quotes of a JSON text, beginning and ending with whole characters. */
function isJsonContent(form: string): boolean {
  try {
    JSON.parse(`"${form}"`);
    return true;
  } catch {
    return false;
  }
}

/** A match that begins after the backslash of an escape does not count: `\nabc` is not "nabc". */
function isInsideEscape(text: string, start: number): boolean {
  for (let back = 1; back <= 5; back += 1) {
    if (text[start - back] !== "\\" || !isEscaping(text, start - back)) continue;
    return back === 1 || text[start - back + 1] === "u";
  }
  return false;
}

function isEscaping(text: string, backslash: number): boolean {
  let before = 0;
  while (text[backslash - 1 - before] === "\\") before += 1;
  return before % 2 === 0;
}

function isWholeNumber(text: string, { start, end }: SecretSpan): boolean {
  return (
    !NUMBER_PART.test(text[start - 1] ?? "") && !NUMBER_PART.test(text[end] ?? "") && isNumber(text.slice(start, end))
  );
}

const isNumber = (text: string): boolean => /^-?\d[\d.eE+-]*$/.test(text);

/** Finds the strings of a JSON text for positions in ascending order. */
class StringRanges {
  #start: number;
  #end: number;

  constructor(private readonly text: string) {
    this.#start = text.indexOf('"');
    this.#end = this.#start < 0 ? 0 : findStringEnd(text, this.#start);
  }

  contains(position: number): boolean {
    while (this.#start >= 0 && this.#end <= position) {
      this.#start = this.text.indexOf('"', this.#end);
      if (this.#start >= 0) this.#end = findStringEnd(this.text, this.#start);
    }
    return this.#start >= 0 && this.#start < position;
  }
}

function encodeSafely(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // A lone surrogate cannot be encoded.
    return text;
  }
}
