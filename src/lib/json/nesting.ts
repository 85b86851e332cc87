/**
 * Values that are nested deeper are not written as JSON. Counted, since engines differ: `JSON.stringify` overflows the stack at some 4,000 levels in
 * Node 20 and writes any depth in Node 26, and `structuredClone` overflows at 2,300 levels.
 */
export const MAX_JSON_LEVELS = 1000;

/** Whether arrays and objects of a JSON value are nested more than `levels` deep. Reads one level after the other, so its own stack stays flat. */
export function isNestedDeeperThan(value: unknown, levels: number): boolean {
  let level = isContainer(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    const next: object[] = [];
    for (const container of level) {
      for (const part of Object.values(container)) if (isContainer(part)) next.push(part);
    }
    level = next;
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * The JSON text of a value; undefined for what JSON has no text for, such as a function.
 * @param replacer as for `JSON.stringify`
 * @throws RangeError for a value that is nested deeper than MAX_JSON_LEVELS
 */
export function writeJson(value: unknown, replacer?: (key: string, value: unknown) => unknown): string | undefined {
  assertJsonDepth(value);
  return JSON.stringify(value, replacer) as string | undefined;
}

/** @throws RangeError for a value that is nested deeper than MAX_JSON_LEVELS */
export function assertJsonDepth(value: unknown): void {
  if (isNestedDeeperThan(value, MAX_JSON_LEVELS)) {
    throw new RangeError(`the value is nested deeper than ${MAX_JSON_LEVELS} levels`);
  }
}
