import type { AuditDoor, RequestOrigin } from "../../../lib/contract/audit";
import { CLIENT_HEADER, type RequestHeaders } from "../../../lib/http-guard/request-headers";

const MAX_ADDRESS_CHARS = 64;

/** Where a request comes from: the address that the server determined, behind trusted proxies too. */
export function getOrigin(headers: RequestHeaders, door: AuditDoor): RequestOrigin {
  const address = headers.get(CLIENT_HEADER)?.slice(0, MAX_ADDRESS_CHARS) || null;
  // An IPv4 client of a socket that listens on both.
  return { door, address: address?.replace(/^::ffff:(?=\d+\.)/, "") ?? null };
}
