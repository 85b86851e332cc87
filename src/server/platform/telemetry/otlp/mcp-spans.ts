import type { IncomingMessage, ServerResponse } from "node:http";
import { type Attributes, type Histogram, type Span, SpanKind, type Tracer } from "@opentelemetry/api";
import { isPlainObject } from "../../../../lib/contract/json";
import { CLIENT_HEADER, getClientAddress, STDIO_HEADER, toHeaders } from "../../../../lib/http-guard/request-headers";
import { OPERATION_KEY } from "../operation-key";
import type { ClientTelemetry, GatewayTelemetry, Outcome, ServerPeer, TracedRequest } from "../telemetry";
import { describeOutcome, describeRequest, endSpan, toMetricAttributes } from "./mcp-operation";
import { readContext, toParent, withContext } from "./trace-context";

export interface McpInstruments {
  tracer: Tracer;
  /** Durations of operations and sessions, in seconds; null where metrics are not sent. */
  operations: Histogram | null;
  sessions: Histogram | null;
  /** False where spans are not sent: then peers get the context of the caller. */
  sendsSpans: boolean;
  withoutSecrets: (text: string) => string;
}

const MAX_BATCH = 100;
const MAX_BAGGAGE_CHARS = 8192;
const HTTP: Attributes = { "network.transport": "tcp", "network.protocol.name": "http" };
const STDIO: Attributes = { "network.transport": "pipe" };

export function createClientTelemetry({
  tracer,
  operations,
  sessions,
  sendsSpans,
  withoutSecrets,
}: McpInstruments): ClientTelemetry {
  /** The facts of a peer stay the same object until they change. */
  const peers = new WeakMap<ServerPeer, Attributes>();
  function getPeerFacts(peer: ServerPeer): Attributes {
    const known = peers.get(peer);
    if (known !== undefined) return known;
    const facts: Attributes = { ...describePeer(peer), "toolroom.server.name": peer.server };
    if (peer.sessionId !== undefined) facts["mcp.session.id"] = peer.sessionId;
    peers.set(peer, facts);
    return facts;
  }
  return {
    sendsSpans,
    startRequest(request, peer) {
      const { name, attributes } = describeRequest(request, withoutSecrets);
      Object.assign(attributes, getPeerFacts(peer));
      const { params } = request;
      const parent = readContext(params?._meta);
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, toParent(parent));
      // A handshake or a list belongs to no trace that the server could continue.
      if (sendsSpans && params !== undefined && parent !== undefined) params._meta = withContext(params._meta, span);
      const startedAt = performance.now();
      let isOpen = true;
      return (outcome) => {
        if (!isOpen) return;
        isOpen = false;
        const ended = describeOutcome(outcome, "client");
        operations?.record((performance.now() - startedAt) / 1000, toMetricAttributes(attributes, ended));
        endSpan(span, ended);
      };
    },
    recordSession(peer, durationMs, failure) {
      sessions?.record(durationMs / 1000, {
        ...describePeer(peer),
        ...(failure === null ? {} : { "error.type": failure }),
      });
    },
  };
}

function describePeer({ url, protocol }: ServerPeer): Attributes {
  const attributes: Attributes = url === undefined ? { ...STDIO } : { ...HTTP };
  if (protocol !== undefined) attributes["mcp.protocol.version"] = protocol;
  if (url === undefined) return attributes;
  attributes["server.address"] = url.hostname.replace(/^\[|\]$/g, "");
  attributes["server.port"] = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return attributes;
}

interface OpenOperation {
  span: Span;
  /** The attributes of the metric. */
  attributes: Attributes;
  startedAt: number;
}

export class GatewaySpans implements GatewayTelemetry {
  /** Open operations by the `traceparent` that their requests carry; by `OPERATION_KEY` where spans are not sent. */
  readonly #open = new Map<string, OpenOperation>();
  #count = 0;
  /** The facts of each connection's last request. */
  readonly #http = new WeakMap<object, { key: string; facts: Attributes }>();

  constructor(private readonly instruments: McpInstruments) {}

