import { type Span, SpanKind, type Tracer } from "@opentelemetry/api";
import type { ExecutionEnd, ExecutionJournal } from "../../../engine/ports";
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
  /** The arguments as stored; sent at the end, when it is known whose credential the call used. */
  argumentsText: string | null;
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
    this.#calls.set(executionId, { span, request, argumentsText: null });
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

  /**
   * The journal gets texts as they are stored: masked, and cut at the storage limit. Those of a call with a personal
   * credential are for its user alone, so its spans have none.
   */
  traceJournal(journal: ExecutionJournal): ExecutionJournal {
    const keepArguments = ({ id, argumentsText }: { id: string; argumentsText: string }): void => {
      const call = this.#calls.get(id);
      if (call !== undefined) call.argumentsText = argumentsText;
    };
    const setContents = ({ id }: { id: string }, { credential, resultText }: ExecutionEnd): void => {
      if (credential === "personal") return;
      this.#setContent(id, "gen_ai.tool.call.arguments", this.#calls.get(id)?.argumentsText ?? null);
      this.#setContent(id, "gen_ai.tool.call.result", resultText);
    };
    return {
      begin(start) {
        keepArguments(start);
        return journal.begin(start);
      },
      proceed: (start, proceeding) => {
        const { argumentsText } = proceeding;
        if (argumentsText !== undefined) keepArguments({ id: start.id, argumentsText });
        return journal.proceed(start, proceeding);
      },
      finish: (start, end) => {
        setContents(start, end);
        return journal.finish(start, end);
      },
      record: (start, end) => {
        keepArguments(start);
        setContents(start, end);
        return journal.record(start, end);
      },
    };
  }

  #setContent(executionId: string, key: string, text: string | null): void {
    if (text === null) return;
    const call = this.#calls.get(executionId);
    const cut = text.length > MAX_CONTENT_CHARS ? `${text.slice(0, MAX_CONTENT_CHARS)}…` : text;
    call?.span.setAttribute(key, cut);
    call?.request?.setAttribute(key, cut);
  }
}
