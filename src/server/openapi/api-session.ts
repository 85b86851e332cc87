import type { ApiDocumentSource } from "../../lib/contract/api-document";
import type { ToolCallResult } from "../../lib/contract/content";
import { ToolFailure } from "../engine/failures";
import type { ToolContext } from "../engine/ports";
import type { ServerLog } from "../mcp/client/log/server-log";
import { ConnectionError, ResponseLostError } from "../mcp/client/session/connection-error";
import { describeNetworkError, getMessage, readErrorTrail } from "../mcp/client/session/describe-error";
import { toContextHeaders } from "../mcp/client/transport/request-spans";
import { TOO_LARGE } from "../mcp/client/transport/response-body";
import type { OutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { type ApiRequest, buildRequest } from "./build-request";
import { toToolResult } from "./call-operation";
import { decodeText } from "./decode-text";
import type { ApiOperation } from "./operation";
import type { ApiTarget } from "./resolve-api";
import { type ApiResponse, type Credentials, sendRequest } from "./send-request";

export interface ApiSessionOptions {
  server: string;
  target: ApiTarget;
  agents: OutgoingAgents;
  /** Null where the settings get no access token. */
  tokens: { get(): Promise<string | null>; discard(token: string): void } | null;
  log: ServerLog;
  /** The size of a response. */
  maxBytes: number;
  /** True where requests of calls name the trace of the call in their headers. */
  namesTrace: boolean;
}

const MAX_DOCUMENT_BYTES = 67_108_864;
const MAX_QUOTED_CHARS = 2000;

/** Sends requests to one API with the credentials of its settings. */
export class ApiSession {
  readonly #options: ApiSessionOptions;
  #lastId = 0;

  constructor(options: ApiSessionOptions) {
    this.#options = options;
  }

  /** The document with its address or path as it is read. */
  get document(): ApiDocumentSource {
    return this.#options.target.document;
  }

  get baseUrl(): string {
    return this.#options.target.url.href;
  }

  /** @throws ToolFailure */
  async call(
    operation: ApiOperation,
    args: Record<string, unknown>,
    { signal, callerMeta }: ToolContext,
  ): Promise<ToolCallResult> {
    const { server, target, maxBytes, namesTrace } = this.#options;
    const request = buildRequest(operation, target.url, args);
    if (namesTrace) request.headers = { ...toContextHeaders(callerMeta), ...request.headers };
    try {
      const response = await this.#send(request, `${operation.method} ${operation.path}`, maxBytes, signal);
      return await toToolResult(operation, response);
    } catch (error) {
      if (signal.aborted) throw new ToolFailure("cancelled", "The call was abandoned");
      if ((error as { name?: unknown }).name === "ToolFailure") throw error;
      const reason = this.#options.log.quoteForCaller(describeFailure(error), MAX_QUOTED_CHARS);
      throw new ToolFailure("unavailable", `Server '${server}' is unavailable: ${reason}`);
    }
  }

  /** A document, or a file that it refers to. @throws ConnectionError */
  async fetchText(address: string, signal: AbortSignal): Promise<string> {
    const request: ApiRequest = {
      url: new URL(address),
      method: "GET",
      headers: { accept: "application/json, application/yaml, */*;q=0.5" },
      body: null,
    };
    const failed = (reason: string): string => `The document at ${address} could not be read: ${reason}`;
    let response: ApiResponse;
    try {
      response = await this.#send(request, "GET (document)", MAX_DOCUMENT_BYTES, signal);
    } catch (error) {
      // Another attempt would read as many bytes again.
      if (isTooLarge(error))
        throw new ConnectionError("failed", failed(`it has more than ${MAX_DOCUMENT_BYTES} bytes`));
      const isFinal = readErrorTrail(error).refusedAddress !== null;
      throw new ConnectionError(isFinal ? "failed" : "disconnected", failed(describeFailure(error)));
    }
    const { status, statusText, headers, body } = response;
    if (status >= 200 && status <= 299) return decodeText(body, headers.get("content-type") ?? "");
    const isTemporary = status >= 500 || status === 408 || status === 429;
    throw new ConnectionError(isTemporary ? "disconnected" : "failed", failed(`HTTP ${status} ${statusText}`));
  }

  async #send(request: ApiRequest, method: string, maxBytes: number, signal: AbortSignal): Promise<ApiResponse> {
    const { agents, tokens } = this.#options;
    const options = { agents, maxBytes, signal };
    this.#lastId += 1;
    const id = String(this.#lastId);
    for (let attempt = 1; ; attempt += 1) {
      const token = request.url.origin === this.#options.target.url.origin ? ((await tokens?.get()) ?? null) : null;
      const credentials = this.#credentials(token);
      this.#record("sent", { id, method, params: describeRequest(request, credentials) }, method);
      const response = await sendRequest(request, credentials, options).catch((error: unknown) => {
        this.#record("received", { id, error: { message: describeFailure(error) } }, method);
        throw error;
      });
      const outcome = {
        status: response.status,
        headers: Object.fromEntries([...response.headers].filter(([name]) => name !== "set-cookie")),
        body: preview(response.body),
      };
      this.#record("received", response.status < 400 ? { id, result: outcome } : { id, error: outcome }, method);
      // A refused token means that the request was not carried out.
      if (response.status !== 401 || token === null || attempt > 1) return response;
      tokens?.discard(token);
    }
  }

  #credentials(token: string | null): Credentials {
    const { url, headers, query } = this.#options.target;
    const proof: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const folded = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    return { origin: url.origin, headers: { ...folded, ...proof }, query };
  }

  #record(direction: "sent" | "received", message: Record<string, unknown>, method: string): void {
    this.#options.log.recordMessage(
      direction,
      message as unknown as Parameters<ServerLog["recordMessage"]>[1],
      "",
      method,
    );
  }
}

/** Leaves out credentials, which the log hides. */
function describeRequest({ url, headers, body }: ApiRequest, credentials: Credentials): Record<string, unknown> {
  const mayProve = url.origin === credentials.origin;
  return {
    url: url.href,
    headers: { ...headers, ...(mayProve ? credentials.headers : {}) },
    ...(mayProve && Object.keys(credentials.query).length > 0 ? { query: credentials.query } : {}),
    ...(body === null ? {} : { body: preview(Buffer.from(body)) }),
  };
}

const PREVIEW_BYTES = 65_536;

function preview(body: Buffer): string {
  const head = body.subarray(0, PREVIEW_BYTES);
  return head.includes(0) ? `[${body.length} bytes]` : head.toString("utf8");
}

function describeFailure(error: unknown): string {
  const refused = readErrorTrail(error).refusedAddress;
  if (refused !== null) return refused;
  if (error instanceof ResponseLostError) return error.message;
  if (isTooLarge(error)) return "the response is larger than allowed";
  return describeNetworkError(error) ?? getMessage(error);
}

/** Whether a response exceeded its limit, before or after it was decompressed. */
const isTooLarge = (error: unknown): boolean => (error as { code?: unknown }).code === TOO_LARGE;
