import type { ServerResponse } from "node:http";

/** JSON-RPC has no codes of its own for what goes wrong before a message is understood; servers use this one. */
const HTTP_ERROR = -32_000;
export const SESSION_NOT_FOUND = -32_001;

/** An error that HTTP and JSON-RPC both tell. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  options: { code?: number; id?: unknown; headers?: Record<string, string> } = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { code = HTTP_ERROR, id = null, headers = {} } = options;
  const body = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", ...headers });
  response.end(body);
}
