import { type HostPolicy, isAllowedHost, parseHostname } from "./host-policy";

export interface GuardedRequest {
  method: string;
  pathname: string;
  /** The headers as they came, null where absent. */
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

/** Where another site may send a user: what happens there is bound to a value that only the user's browser has. */
const LINKED = /^\/api\/auth\/(?:oauth2\/authorize|callback\/oidc)$/;

function judgeApiCall(request: GuardedRequest, policy: HostPolicy): Verdict {
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
  return request.pathname === "/api" || request.pathname.startsWith("/api/") ? judgeApiCall(request, policy) : ALLOWED;
}
