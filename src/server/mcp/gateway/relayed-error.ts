import { ProtocolError } from "@modelcontextprotocol/server";
import type { ProtocolErrorBody } from "../../../lib/contract/envelope";

/** These describe the connection on which they are sent: headers, capabilities and versions of Toolroom itself. */
const CONNECTION_CODES: ReadonlySet<number> = new Set([-32_020, -32_021, -32_022]);
const URL_ELICITATION_REQUIRED = -32_042;
const URL_ELICITATION_PROTOCOL = "2025-11-25";

/** The error of a tool's MCP server as the gateway's own answer; null where the caller's protocol does not know it. */
export function relayedError({ code, message, data }: ProtocolErrorBody, protocol: string): ProtocolError | null {
  if (CONNECTION_CODES.has(code)) return null;
  if (code === URL_ELICITATION_REQUIRED && protocol !== URL_ELICITATION_PROTOCOL) return null;
  return new ProtocolError(code, message, data);
}
