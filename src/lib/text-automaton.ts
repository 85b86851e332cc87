/** A part of a text that is equal to one of the searched texts. */
export interface FoundSpan {
  start: number;
  end: number;
  form: string;
}

/** Counts what a search does, so that it can be bounded. */
export interface SearchWork {
  steps: number;
}

const NO_EDGE = -1;

/**
 * Finds many texts at once (Aho-Corasick): linear in the text, however the searched texts repeat themselves or each other.
 * Takes 13 bytes for each character of the searched texts.
 */
export class TextAutomaton {
  readonly #forms: readonly string[];
  /** By state: the character that leads to the next state by number; most states have only this edge. */
  readonly #edges: Int32Array;
  /** By state: whether it has other edges. */
  readonly #isBranching: Uint8Array;
  readonly #branches: BranchTable;
  /** By state: the state of its longest proper suffix. */
  readonly #suffixes: Int32Array;
  /** By state: the number of the longest form that ends there, counted from 1. */
  readonly #ends: Int32Array;
  #states = 1;

  /** @param forms distinct and not empty */
  constructor(forms: readonly string[]) {
    this.#forms = forms;
    const most = forms.reduce((sum, { length }) => sum + length, 1);
    this.#edges = new Int32Array(most).fill(NO_EDGE);
    this.#isBranching = new Uint8Array(most);
    // Each form leaves the tree of the forms before it at one position only.
    this.#branches = new BranchTable(forms.length);
    this.#suffixes = new Int32Array(most);
    this.#ends = new Int32Array(most);
    for (const [index, form] of forms.entries()) this.#ends[this.#addForm(form)] = index + 1;
    this.#linkSuffixes();
  }

  /** Appends spans that begin at `from` or later, in order; overlapping ones are merged. */
  find(text: string, from: number, spans: FoundSpan[], work: SearchWork): void {
    const edges = this.#edges;
    const suffixes = this.#suffixes;
    const ends = this.#ends;
    const isBranching = this.#isBranching;
    let state = 0;
    let steps = 0;
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      for (;;) {
        steps += 1;
        if (edges[state] === code) {
          state += 1;
          break;
        }
        const next = isBranching[state] === 1 ? this.#branches.get(state, code) : 0;
        if (next !== 0 || state === 0) {
          state = next;
          break;
        }
        state = suffixes[state] as number;
      }
      const end = ends[state] as number;
      if (end !== 0) appendByEnd(spans, at + 1, this.#forms[end - 1] as string);
    }
    work.steps += steps;
  }

  /** @returns 0 where no edge has the character */
  #follow(state: number, code: number): number {
    if (this.#edges[state] === code) return state + 1;
    return this.#isBranching[state] === 1 ? this.#branches.get(state, code) : 0;
  }

  /** @returns the state at its end */
  #addForm(form: string): number {
    let state = 0;
    for (let at = 0; at < form.length; at += 1) {
      const code = form.charCodeAt(at);
      state = this.#follow(state, code) || this.#addState(state, code);
    }
    return state;
  }

  #addState(from: number, code: number): number {
    const added = this.#states;
    this.#states += 1;
    if (added === from + 1) {
      this.#edges[from] = code;
    } else {
      this.#isBranching[from] = 1;
      this.#branches.add(from, code, added);
    }
    return added;
  }

  /** Links breadth first, since each suffix is shorter than its form. */
  #linkSuffixes(): void {
    const queue = new Int32Array(this.#states);
    const branches = this.#branches.listByState();
    let queued = 1;
    const visit = (from: number, code: number, next: number): void => {
      if (from !== 0) this.#linkSuffix(from, code, next);
      queue[queued] = next;
      queued += 1;
    };
    for (let read = 0; read < queued; read += 1) {
      const state = queue[read] as number;
      const edge = this.#edges[state] as number;
      if (edge !== NO_EDGE) visit(state, edge, state + 1);
      if (this.#isBranching[state] !== 1) continue;
      for (const { code, next } of branches.get(state) ?? []) visit(state, code, next);
    }
  }

  #linkSuffix(from: number, code: number, state: number): void {
    let suffix = this.#suffixes[from] as number;
    let next = this.#follow(suffix, code);
    while (next === 0 && suffix !== 0) {
      suffix = this.#suffixes[suffix] as number;
      next = this.#follow(suffix, code);
    }
    this.#suffixes[state] = next;
    if (this.#ends[state] === 0) this.#ends[state] = this.#ends[next] as number;
  }
}

interface Branch {
  code: number;
  next: number;
}

/** A hash table with open addressing, twice as large as its entries. */
class BranchTable {
  readonly #mask: number;
  readonly #states: Int32Array;
  readonly #codes: Uint16Array;
  /** 0 where an entry is free. */
  readonly #nexts: Int32Array;

  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(most * 2 + 2));
    this.#mask = size - 1;
    this.#states = new Int32Array(size);
    this.#codes = new Uint16Array(size);
    this.#nexts = new Int32Array(size);
  }

  add(state: number, code: number, next: number): void {
    let at = this.#hash(state, code);
    while (this.#nexts[at] !== 0) at = (at + 1) & this.#mask;
    this.#states[at] = state;
    this.#codes[at] = code;
    this.#nexts[at] = next;
  }

  /** @returns the next state; 0 for none */
  get(state: number, code: number): number {
    for (let at = this.#hash(state, code); ; at = (at + 1) & this.#mask) {
      const next = this.#nexts[at] as number;
      if (next === 0 || (this.#states[at] === state && this.#codes[at] === code)) return next;
    }
  }

  listByState(): Map<number, Branch[]> {
    const branches = new Map<number, Branch[]>();
    for (const [at, next] of this.#nexts.entries()) {
      if (next === 0) continue;
      const branch = { code: this.#codes[at] as number, next };
      const others = branches.get(this.#states[at] as number);
      if (others === undefined) branches.set(this.#states[at] as number, [branch]);
      else others.push(branch);
    }
    return branches;
  }

  #hash(state: number, code: number): number {
    const mixed = Math.imul(Math.imul(state, 0x9e3779b1) ^ code, 0x85ebca6b);
    return (mixed ^ (mixed >>> 15)) & this.#mask;
  }
}

/** Appends a form that ends after all others; spans that it overlaps become one with it, named by the earliest form. */
function appendByEnd(spans: FoundSpan[], end: number, form: string): void {
  const start = end - form.length;
  let last = spans.at(-1);
  if (last === undefined || last.end <= start) {
    spans.push({ start, end, form });
    return;
  }
  for (let before = spans.at(-2); before !== undefined && before.end > start; before = spans.at(-2)) {
    spans.pop();
    last = before;
  }
  last.end = end;
  if (last.start < start) return;
  last.start = start;
  last.form = form;
}
