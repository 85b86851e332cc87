import type { IncomingMessage } from "node:http";
import {
  type InboundModernRoute,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../lib/contract/json";
import { isWellFormedCall } from "../fast-path/direct-calls";
import { STATELESS_PROTOCOL } from "../fast-path/sdk-server";

/** The SDK quotes whole messages in its errors, which may hold what a person answered. */
export function withoutPayload({ message }: Error): string {
  return message.replace(/[{[][\s\S]*/, "…").slice(0, 500);
}

export function getId(message: JSONRPCMessage | undefined): unknown {
  return message !== undefined && "id" in message ? message.id : null;
}

type RequestRoute = InboundModernRoute & { messageKind: "request" };

/** A call whose headers say what its body says, and in plain text. */
export function isPlainToolCall(route: InboundModernRoute, headers: IncomingMessage["headers"]): route is RequestRoute {
  const { params } = route.message;
  const named = typeof params?.name === "string" && headers["mcp-name"] === params.name;
  return named && isPlainRequest(route, headers, "tools/call");
}

/** A request of the stateless protocol whose headers say what its body says. */
export function isPlainRequest(
  { message, messageKind, classification }: InboundModernRoute,
  headers: IncomingMessage["headers"],
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

/** The members of a request; the protocol allows no others. */
const REQUEST_MEMBERS = new Set(["jsonrpc", "id", "method", "params"]);

/** A call in a session, in order and in plain view: what the SDK would find too, with three schema checks. */
export function isSessionCall(message: unknown, headers: IncomingMessage["headers"]): boolean {
  const version = headers["mcp-protocol-version"];
  if (headers["mcp-session-id"] === undefined || !isWellFormedCall(message)) return false;
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return false;
  const { _meta: meta = {} } = message.params;
  return !(PROTOCOL_VERSION_META_KEY in meta) && Object.keys(message).every((name) => REQUEST_MEMBERS.has(name));
}

/** The resources that a `subscriptions/listen` names. */
export function listenedUris(message: unknown): readonly string[] {
  return listened(message, "resourceSubscriptions");
}

/** The tasks that a `subscriptions/listen` names. */
export function listenedTaskIds(message: unknown): readonly string[] {
  return listened(message, "taskIds");
}

function listened(message: unknown, filter: "resourceSubscriptions" | "taskIds"): readonly string[] {
  if (!isPlainObject(message) || message.method !== "subscriptions/listen") return [];
  const { notifications } = isPlainObject(message.params) ? message.params : {};
  const { [filter]: names } = isPlainObject(notifications) ? notifications : {};
  return Array.isArray(names) ? [...new Set(names)].filter((name) => typeof name === "string") : [];
}
