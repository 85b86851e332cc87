import type { RequestHeaders } from "./request-headers";

/** The user that a trusted proxy names, as its headers have them. */
export interface ProxyUser {
  name: string;
  /** The values of the header with groups; empty without one. */
  groups: string[];
}

/** Set by the server for every request, or removed from it. */
export const PROXY_USER_HEADER = "x-toolroom-proxy-user";

const HOLDER = globalThis as { toolroomProxyKey?: string };

/** Known in this process alone, and to all of its bundles: a header that a client sends has none. */
function getKey(): string {
  HOLDER.toolroomProxyKey ??= crypto.randomUUID();
  return HOLDER.toolroomProxyKey;
}

export function writeProxyUser(headers: Record<string, string | string[] | undefined>, user: ProxyUser | null): void {
  if (user === null) delete headers[PROXY_USER_HEADER];
  else headers[PROXY_USER_HEADER] = `${getKey()} ${encodeURIComponent(JSON.stringify(user))}`;
}

export function readProxyUser(headers: RequestHeaders): ProxyUser | null {
  const [key, text, more] = headers.get(PROXY_USER_HEADER)?.split(" ") ?? [];
  if (key !== getKey() || text === undefined || more !== undefined) return null;
  return JSON.parse(decodeURIComponent(text)) as ProxyUser;
}
