/** Keeps the newest `capacity` items; adding takes constant time. */
export class RingBuffer<Item> {
  readonly #items: Item[] = [];
  readonly #capacity: number;
  #oldest = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(item: Item): void {
    if (this.#items.length < this.#capacity) this.#items.push(item);
    else {
      this.#items[this.#oldest] = item;
      this.#oldest = (this.#oldest + 1) % this.#capacity;
    }
  }

  /** Oldest first. */
  list(): Item[] {
    return [...this.#items.slice(this.#oldest), ...this.#items.slice(0, this.#oldest)];
  }
}
