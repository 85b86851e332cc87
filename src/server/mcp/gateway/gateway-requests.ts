import { CLIENT_INFO_META_KEY, type JSONRPCMessage, type JSONRPCRequest } from "@modelcontextprotocol/server";
import type { ClientTransport } from "../../../lib/contract/client-transport";
import { isPlainObject } from "../../../lib/contract/json";
import { type RequestHeaders, STDIO_HEADER } from "../../../lib/http-guard/request-headers";
import type { ClientPeer } from "../../engine/client-ports";
import { readEnvelope } from "../fast-path/call-context";
import { STATELESS_PROTOCOL } from "../fast-path/sdk-server";

/** Removes quoted messages from errors of the SDK, which may hold a user's answers. */
export function withoutPayload({ message }: Error): string {
  return message.replace(/[{[][\s\S]*/, "…").slice(0, 500);
}

export function getId(message: JSONRPCMessage | undefined): unknown {
  return message !== undefined && "id" in message ? message.id : null;
}

export function listenedUris(message: unknown): readonly string[] {
  return listened(message, "resourceSubscriptions");
}

/** The tasks that a `subscriptions/listen` names. */
export function listenedTaskIds(message: unknown): readonly string[] {
  return listened(message, "taskIds");
}

const FILTERS = ["toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions", "taskIds"];
const MAX_FOREIGN_FILTERS = 20;

/** The part of a `subscriptions/listen` that is about extensions; empty where it names none. */
export function listenedExtensions(message: unknown): Record<string, unknown> {
  const named = Object.entries(readFilter(message)).filter(([name]) => !FILTERS.includes(name));
  return Object.fromEntries(named.slice(0, MAX_FOREIGN_FILTERS));
}

/** The client of a `subscriptions/listen` for changed lists of tools; null for other requests. */
export function listeningPeer(message: unknown, view: ClientPeer["view"]): ClientPeer | null {
  if (readFilter(message).toolsListChanged !== true) return null;
  const clientInfo = readEnvelope(message as JSONRPCRequest)?.[CLIENT_INFO_META_KEY];
  return { sessionId: null, clientInfo, protocol: STATELESS_PROTOCOL, view };
}

function readFilter(message: unknown): Record<string, unknown> {
  if (!isPlainObject(message) || message.method !== "subscriptions/listen") return {};
  const { notifications } = isPlainObject(message.params) ? message.params : {};
  return isPlainObject(notifications) ? notifications : {};
}

function listened(message: unknown, filter: "resourceSubscriptions" | "taskIds"): readonly string[] {
  const { [filter]: names } = readFilter(message);
  return Array.isArray(names) ? [...new Set(names)].filter((name) => typeof name === "string") : [];
}

/** How the client reaches Toolroom: over HTTP, or over stdio through the bridge. */
export function readTransport(headers: RequestHeaders): ClientTransport {
  return headers.get(STDIO_HEADER) === null ? "http" : "stdio";
}

/**
 * Removes the nulls that some clients write for optional members that they leave out. Arguments, answers of users and members
 * of `_meta` keep theirs: null is a value there.
 * @param message as it was parsed, which is changed in place: texts are kept by the identity of its parts
 */
export function removeOptionalNulls(message: unknown): void {
  if (Array.isArray(message)) message.forEach(removeOptionalNulls);
  if (!isPlainObject(message)) return;
  if (typeof message.method === "string") removeFromRequest(message);
  else removeFromResponse(message);
}

function removeFromRequest(message: Record<string, unknown>): void {
  removeNulls(message, "params");
  const { params } = message;
  if (!isPlainObject(params)) return;
  removeNulls(params);
  if (isPlainObject(params._meta)) removeNulls(params._meta, "progressToken");
  if (message.method === "initialize") removeFromPeer(params);
}

function removeFromResponse(message: Record<string, unknown>): void {
  removeNulls(message, "method");
  if (isPlainObject(message.error)) removeNulls(message, "result");
  if (!("result" in message)) return;
  removeNulls(message, "error");
  if (isPlainObject(message.result)) removeNulls(message.result, "_meta");
}

function removeFromPeer({ clientInfo, capabilities }: Record<string, unknown>): void {
  if (isPlainObject(clientInfo)) removeNulls(clientInfo);
  if (!isPlainObject(capabilities)) return;
  removeNulls(capabilities);
  for (const capability of Object.values(capabilities)) if (isPlainObject(capability)) removeNulls(capability);
}

/** @param only the one member to check; all by default */
function removeNulls(value: Record<string, unknown>, only?: string): void {
  for (const key of only === undefined ? Object.keys(value) : [only]) if (value[key] === null) delete value[key];
}