  receive(message: unknown, request: IncomingMessage, response: ServerResponse): void {
    const messages: unknown[] = Array.isArray(message) ? message.slice(0, MAX_BATCH) : [message];
    const requests = messages.filter(isTraceable);
    if (requests.length === 0) return;
    const facts = this.#describeHttp(request);
    const keys = requests.map((one) => this.#start(one, facts, request));
    response.once("close", () => {
      for (const key of keys) this.#abandon(key, response);
    });
  }

  answer(meta: unknown, outcome: Outcome, { id, protocol }: { id: string | null; protocol: string | undefined }): void {
    const name = this.instruments.sendsSpans ? "traceparent" : OPERATION_KEY;
    const key = isPlainObject(meta) ? String(meta[name]) : "";
    const operation = this.#open.get(key);
    if (operation === undefined) return;
    const { attributes, span } = operation;
    if (id !== null && attributes["mcp.session.id"] === undefined) span.setAttribute("mcp.session.id", id);
    if (protocol !== undefined && attributes["mcp.protocol.version"] !== protocol) {
      attributes["mcp.protocol.version"] = protocol;
      span.setAttribute("mcp.protocol.version", protocol);
    }
    this.#end(key, describeOutcome(outcome, "server"));
  }

  /** The open span that a `traceparent` names. */
  find(traceparent: unknown): Span | undefined {
    return this.#open.get(String(traceparent))?.span;
  }

  recordSession(durationMs: number, protocol: string | undefined): void {
    this.instruments.sessions?.record(durationMs / 1000, {
      ...HTTP,
      ...(protocol === undefined ? {} : { "mcp.protocol.version": protocol }),
    });
  }

  #describeHttp(request: IncomingMessage): Attributes {
    const { headers, socket } = request;
    const { "mcp-session-id": session, "mcp-protocol-version": protocol, [CLIENT_HEADER]: client } = headers;
    const key = [session, protocol, client, headers[STDIO_HEADER]].join(" ");
    const known = this.#http.get(socket);
    if (known?.key === key) return known.facts;
    const facts = describeHttp(request);
    this.#http.set(socket, { key, facts });
    return facts;
  }

  #start(message: TracedRequest, facts: Attributes, { headers }: IncomingMessage): string {
    const { tracer, withoutSecrets } = this.instruments;
    const { name, attributes } = describeRequest(message, withoutSecrets);
    Object.assign(attributes, facts);
    const params = message.params ?? {};
    const { _meta: meta } = params;
    const { traceparent, tracestate } = headers;
    const ambient = traceparent === undefined ? undefined : readContext({ traceparent, tracestate });
    const sent = readContext(meta);
    const links = sent !== undefined && ambient !== undefined ? [{ context: ambient }] : [];
    const options = { kind: SpanKind.SERVER, attributes, links };
    const span = tracer.startSpan(name, options, toParent(sent ?? ambient));
    message.params = params;
    const key = this.#mark(params, span, headers.baggage);
    this.#open.set(key, { span, attributes, startedAt: performance.now() });
    return key;
  }

  /** @returns the key by which `answer` finds the operation */
  #mark(params: Record<string, unknown>, span: Span, baggage: string | string[] | undefined): string {
    if (!this.instruments.sendsSpans) {
      this.#count += 1;
      params._meta = { ...(params._meta as object | undefined), [OPERATION_KEY]: this.#count };
      return String(this.#count);
    }
    const own = withContext(params._meta, span);
    if (own.baggage === undefined && typeof baggage === "string" && baggage.length <= MAX_BAGGAGE_CHARS) {
      own.baggage = baggage;
    }
    params._meta = own;
    return String(own.traceparent);
  }

  /** Ends the span of a request that no handler answered. It may name anything, so the metric has little of it. */
  #abandon(key: string, response: ServerResponse): void {
    const operation = this.#open.get(key);
    if (operation === undefined) return;
    const { "mcp.method.name": method } = operation.attributes;
    operation.attributes = { ...HTTP, "mcp.method.name": method };
    // A subscription ends with its stream.
    this.#end(key, method === "subscriptions/listen" ? {} : describeUnanswered(response));
  }

  #end(key: string, ended: Attributes): void {
    const operation = this.#open.get(key);
    if (operation === undefined) return;
    this.#open.delete(key);
    const { span, attributes, startedAt } = operation;
    const { operations } = this.instruments;
    operations?.record((performance.now() - startedAt) / 1000, toMetricAttributes(attributes, ended));
    endSpan(span, ended);
  }
}

/** A request whose params can name its span. */
function isTraceable(message: unknown): message is TracedRequest {
  if (!isPlainObject(message)) return false;
  const { id, method, params = {} } = message;
  if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return false;
  return isPlainObject(params) && (params._meta === undefined || isPlainObject(params._meta));
}

function describeHttp(request: IncomingMessage): Attributes {
  const { headers, socket, httpVersion } = request;
  const attributes: Attributes =
    headers[STDIO_HEADER] === undefined ? { ...HTTP, "network.protocol.version": httpVersion } : { ...STDIO };
  const { "mcp-session-id": session, "mcp-protocol-version": protocol } = headers;
  if (typeof session === "string") attributes["mcp.session.id"] = session.slice(0, 200);
  if (typeof protocol === "string") attributes["mcp.protocol.version"] = protocol.slice(0, 50);
  if (headers[STDIO_HEADER] !== undefined) return attributes;
  const address = getClientAddress(toHeaders(request));
  if (address === "unknown") return attributes;
  attributes["client.address"] = address;
  // Behind a proxy the port is the proxy's.
  const isDirect = socket.remoteAddress?.endsWith(address) === true;
  if (isDirect && socket.remotePort !== undefined) attributes["client.port"] = socket.remotePort;
  return attributes;
}

/** A request that no handler answered: refused before, cancelled, or its client is gone. */
function describeUnanswered({ statusCode, writableFinished }: ServerResponse): Attributes {
  if (statusCode >= 500) return { "error.type": String(statusCode) };
  if (statusCode >= 400) return {};
  return { "error.type": writableFinished ? "cancelled" : "client_disconnected" };
}
