import type { ClientTransport } from "../../../lib/contract/client-transport";
import { type RequestHeaders, STDIO_HEADER } from "../../../lib/http-guard/request-headers";

/** How the client reaches Toolroom: over HTTP, or over stdio through the bridge. */
export function readTransport(headers: RequestHeaders): ClientTransport {
  return headers.get(STDIO_HEADER) === null ? "http" : "stdio";
}
