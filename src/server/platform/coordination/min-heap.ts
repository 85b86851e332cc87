/** A binary heap: adding an item, and taking the one with the lowest rank, cost the logarithm of their number. */
export class MinHeap<T> {
  readonly #items: T[] = [];
  readonly #getRank: (item: T) => number;

  constructor(getRank: (item: T) => number) {
    this.#getRank = getRank;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    let at = this.#items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#rankAt(parent) <= this.#rankAt(at)) return;
      this.#swap(parent, at);
      at = parent;
    }
  }

  pop(): T | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (this.#items.length === 0 || last === undefined) return first;
    this.#items[0] = last;
    for (let at = 0; ; ) {
      const child = this.#findLowerChild(at);
      if (this.#rankAt(at) <= this.#rankAt(child)) return first;
      this.#swap(at, child);
      at = child;
    }
  }

  #findLowerChild(at: number): number {
    const left = 2 * at + 1;
    return this.#rankAt(left + 1) < this.#rankAt(left) ? left + 1 : left;
  }

  /** The rank at an index; infinite beyond the end. */
  #rankAt(at: number): number {
    const item = this.#items[at];
    return item === undefined ? Number.POSITIVE_INFINITY : this.#getRank(item);
  }

  #swap(one: number, other: number): void {
    const item = this.#items[one] as T;
    this.#items[one] = this.#items[other] as T;
    this.#items[other] = item;
  }
}
