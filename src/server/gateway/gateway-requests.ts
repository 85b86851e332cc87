import type { IncomingMessage } from "node:http";
import type { InboundModernRoute, JSONRPCMessage } from "@modelcontextprotocol/server";
import { isPlainObject } from "../../lib/contract";
import { STATELESS_PROTOCOL } from "./catalogue-server";

/** The SDK quotes whole messages in its errors, which may hold what a person answered. */
export function withoutPayload({ message }: Error): string {
  return message.replace(/[{[][\s\S]*/, "…").slice(0, 500);
}

export function idOf(message: JSONRPCMessage | undefined): unknown {
  return message !== undefined && "id" in message ? message.id : null;
}

/** A call whose headers say what its body says, and in plain text. */
export function isPlainToolCall(
  route: InboundModernRoute,
  headers: IncomingMessage["headers"],
): route is InboundModernRoute & { messageKind: "request" } {
  const { message, messageKind, classification } = route;
  return (
    messageKind === "request" &&
    message.method === "tools/call" &&
    classification.revision === STATELESS_PROTOCOL &&
    headers["mcp-protocol-version"] === STATELESS_PROTOCOL &&
    headers["mcp-method"] === "tools/call" &&
    typeof message.params?.name === "string" &&
    headers["mcp-name"] === message.params.name
  );
}

/** The resources that a `subscriptions/listen` names. */
export function listenedUris(message: unknown): readonly string[] {
  if (!isPlainObject(message) || message.method !== "subscriptions/listen") return [];
  const { notifications } = isPlainObject(message.params) ? message.params : {};
  const { resourceSubscriptions: uris } = isPlainObject(notifications) ? notifications : {};
  return Array.isArray(uris) ? [...new Set(uris)].filter((uri) => typeof uri === "string") : [];
}
