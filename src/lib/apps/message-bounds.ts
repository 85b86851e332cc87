import { isPlainObject } from "../contract/json";

const MAX_CHARS = 1_000_000;
const MAX_VALUES = 50_000;

/**
 * Whether a value that another window posted is JSON within the limits. What may be posted can hold cycles, buffers and
 * maps, so it is walked under the limits before anything else looks at it.
 */
export function isBoundedJson(value: unknown, maxChars = MAX_CHARS, maxValues = MAX_VALUES): boolean {
  const open: unknown[] = [value];
  let chars = 0;
  for (let values = 0; open.length > 0; values += 1) {
    if (values > maxValues || chars > maxChars) return false;
    const each = open.pop();
    if (typeof each === "string") chars += each.length;
    else if (Array.isArray(each)) {
      if (each.length > maxValues) return false;
      open.push(...each.slice(0, maxValues));
    } else if (isPlainObject(each)) {
      for (const key in each) {
        chars += key.length;
        open.push(each[key]);
        if (open.length > maxValues) return false;
      }
    } else if (each !== null && each !== undefined && typeof each !== "number" && typeof each !== "boolean")
      return false;
  }
  return chars <= maxChars;
}

/** Allows a burst of events, and then a number per second. */
export class Allowance {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(burst: number, perSecond: number, now: () => number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = burst;
    this.#at = now();
  }

  /** False once it is used up. */
  take(): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
