const UNKNOWN_CODES = new Set<unknown>(["NOT_FOUND", "BAD_REQUEST"]);

/** An id that names nothing, or is no id at all. By its code: bundles of one process have their own copies of a class. */
export function isUnknown(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && UNKNOWN_CODES.has(error.code);
}
