// Plain JavaScript: a worker thread loads this file directly, while the server bundles it.

/**
 * Keeps the most recently used values, bounded by their number and by the sum of the sizes that they are said to have.
 * @template Value
 */
export class BoundedCache {
  /** @type {Map<string, { value: Value, size: number }>} */
  #entries = new Map();
  #size = 0;
  #maxEntries;
  #maxSize;

  /** @param {{ maxEntries: number, maxSize: number }} bounds */
  constructor({ maxEntries, maxSize }) {
    this.#maxEntries = maxEntries;
    this.#maxSize = maxSize;
  }

  get count() {
    return this.#entries.size;
  }

  get size() {
    return this.#size;
  }

  /** @param {string} key @returns {Value | undefined} */
  get(key) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** The newest value stays, whatever its size. @param {string} key @param {Value} value @param {number} size */
  set(key, value, size) {
    this.#remove(key);
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (oldest === key || (this.#entries.size <= this.#maxEntries && this.#size <= this.#maxSize)) return;
      this.#remove(oldest);
    }
  }

  /** @param {string} key */
  #remove(key) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }
}
