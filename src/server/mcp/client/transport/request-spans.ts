import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/client";
import type { ClientTelemetry, ServerPeer, TracedRequest } from "../../../platform/telemetry/telemetry";

export interface RequestSpan {
  /** Ends the span; only the first call counts. */
  end: ReturnType<ClientTelemetry["startRequest"]>;
  /** The trace that an HTTP request names too; absent for a request that belongs to none. */
  headers?: Record<string, string> | undefined;
}

/** Headers of a trace, which need no encoding. */
export const CONTEXT_HEADERS = ["traceparent", "tracestate", "baggage"] as const;
const MAX_HEADER_CHARS = 8192;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** The server behind a transport. */
export interface TracedPeer extends Pick<ServerPeer, "server" | "url"> {
  telemetry: ClientTelemetry;
  /** Whether the session ended, and Toolroom did not end it. */
  isLost(): boolean;
}

export class RequestSpans {
  readonly #peer: TracedPeer;
  /** Replaced when a fact changes: values derived from it are cached with it. */
  #facts: ServerPeer;
  #openedAt: number | null = null;

  constructor(peer: TracedPeer) {
    this.#peer = peer;
    this.#facts = { server: peer.server, url: peer.url };
  }

  /** The protocol is negotiated, so the session has begun. */
  setProtocol(version: string): void {
    if (this.#facts.protocol !== version) this.#facts = { ...this.#facts, protocol: version };
    this.#openedAt ??= performance.now();
  }

  start(request: TracedRequest, sessionId: string | undefined): RequestSpan {
    const meta = request.params?._meta as Record<string, unknown> | undefined;
    const version = meta?.[PROTOCOL_VERSION_META_KEY];
    if (typeof version === "string" && request.method !== "server/discover") this.setProtocol(version);
    if (this.#facts.sessionId !== sessionId) this.#facts = { ...this.#facts, sessionId };
    const given = meta?.traceparent;
    const end = this.#peer.telemetry.startRequest(request, this.#facts);
    const sent = request.params?._meta as Record<string, unknown> | undefined;
    return { end, headers: sent?.traceparent === given ? undefined : toContextHeaders(sent) };
  }

  endSession(): void {
    if (this.#openedAt === null) return;
    const failure = this.#peer.isLost() ? "connection_lost" : null;
    this.#peer.telemetry.recordSession(this.#facts, performance.now() - this.#openedAt, failure);
    this.#openedAt = null;
  }
}

/** Values of a client that a header cannot hold stay in `_meta` alone. */
export function toContextHeaders(meta: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of CONTEXT_HEADERS) {
    const value = meta[name];
    if (typeof value === "string" && value.length <= MAX_HEADER_CHARS && PRINTABLE.test(value)) headers[name] = value;
  }
  return headers;
}

/** The class of the error with which a request could not be sent: an HTTP status, a code of the system, or a name. */
export function describeSendFailure(error: unknown): string {
  const { code, name, cause } = (error ?? {}) as { code?: unknown; name?: unknown; cause?: { code?: unknown } };
  return String(code ?? cause?.code ?? name ?? "_OTHER").slice(0, 100);
}

/** The class of what made Toolroom wait no longer for a response. */
export function describeAbort(signal: AbortSignal | undefined): string {
  const isCancel = signal?.aborted === true && (signal.reason as { name?: unknown } | null)?.name !== "TimeoutError";
  return isCancel ? "cancelled" : "timeout";
}
