import { isPlainObject } from "../contract/json";

const NO_KEYS: ReadonlySet<string> = new Set();

/**
 * Whether two JSON values are equal, regardless of the order of their keys. A value that is nested some thousand levels
 * deep equals nothing.
 * @param doubtful keys whose objects always differ
 */
export function equalJson(one: unknown, other: unknown, doubtful: ReadonlySet<string> = NO_KEYS): boolean {
  try {
    return areEqual(one, other, doubtful);
  } catch {
    return false;
  }
}

function areEqual(one: unknown, other: unknown, doubtful: ReadonlySet<string>): boolean {
  if (one === other && (typeof one !== "object" || doubtful.size === 0)) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => areEqual(item, other[index], doubtful))
    );
  }
  if (one === null || !isPlainObject(one) || !isPlainObject(other)) return one === other;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) => !doubtful.has(key) && Object.hasOwn(other, key) && areEqual(one[key], other[key], doubtful),
  );
}
