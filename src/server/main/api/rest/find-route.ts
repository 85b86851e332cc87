import type { Route } from "../../../platform/api/route";
import { AppError } from "../../../platform/shared/app-error";

export interface FoundPath {
  /** By method. */
  routes: Map<string, Route>;
  params: Record<string, string>;
}

/** The routes of a path; null where there is none. @throws AppError for a parameter that is not UTF-8 */
export function findPath(routes: readonly Route[], path: string): FoundPath | null {
  const given = path.split("/");
  const found: FoundPath = { routes: new Map(), params: {} };
  for (const route of routes) {
    const wanted = route.path.split("/");
    if (wanted.length !== given.length || found.routes.has(route.method)) continue;
    const params = matchParts(wanted, given);
    if (params === null) continue;
    found.routes.set(route.method, route);
    found.params = params;
  }
  return found.routes.size === 0 ? null : found;
}

function matchParts(wanted: readonly string[], given: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  const fits = wanted.every((part, index) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) return part === given[index];
    params[name] = decode(given[index] ?? "");
    return params[name] !== "";
  });
  return fits ? params : null;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new AppError("INVALID", "The path is not valid: a % must be followed by the two digits of a UTF-8 byte");
  }
}

/** For the `Allow` header: GET answers HEAD too. */
export function allowedMethods({ routes }: Pick<FoundPath, "routes">): string {
  const methods = [...routes.keys()];
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}
