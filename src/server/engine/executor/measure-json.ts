import type { ArgumentSize } from "../ports";

/**
 * Size of a payload before anything expensive sees it. Stops as soon as a cap is passed, so hostile data costs no more
 * than the cap; a cyclic object ends at the depth cap.
 */
export function measureJson(value: unknown, caps: { maxBytes: number; maxDepth: number }): ArgumentSize {
  const size: ArgumentSize = { values: 0, bytes: 0, depth: 0, unrepresentable: false };
  walk(value, 1, size, caps);
  return size;
}

function walk(value: unknown, depth: number, size: ArgumentSize, caps: { maxBytes: number; maxDepth: number }): void {
  size.values += 1;
  if (typeof value === "string") {
    size.bytes += value.length + 2;
    return;
  }
  if (typeof value !== "object" || value === null) {
    size.bytes += 1;
    if (typeof value === "number" && !Number.isFinite(value)) size.unrepresentable = true;
    return;
  }
  if (depth > size.depth) size.depth = depth;
  if (depth > caps.maxDepth) return;
  size.bytes += 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (size.bytes > caps.maxBytes || size.depth > caps.maxDepth) return;
      size.bytes += 1;
      walk(item, depth + 1, size, caps);
    }
    return;
  }
  for (const key in value) {
    if (size.bytes > caps.maxBytes || size.depth > caps.maxDepth) return;
    size.bytes += key.length + 4;
    walk((value as Record<string, unknown>)[key], depth + 1, size, caps);
  }
}
