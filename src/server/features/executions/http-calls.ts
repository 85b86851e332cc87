import type { ExecutionDetail } from "../../../lib/contract/execution";
import { CONTENT_METHODS, getKind } from "../../../lib/contract/execution-kind";
import { isPlainObject } from "../../../lib/contract/json";
import { HTTP_META_KEY } from "../../../lib/contract/openapi-constants";
import type { ServerSettings } from "../../../lib/contract/server";
import { SERVER_KINDS } from "../../../lib/contract/server-kind";
import type { HttpRequest } from "../../engine/mcp-ports";

/** A call as HTTP, rebuilt from what is recorded: without credentials. */
export interface HttpCall {
  request: HttpRequest;
  /** Null where the call brought no result. */
  response: { status: number; statusText: string; headers: Record<string, string>; body: string } | null;
}

export interface HttpCallPorts {
  /** The request of an API's operation. */
  describeRequest(server: string, tool: string, args: Record<string, unknown>): HttpRequest | null;
  /** The settings of a server as the console shows them; null for an unknown one. */
  getSettings(server: string): ServerSettings | null;
}

/** Returns the request and the response of a call of an HTTP server; null for any other, and for one that sent nothing. */
export function createHttpCalls({ describeRequest, getSettings }: HttpCallPorts) {
  return (call: ExecutionDetail): HttpCall | null => {
    const { serverName, startedAt, restricted } = call;
    if (serverName === null || startedAt === null || call.timing.runMs === null || restricted) return null;
    const settings = getSettings(serverName);
    if (settings === null) return null;
    if (!SERVER_KINDS[settings.transport].speaksMcp) {
      const { definition } = call;
      const args = parseObject(call.argumentsText);
      if (definition?.implementation.type !== "mcp" || args === null) return null;
      const request = describeRequest(serverName, definition.implementation.tool, args);
      return request && { request, response: readApiResponse(call.resultText) };
    }
    return "url" in settings ? toMcpCall(call, settings.url) : null;
  };
}

/** The message that an MCP server got, and the one that it answered with. */
function toMcpCall(call: ExecutionDetail, url: string): HttpCall | null {
  const { definition, argumentsText, resultText, resultTruncated } = call;
  const kind = getKind(call);
  const isTool = kind === "tool";
  if (isTool && definition?.implementation.type !== "mcp") return null;
  const method = isTool ? "tools/call" : CONTENT_METHODS[kind];
  const name = definition?.implementation.type === "mcp" ? definition.implementation.tool : "";
  const params = isTool ? `{"name":${JSON.stringify(name)},"arguments":${argumentsText}}` : argumentsText;
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const result =
    resultText === null || resultTruncated ? resultText : `{"jsonrpc":"2.0","id":1,"result":${resultText}}`;
  return {
    request: { method: "POST", url, headers, body },
    response:
      result === null
        ? null
        : { status: 200, statusText: "OK", headers: { "content-type": "application/json" }, body: result },
  };
}

/** The response that an API's result was made of. */
function readApiResponse(resultText: string | null): HttpCall["response"] {
  const result = resultText === null ? null : parseObject(resultText);
  const http = isPlainObject(result?._meta) ? result._meta[HTTP_META_KEY] : undefined;
  if (result === null || !isPlainObject(http) || typeof http.status !== "number") return null;
  const statusText = String(http.statusText ?? "");
  const headers = isPlainObject(http.headers) ? http.headers : {};
  const line = `HTTP ${http.status} ${statusText}`.trim();
  const text = readText(result.content);
  // A failure begins with its status line, and a response without a body is that line alone.
  const body = text === line ? "" : text.startsWith(`${line}\n`) ? text.slice(line.length + 1) : text;
  return {
    status: http.status,
    statusText,
    body,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
}

function readText(content: unknown): string {
  const [first] = Array.isArray(content) ? (content as unknown[]) : [];
  return isPlainObject(first) && typeof first.text === "string" ? first.text : "";
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}
