/** Set by `announceBasePath` of scripts/base-path.mjs. */
const KEY = Symbol.for("toolroom.base-path");

/** The path that Toolroom is served under, such as `/toolroom`; empty at the root. In the browser the document has it. */
export function getBasePath(): string {
  if (typeof document !== "undefined") return document.documentElement.dataset.basePath ?? "";
  return (globalThis as { [KEY]?: string })[KEY] ?? "";
}

/** The address of a path of this server: for `fetch` and the like. `Link` and the router add the base path themselves. */
export const toAddress = (path: string): string => getBasePath() + path;

/** The path that an address of this server has at the root. */
export function toOwnPath(pathname: string): string {
  const basePath = getBasePath();
  const rest = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : pathname;
  return rest.startsWith("/") || rest === "" ? rest || "/" : pathname;
}

/** Where the page's own Toolroom is reached, without a slash at the end. Only in the browser. */
export const getConsoleAddress = (): string => window.location.origin + getBasePath();

/** A name of stored values that another Toolroom on the same host does not use. */
export const toStorageName = (name: string): string => name + encodeURIComponent(getBasePath());
