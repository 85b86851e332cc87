import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { relayedError } from "../relayed-error";

/** A ToolFailure as the answer to a request that is not recorded. */
export function toProtocolError(error: unknown, protocol: string): ProtocolError {
  const { protocolError, message } = error as { protocolError?: { code: number; message: string }; message: string };
  const relayed = protocolError && relayedError(protocolError, protocol);
  return relayed ?? new ProtocolError(ProtocolErrorCode.InternalError, message);
}
