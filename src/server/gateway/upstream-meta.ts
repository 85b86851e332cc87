import { isPlainObject } from "../../lib/contract";

/** The protocol's own keys describe the connection between client and gateway. */
const PROTOCOL_KEYS = "io.modelcontextprotocol/";

/**
 * What of a call's `_meta` is for the server that runs the tool: trace context and the caller's own keys. The progress
 * token names a request of this connection; the connection to the server has its own.
 */
export function upstreamMeta(meta: unknown): Record<string, unknown> | undefined {
  if (!isPlainObject(meta)) return undefined;
  const kept = Object.entries(meta).filter(([key]) => key !== "progressToken" && !key.startsWith(PROTOCOL_KEYS));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
