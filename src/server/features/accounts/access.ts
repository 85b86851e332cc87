import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import type { AuditDoor, RequestOrigin } from "../../../lib/contract/audit";
import { CLIENT_HEADER, type RequestHeaders } from "../../../lib/http-guard/request-headers";
import type { RequestQuota } from "../../platform/shared/rate-limiter";
import type { OnAccessChange } from "../../platform/shared/watch-reader";

/** Identifies the caller of a request. */
export interface Access {
  /** Whether users have accounts; otherwise everyone is the local owner. */
  readonly accounts: boolean;
  /**
   * Authenticates by the token in `X-Toolroom-Token` or `Authorization: Bearer`, else by the user that a trusted proxy
   * names, else by the session cookie. A token that is refused leaves an entry in the audit log.
   * @param door how the request came in; a program's by default
   * @param path the path of the gateway, which alone accepts the tokens of MCP clients
   * @returns null when the request is not authenticated
   * @throws AppError with the code UNAUTHENTICATED for a token that is wrong, expired or revoked
   */
  authenticate(headers: RequestHeaders, door?: AuditDoor, path?: string): Promise<Principal | null>;
  /**
   * Authenticates like `authenticate`, and counts the request for the rate limits. Each door calls it once for each
   * request from outside.
   * @throws AppError also with the code TOO_MANY_REQUESTS
   */
  enter(headers: RequestHeaders, door?: AuditDoor, path?: string): Promise<Principal | null>;
  /** What remains of the limit that a request counts for, after `enter` counted it; null without limits. */
  quota(headers: RequestHeaders): Promise<RequestQuota | null>;
  /** The browser session of a request; null for none. */
  sessionId(headers: RequestHeaders): Promise<string | null>;
  /**
   * Called after a change to a user's rights, sessions or tokens: clears what is remembered, and open streams
   * authenticate again.
   * @param userId null for all users
   */
  applyChange(userId: string | null): void;
  /** Reports each change. */
  onChange: OnAccessChange;
  /** After the auth library ended tokens of MCP clients: what this instance remembers of all of these tokens ends. */
  forgetClientTokens(): void;
}

async function asLocalOwner(headers: RequestHeaders, door: AuditDoor = "api"): Promise<Principal> {
  return { ...LOCAL_PRINCIPAL, origin: getOrigin(headers, door) };
}

/** The access while accounts are off. */
export const OPEN_ACCESS: Access = {
  accounts: false,
  authenticate: asLocalOwner,
  enter: asLocalOwner,
  quota: async () => null,
  sessionId: async () => null,
  applyChange: () => undefined,
  onChange: () => () => undefined,
  forgetClientTokens: () => undefined,
};

const MAX_ADDRESS_CHARS = 64;

/** Where a request comes from: the address that the server determined, behind trusted proxies too. */
export function getOrigin(headers: RequestHeaders, door: AuditDoor): RequestOrigin {
  const address = headers.get(CLIENT_HEADER)?.slice(0, MAX_ADDRESS_CHARS) || null;
  // A socket for both families gives the address of an IPv4 client in IPv6 form.
  return { door, address: address?.replace(/^::ffff:(?=\d+\.)/, "") ?? null };
}
