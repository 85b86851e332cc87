import { type Span, SpanKind, type Tracer } from "@opentelemetry/api";
import type { ExecutionJournal } from "../../../engine/ports";
import type { OpenTraces, TracedExecutor, TracedOptions } from "../telemetry";
import { endSpan } from "./mcp-operation";
import type { GatewaySpans } from "./mcp-spans";
import { readContext, toParent, withContext } from "./trace-context";

interface ExecutionSpanPorts {
  tracer: Tracer;
  sendsSpans: boolean;
  open: OpenTraces;
  gateway: GatewaySpans;
  findRun(id: string | undefined): Span | undefined;
}

interface OpenCall {
  span: Span;
  /** The span of the gateway's request, which has arguments and results too. */
  request: Span | undefined;
}

const MAX_NAME_CHARS = 256;
/** The length of arguments and of a result in a span. */
const MAX_CONTENT_CHARS = 16_384;

/** Spans of executed tools, by the conventions for generative AI. */
export class ExecutionSpans {
  readonly #calls = new Map<string, OpenCall>();

  constructor(private readonly ports: ExecutionSpanPorts) {}

  traceExecutor<Options extends TracedOptions, Envelope extends { success: boolean; error_kind?: string | undefined }>(
    executor: TracedExecutor<Options, Envelope>,
  ): TracedExecutor<Options, Envelope> {
    if (!this.ports.sendsSpans) return executor;
    return {
      // A resource or a prompt is no tool: its request to the server has a span.
      execute: (name, args, options) =>
        options?.kind === undefined
          ? this.#execute(executor, name, args, options ?? ({} as Options))
          : executor.execute(name, args, options),
    };
  }

  async #execute<Options extends TracedOptions, Envelope extends { success: boolean; error_kind?: string | undefined }>(
    executor: TracedExecutor<Options, Envelope>,
    name: string,
    args: unknown,
    options: Options,
  ): Promise<Envelope> {
    const { tracer, open, gateway, findRun } = this.ports;
    const { executionId = "", runId, callId, source, meta } = options;
    const target = String(name).slice(0, MAX_NAME_CHARS);
    const request = gateway.find(meta?.traceparent);
    const parent = (findRun(runId) ?? request)?.spanContext() ?? readContext(meta);
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": target,
      "toolroom.execution.id": executionId,
      "toolroom.source": source ?? "api",
      ...(runId === undefined ? {} : { "gen_ai.conversation.id": runId }),
      ...(callId === undefined ? {} : { "gen_ai.tool.call.id": callId }),
    };
    const kind = SpanKind.INTERNAL;
    const span = tracer.startSpan(`execute_tool ${target}`, { kind, attributes }, toParent(parent));
    this.#calls.set(executionId, { span, request });
    open.set(executionId, span.spanContext());
    try {
      const envelope = await executor.execute(name, args, { ...options, meta: withContext(meta, span) });
      endSpan(span, envelope.success ? {} : { "error.type": envelope.error_kind ?? "_OTHER" });
      return envelope;
    } finally {
      this.#calls.delete(executionId);
      open.delete(executionId);
    }
  }

  /** The journal gets texts as they are stored: masked, and cut at the storage limit. */
  traceJournal(journal: ExecutionJournal): ExecutionJournal {
    const setArguments = ({ id, argumentsText }: { id: string; argumentsText: string }): void =>
      this.#setContent(id, "gen_ai.tool.call.arguments", argumentsText);
    return {
      begin(start) {
        setArguments(start);
        return journal.begin(start);
      },
      proceed: (start, proceeding) => {
        if (proceeding.argumentsText !== undefined)
          setArguments({ id: start.id, argumentsText: proceeding.argumentsText });
        return journal.proceed(start, proceeding);
      },
      finish: (start, end) => {
        if (end.resultText !== null) this.#setContent(start.id, "gen_ai.tool.call.result", end.resultText);
        return journal.finish(start, end);
      },
      record: (start, end) => {
        setArguments(start);
        return journal.record(start, end);
      },
    };
  }

  #setContent(executionId: string, key: string, text: string): void {
    const call = this.#calls.get(executionId);
    const cut = text.length > MAX_CONTENT_CHARS ? `${text.slice(0, MAX_CONTENT_CHARS)}…` : text;
    call?.span.setAttribute(key, cut);
    call?.request?.setAttribute(key, cut);
  }
}
