import type { IncomingMessage, ServerResponse } from "node:http";
import type { RunStatus } from "../../../lib/contract/run";
import type { ModelDirectory } from "../../engine/agent/chat-ports";
import type { ExecutionJournal, Logger, Masking } from "../../engine/ports";

/** How an operation ended: a JSON-RPC response, or the class of the failure that left it without one. */
export type Outcome = { result: unknown } | { error: { code: number } } | { failure: string };

/** A JSON-RPC request with what a span needs of it. */
export interface TracedRequest {
  id: string | number;
  method: string;
  params?: Record<string, unknown> | undefined;
}

/** The facts that are known of the MCP server to which a request goes. */
export interface ServerPeer {
  server: string;
  /** The address; absent over stdio. */
  url?: URL | undefined;
  sessionId?: string | undefined;
  protocol?: string | undefined;
}

/** Traces the requests that Toolroom sends to MCP servers. */
export interface ClientTelemetry {
  /** False where metrics alone are sent: then peers get the context of the caller. */
  readonly sendsSpans: boolean;
  /** Starts the span of a request. A request that belongs to a trace names the span in its `_meta` afterwards. @returns ends it, once */
  startRequest(request: TracedRequest, peer: ServerPeer): (outcome: Outcome) => void;
  /** @param failure the class of what ended the session; null where Toolroom closed it */
  recordSession(peer: ServerPeer, durationMs: number, failure: string | null): void;
}

/** Traces the requests that MCP clients send to the gateway. */
export interface GatewayTelemetry {
  /** Starts a span for each request of a body. Their `_meta` name the spans afterwards: for `answer`, and for the server behind the gateway. */
  receive(message: unknown, request: IncomingMessage, response: ServerResponse): void;
  /** @param meta the meta of the request, as `receive` left it */
  answer(meta: unknown, outcome: Outcome, session: { id: string | null; protocol: string | undefined }): void;
  recordSession(durationMs: number, protocol: string | undefined): void;
}

/** The parts of a call that its spans need; the rest passes through. */
export interface TracedOptions {
  meta?: Readonly<Record<string, unknown>> | undefined;
  executionId?: string | undefined;
  runId?: string | undefined;
  callId?: string | undefined;
  source?: string | undefined;
  kind?: string | undefined;
}

interface TracedEnvelope {
  success: boolean;
  error_kind?: string | undefined;
}

export interface TracedExecutor<Options extends TracedOptions, Envelope extends TracedEnvelope> {
  execute(name: string, args?: unknown, options?: Options): Promise<Envelope>;
}

/** Decorators for ports. They start and end spans, and pass the trace on in the `_meta` of calls. */
export interface Telemetry {
  readonly client: ClientTelemetry;
  readonly gateway: GatewayTelemetry;
  traceExecutor<Options extends TracedOptions, Envelope extends TracedEnvelope>(
    executor: TracedExecutor<Options, Envelope>,
  ): TracedExecutor<Options, Envelope>;
  /** Adds arguments and results to the spans of calls, where that was requested. */
  traceJournal(journal: ExecutionJournal): ExecutionJournal;
  traceModels(models: Pick<ModelDirectory, "client" | "endpoint">): ModelDirectory["client"];
  /** A run started, or its status changed. */
  noteRun(run: { id: string; status: RunStatus }): void;
  /** Sends the rest, within a few seconds. Never rejects. */
  close(): Promise<void>;
}

export interface TelemetrySettings {
  traces: boolean;
  metrics: boolean;
  /** Arguments and results of calls are attributes of their spans. */
  captureContent: boolean;
  /** How often metrics are sent. */
  metricIntervalMs: number;
}

export interface TelemetryOptions {
  settings: TelemetrySettings;
  logger: Logger;
  masking: Pick<Masking, "inText">;
  version: string;
  instanceId: string;
  /** While it is, nothing is sent: measurements are dropped. */
  isPaused?: () => boolean;
  /** Gets the open spans of calls and runs. */
  open: OpenTraces;
}

export interface OpenTrace {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/** The spans of calls and runs that are open, for the log: `trace_id` and `span_id` by the id that a line names. */
export class OpenTraces {
  readonly #byId = new Map<string, OpenTrace>();

  set(id: string, context: OpenTrace): void {
    this.#byId.set(id, context);
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  find(id: string | undefined): OpenTrace | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** A line's fields with those of its trace. Returns the same object where it names no traced call or run. */
  addTo(fields: Record<string, unknown>): Record<string, unknown> {
    const { execution_id: id, executionId = id, runId } = fields;
    const found = this.#byId.get(String(executionId)) ?? this.#byId.get(String(runId));
    return found === undefined ? fields : { ...fields, trace_id: found.traceId, span_id: found.spanId };
  }
}
