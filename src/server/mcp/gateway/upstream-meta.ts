import { type Result, SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../lib/contract/json";
import { WHOLE_RESULT_KEY } from "../../../lib/contract/lens";
import { withMembers } from "../../../lib/json/known-text";
import { OPERATION_KEY } from "../../platform/telemetry/operation-key";

/** The protocol's own keys describe the connection between client and gateway. */
const PROTOCOL_KEYS = "io.modelcontextprotocol/";
const OWN_KEYS: ReadonlySet<string> = new Set(["progressToken", WHOLE_RESULT_KEY, OPERATION_KEY]);

/**
 * What of a call's `_meta` is for the server that runs the tool: trace context and the caller's own keys. The progress
 * token names a request of this connection; the connection to the server has its own.
 */
export function upstreamMeta(meta: unknown): Record<string, unknown> | undefined {
  if (!isPlainObject(meta)) return undefined;
  const kept = Object.entries(meta).filter(([key]) => !OWN_KEYS.has(key) && !key.startsWith(PROTOCOL_KEYS));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/**
 * A server's result without the identity of that server: the key names the program that answers, which is the gateway. In
 * the stateless protocol the identity of the address is added, in the earlier revisions none.
 */
export function withoutServerInfo<T extends Result>(result: T): T {
  const { _meta: meta } = result;
  if (!isPlainObject(meta) || !Object.hasOwn(meta, SERVER_INFO_META_KEY)) return result;
  const { [SERVER_INFO_META_KEY]: _, ...kept } = meta;
  return withMembers(result, { _meta: Object.keys(kept).length === 0 ? undefined : kept });
}
