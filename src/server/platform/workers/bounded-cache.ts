/**
 * Keeps the most recently used values, bounded by their number and by the sum of the sizes that they are said to have.
 */
export class BoundedCache<Value> {
  #entries: Map<string, { value: Value; size: number }> = new Map();
  #size = 0;
  #maxEntries;
  #maxSize;

  constructor({ maxEntries, maxSize }: { maxEntries: number; maxSize: number }) {
    this.#maxEntries = maxEntries;
    this.#maxSize = maxSize;
  }

  get count() {
    return this.#entries.size;
  }

  get size() {
    return this.#size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** The newest value stays, regardless of its size. */
  set(key: string, value: Value, size: number) {
    this.#remove(key);
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (oldest === key || (this.#entries.size <= this.#maxEntries && this.#size <= this.#maxSize)) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }
}
