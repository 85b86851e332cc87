import type { IncomingMessage } from "node:http";
import {
  classifyInboundRequest,
  type InboundClassificationOutcome,
  type InboundModernRoute,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../lib/contract/json";
import { readEnvelope } from "./call-context";
import { STATELESS_PROTOCOL } from "./sdk-server";

type Headers = IncomingMessage["headers"];

/** Who serves a POST: a session, a server for this one call, or the SDK's own handler of stateless requests. */
export type PostPath =
  | { to: "session" }
  | { to: "direct"; route: InboundModernRoute }
  | { to: "sdk"; route: InboundClassificationOutcome };

interface ServedList {
  /**
   * Whether the list has numbers that the SDK's own handler would write with other digits. Read only where a list is
   * requested.
   */
  readonly hasDigits: boolean;
}

/**
 * Decides what passes the SDK by (decision 0006): here for a POST, in `isDirectCall` for each message that a session or a direct
 * server receives. The SDK's handler knows every rule of the stateless protocol and says what is wrong with a request; it costs twice
 * a short call, so calls that are in order do not pass through it.
 * @param fastPath `TOOLROOM_FAST_PATH`
 */
export function choosePath(message: unknown, headers: Headers, list: ServedList, fastPath: boolean): PostPath {
  if (fastPath && isSessionCall(message, headers)) return { to: "session" };
  const route = classifyInboundRequest({
    httpMethod: "POST",
    body: message,
    ...(typeof headers["mcp-protocol-version"] === "string"
      ? { protocolVersionHeader: headers["mcp-protocol-version"] }
      : {}),
    ...(typeof headers["mcp-method"] === "string" ? { mcpMethodHeader: headers["mcp-method"] } : {}),
    ...(typeof headers["mcp-name"] === "string" ? { mcpNameHeader: headers["mcp-name"] } : {}),
  });
  if (route.kind === "legacy") return { to: "session" };
  if (route.kind !== "modern") return { to: "sdk", route };
  const { params } = route.message;
  const isNamed = typeof params?.name === "string" && headers["mcp-name"] === params.name;
  const isDirect =
    (fastPath && isNamed && isPlainRequest(route, headers, "tools/call")) ||
    (isPlainRequest(route, headers, "tools/list") && list.hasDigits);
  return { to: isDirect ? "direct" : "sdk", route };
}

/** The server that a call reaches. */
interface CalledServer {
  isStateless: boolean;
  acceptsEnvelope(envelope: Record<string, unknown> | undefined): boolean;
}

/** A call that is in order, brings no answers, and describes its client as its protocol demands. The SDK says what is wrong with others. */
export function isDirectCall(message: JSONRPCMessage, server: CalledServer): message is JSONRPCRequest {
  if (!isWellFormedCall(message) || "inputResponses" in message.params || "requestState" in message.params)
    return false;
  const envelope = readEnvelope(message);
  return server.isStateless ? server.acceptsEnvelope(envelope) : envelope === undefined;
}

/** Whether the headers of a stateless request agree with its body. */
export function isPlainRequest(
  { message, messageKind, classification }: InboundModernRoute,
  headers: Headers,
  method: string,
): boolean {
  return (
    messageKind === "request" &&
    message.method === method &&
    classification.revision === STATELESS_PROTOCOL &&
    headers["mcp-protocol-version"] === STATELESS_PROTOCOL &&
    headers["mcp-method"] === method
  );
}

/** The members of a request; the protocol forbids others. */
const REQUEST_MEMBERS = new Set(["jsonrpc", "id", "method", "params"]);

/** A call in a session, in order and in plain view: what the SDK would find too, with three schema checks. */
export function isSessionCall(message: unknown, headers: Headers): boolean {
  const version = headers["mcp-protocol-version"];
  if (headers["mcp-session-id"] === undefined || !isWellFormedCall(message)) return false;
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return false;
  const { _meta: meta = {} } = message.params;
  return !(PROTOCOL_VERSION_META_KEY in meta) && Object.keys(message).every((name) => REQUEST_MEMBERS.has(name));
}

/** The SDK's demands on a `tools/call`. */
function isWellFormedCall(
  message: unknown,
): message is JSONRPCRequest & { params: NonNullable<JSONRPCRequest["params"]> } {
  if (!isPlainObject(message) || message.method !== "tools/call" || message.jsonrpc !== "2.0") return false;
  const { id, params } = message;
  if (!isKey(id) || !isPlainObject(params)) return false;
  const { _meta: meta } = params;
  return meta === undefined || (isPlainObject(meta) && (meta.progressToken === undefined || isKey(meta.progressToken)));
}

function isKey(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}
