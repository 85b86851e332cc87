/** Set by the server for every request; what a client sends under this name is replaced. */
export const CLIENT_HEADER = "x-toolroom-peer";

/** An API token of a client whose `Authorization` belongs to a proxy. */
export const TOKEN_HEADER = "x-toolroom-token";

/** Set by the stdio bridge on the requests that it forwards. */
export const STDIO_HEADER = "toolroom-stdio";

/** The client's address, behind trusted proxies too; `unknown` where the server did not say (`next dev`). */
export function getClientAddress(headers: RequestHeaders): string {
  return headers.get(CLIENT_HEADER) || "unknown";
}

/** Whether a request has a token, as those of programs do. */
export function hasToken(headers: RequestHeaders): boolean {
  return headers.get(TOKEN_HEADER) !== null || /^bearer\b/i.test(headers.get("authorization") ?? "");
}

/** `Headers` of a request, or the same of `node:http`. */
export interface RequestHeaders {
  get(name: string): string | null;
}

/** @param request a request of `node:http` */
export function toHeaders({ headers }: { headers: Record<string, string | string[] | undefined> }): RequestHeaders {
  return {
    get(name) {
      const value = headers[name];
      return (Array.isArray(value) ? value.join("; ") : value) ?? null;
    },
  };
}

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
