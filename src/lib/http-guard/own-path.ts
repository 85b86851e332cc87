/** The base for relative addresses, which no server has: an address that resolves to another origin leads away. */
const BASE = "http://own.invalid";
const MAX_CHARS = 4000;
/** Browsers read a backslash as a slash, and drop control characters. */
const UNSAFE = /[\\\p{Cc}\p{Cf}\s]/u;

/**
 * The path of this server that a text leads to, as a browser resolves it; null for anything else. A resolved path may begin
 * with two slashes, as that of `/..//host` does: given to a browser again, it would lead to that host.
 */
export function resolveOwnPath(to: unknown): string | null {
  if (typeof to !== "string" || to.length > MAX_CHARS || !to.startsWith("/") || UNSAFE.test(to)) return null;
  if (!URL.canParse(to, BASE)) return null;
  const { origin, pathname, search, hash } = new URL(to, BASE);
  if (origin !== BASE || pathname.startsWith("//")) return null;
  return `${pathname}${search}${hash}`;
}
