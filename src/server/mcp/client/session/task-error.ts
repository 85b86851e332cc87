import { ProtocolError } from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../../lib/contract/json";
import { normalizeError } from "../transport/outgoing-request";

/** The JSON-RPC error that a failed task of 2026-07-28 carries; null for none. */
export function readTaskError(error: unknown): Error | null {
  if (!isPlainObject(error)) return null;
  const { code, message, data } = normalizeError(error);
  return ProtocolError.fromError(code, message, data);
}
