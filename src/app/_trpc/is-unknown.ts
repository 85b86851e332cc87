const UNKNOWN_CODES = new Set<unknown>(["NOT_FOUND", "BAD_REQUEST"]);

/**
 * Whether the error reports an id that is unknown or invalid. Compares the code: each bundle of a process has its own
 * copy of a class.
 */
export function isUnknown(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && UNKNOWN_CODES.has(error.code);
}
