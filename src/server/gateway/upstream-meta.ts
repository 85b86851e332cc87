import { isPlainObject } from "../../lib/contract";
import { WHOLE_RESULT_KEY } from "../../lib/contract/lens";

/** The protocol's own keys describe the connection between client and gateway. */
const PROTOCOL_KEYS = "io.modelcontextprotocol/";
const OWN_KEYS: ReadonlySet<string> = new Set(["progressToken", WHOLE_RESULT_KEY]);

/**
 * What of a call's `_meta` is for the server that runs the tool: trace context and the caller's own keys. The progress
 * token names a request of this connection; the connection to the server has its own.
 */
export function upstreamMeta(meta: unknown): Record<string, unknown> | undefined {
  if (!isPlainObject(meta)) return undefined;
  const kept = Object.entries(meta).filter(([key]) => !OWN_KEYS.has(key) && !key.startsWith(PROTOCOL_KEYS));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
