import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import { isPlainObject } from "../../../../lib/contract/json";
import type { Outcome, TracedRequest } from "../telemetry";

/** Methods of the protocol; others have no name of their own, since a client may send any text. */
const METHODS = new Set([
  "initialize",
  "ping",
  "server/discover",
  "logging/setLevel",
  "completion/complete",
  "subscriptions/listen",
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "roots/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "tasks/get",
  "tasks/result",
  "tasks/list",
  "tasks/cancel",
  "tasks/update",
  "sampling/createMessage",
  "elicitation/create",
]);
const PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const MAX_NAME_CHARS = 256;
const MAX_URI_CHARS = 2048;
/** Errors that say that a request could not be served: the conventions count them as no failure of a server. */
const REQUEST_ERRORS = new Set([-32_700, -32_600, -32_601, -32_602, -32_002]);
/** Attributes that metrics have too, since they have few values. */
const METRIC_KEYS = [
  "mcp.method.name",
  "mcp.protocol.version",
  "gen_ai.operation.name",
  "gen_ai.tool.name",
  "gen_ai.prompt.name",
  "network.transport",
  "network.protocol.name",
  "server.address",
  "server.port",
];

const NAME_KEYS = new Set(["gen_ai.tool.name", "gen_ai.prompt.name"]);

export interface DescribedOperation {
  name: string;
  attributes: Attributes;
}

/** Name and attributes of a request, by the conventions for MCP. */
export function describeRequest(
  { id, method, params = {} }: TracedRequest,
  withoutSecrets: (text: string) => string,
): DescribedOperation {
  const known = METHODS.has(method) ? method : "_OTHER";
  const attributes: Attributes = {
    "mcp.method.name": known,
    "jsonrpc.request.id": String(id).slice(0, MAX_NAME_CHARS),
  };
  const { name, uri, _meta: meta, protocolVersion } = params;
  const version = isPlainObject(meta) ? (meta[PROTOCOL_VERSION_KEY] ?? protocolVersion) : protocolVersion;
  if (typeof version === "string") attributes["mcp.protocol.version"] = version.slice(0, MAX_NAME_CHARS);
  if (typeof uri === "string") attributes["mcp.resource.uri"] = withoutSecrets(uri).slice(0, MAX_URI_CHARS);
  if (typeof name !== "string") return { name: known, attributes };
  const target = name.slice(0, MAX_NAME_CHARS);
  if (method === "tools/call") {
    attributes["gen_ai.tool.name"] = target;
    attributes["gen_ai.operation.name"] = "execute_tool";
  } else if (method === "prompts/get") attributes["gen_ai.prompt.name"] = target;
  else return { name: known, attributes };
  return { name: `${known} ${target}`, attributes };
}

/** @param side a server does not count errors of the request as failures of its own */
export function describeOutcome(outcome: Outcome, side: "client" | "server"): Attributes {
  if ("failure" in outcome) return { "error.type": outcome.failure };
  if ("error" in outcome) {
    const code = String(outcome.error.code);
    const isFailure = side === "client" || !REQUEST_ERRORS.has(outcome.error.code);
    return { "rpc.response.status_code": code, ...(isFailure && { "error.type": code }) };
  }
  return isPlainObject(outcome.result) && outcome.result.isError === true ? { "error.type": "tool_error" } : {};
}

/** Texts of errors may contain a server's input, so a status has no description. */
export function endSpan(span: Span, ended: Attributes): void {
  span.setAttributes(ended);
  if (ended["error.type"] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** The attributes of a metric. A name that the other side does not know could be any text. */
export function toMetricAttributes(attributes: Attributes, ended: Attributes): Attributes {
  const isUnknown = ended["rpc.response.status_code"] === "-32602";
  const kept: Attributes = { ...ended };
  for (const key of METRIC_KEYS) {
    const value = attributes[key];
    if (value !== undefined && !(isUnknown && NAME_KEYS.has(key))) kept[key] = value;
  }
  return kept;
}
