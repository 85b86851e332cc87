/** The host names of this server. Any other name may point here through a foreign DNS server (DNS rebinding). */
export interface HostPolicy {
  /** Names from HOST, TOOLROOM_ALLOWED_HOSTS and TOOLROOM_PUBLIC_URL; loopback names need no entry. */
  readonly names: ReadonlySet<string>;
  /** The public names without HOST and loopback names: valid origins of pages on any port. */
  readonly publicNames: ReadonlySet<string>;
}

const LOOPBACK_IPV4 = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;
/** Addresses to listen on that are not host names. */
const EVERY_ADDRESS = new Set(["0.0.0.0", "::", "0000:0000:0000:0000:0000:0000:0000:0000"]);

/**
 * The host name of a `Host` header or of an entry in the list, without port, brackets and the root's dot, in lower
 * case; null when the text is not a plain `name`, `name:port`, `[v6]` or `[v6]:port`.
 */
export function parseHostname(authority: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(authority.trim());
  const name = (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, "");
  return name === undefined || name === "" ? null : name;
}

/** Names that no foreign DNS server can point at this machine. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || LOOPBACK_IPV4.test(name);
}

/** Whether only this machine reaches a server on `host`, the value of `HOST`. */
export function listensOnLoopback(host: string): boolean {
  return isLoopbackName(host.replace(/[[\]]/g, "").toLowerCase());
}

function namesIn(authorities: string[]): string[] {
  return authorities.map(parseHostname).filter((name): name is string => name !== null && !EVERY_ADDRESS.has(name));
}

export interface HostSettings {
  /** The address on which the server listens. */
  host?: string | undefined;
  /** Further names, comma-separated. */
  allowedHosts?: string | undefined;
  /** The address at which users reach the server; its name needs no entry in the list. */
  publicUrl?: string | null | undefined;
}

export function createHostPolicy({ host, allowedHosts, publicUrl }: HostSettings = {}): HostPolicy {
  const listening = host?.includes(":") ? `[${host.replace(/[[\]]/g, "")}]` : (host ?? "");
  const listed = namesIn((allowedHosts ?? "").split(","));
  if (publicUrl) listed.push(...namesIn([new URL(publicUrl).host]));
  return {
    names: new Set([...namesIn([listening]), ...listed]),
    publicNames: new Set(listed.filter((name) => !isLoopbackName(name))),
  };
}

export function isAllowedHost(hostHeader: string | null, policy: HostPolicy): boolean {
  const name = hostHeader === null ? null : parseHostname(hostHeader);
  return name !== null && (isLoopbackName(name) || policy.names.has(name));
}

export interface GuardedRequest {
  method: string;
  pathname: string;
  /** The headers as received, null where absent. */
  host: string | null;
  origin: string | null;
  secFetchSite: string | null;
  contentType: string | null;
}

export type Verdict = { allowed: true } | { allowed: false; status: 403 | 415 | 421; message: string };

const ALLOWED: Verdict = { allowed: true };

/** Names are untrusted: only plain characters go into a message. */
function quoted(name: string | null): string {
  return name === null ? "no name" : `"${name.replace(/[^\w.:[\]-]/g, "?").slice(0, 100)}"`;
}

function parseAuthority(origin: string): string | null {
  try {
    return new URL(origin).host || null;
  } catch {
    return null;
  }
}

/**
 * A page may call the API of its own server. Another port of this machine is another program, so a loopback origin must
 * equal the called address; a configured name is trusted on any port, since a proxy may listen on another one.
 */
function isOwnOrigin(origin: string, host: string | null, policy: HostPolicy): boolean {
  const authority = parseAuthority(origin);
  if (authority === null) return false;
  if (authority === host?.trim().toLowerCase().replace(/:80$/, "")) return true;
  const name = parseHostname(authority);
  return name !== null && policy.publicNames.has(name);
}

/** The paths to which another site may send a user: they need a value that only the user's browser has. */
const LINKED = /^\/api\/auth\/(?:oauth2\/authorize|callback\/oidc)$/;

function checkApiCall(request: GuardedRequest, policy: HostPolicy): Verdict {
  if (request.method === "GET" && LINKED.test(request.pathname)) return ALLOWED;
  if (request.secFetchSite === "cross-site") {
    return { allowed: false, status: 403, message: "Calls from another site's pages are refused." };
  }
  if (request.origin !== null && !isOwnOrigin(request.origin, request.host, policy)) {
    const origin = quoted(parseAuthority(request.origin));
    return {
      allowed: false,
      status: 403,
      message: `Calls from pages of ${origin} are refused. If that is this server's public name, set TOOLROOM_PUBLIC_URL or add it to TOOLROOM_ALLOWED_HOSTS, and restart.`,
    };
  }
  // A form of a foreign page can post text, but JSON only after a preflight request.
  const needsJson = request.method === "POST" && /^\/api\/trpc(\/|$)/.test(request.pathname);
  if (needsJson && !/^application\/json\s*(;|$)/i.test(request.contentType ?? "")) {
    return { allowed: false, status: 415, message: "The body must be JSON, with content-type: application/json." };
  }
  return ALLOWED;
}

/** Decides whether a request may reach the application, before its body is read. */
export function guardRequest(request: GuardedRequest, policy: HostPolicy): Verdict {
  if (!isAllowedHost(request.host, policy)) {
    return {
      allowed: false,
      status: 421,
      message: `This server does not answer to ${quoted(request.host)}. To reach it by that name, set TOOLROOM_PUBLIC_URL or add it to TOOLROOM_ALLOWED_HOSTS (comma-separated), and restart.`,
    };
  }
  return request.pathname === "/api" || request.pathname.startsWith("/api/") ? checkApiCall(request, policy) : ALLOWED;
}

/** A request as Node has it. */
interface IncomingRequest {
  method?: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The guard of API calls outside of Next: allowed host names, and no foreign pages. */
export function checkIncomingRequest({ method, headers }: IncomingRequest, policy: HostPolicy): Verdict {
  const single = (value: string | string[] | undefined): string | null =>
    (Array.isArray(value) ? value.join(",") : value) ?? null;
  return guardRequest(
    {
      method: method ?? "GET",
      // The guard's name for everything that a foreign page must not call.
      pathname: "/api",
      host: single(headers.host),
      origin: single(headers.origin),
      secFetchSite: single(headers["sec-fetch-site"]),
      contentType: single(headers["content-type"]),
    },
    policy,
  );
}
