import { type Attributes, type Span, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { ChatOptions, ChatResponse } from "../../../../lib/contract/chat";
import type { RunStatus } from "../../../../lib/contract/run";
import type { ChatClient, ModelCaller, ModelDirectory } from "../../../engine/agent/chat-ports";
import type { OpenTraces } from "../telemetry";
import { toParent } from "./trace-context";

/** The names of the conventions, by the kind of a provider. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = { gemini: "gcp.gemini" };
const ENDED: Readonly<Partial<Record<RunStatus, string | null>>> = {
  succeeded: null,
  failed: "_OTHER",
  cancelled: "cancelled",
  interrupted: "interrupted",
};

export class ModelSpans {
  readonly #runs = new Map<string, Span>();

  constructor(private readonly ports: { tracer: Tracer; open: OpenTraces }) {}

  findRun(id: string | undefined): Span | undefined {
    return id === undefined ? undefined : this.#runs.get(id);
  }

  /** A turn of a run is one span, from its start or resumption to its end. */
  noteRun({ id, status }: { id: string; status: RunStatus }): void {
    const open = this.#runs.get(id);
    if (status === "running" && open === undefined) {
      const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": id };
      const span = this.ports.tracer.startSpan(
        "invoke_agent",
        { kind: SpanKind.INTERNAL, attributes },
        toParent(undefined),
      );
      this.#runs.set(id, span);
      this.ports.open.set(id, span.spanContext());
      return;
    }
    const failure = ENDED[status];
    if (open === undefined || failure === undefined) return;
    this.#runs.delete(id);
    this.ports.open.delete(id);
    if (failure !== null) {
      open.setAttribute("error.type", failure);
      open.setStatus({ code: SpanStatusCode.ERROR });
    }
    open.end();
  }

  traceModels(models: Pick<ModelDirectory, "client" | "endpoint">): ModelDirectory["client"] {
    return async (provider, caller) => {
      const client = await models.client(provider, caller);
      return this.#traceClient(client, describeEndpoint(models.endpoint(provider)), caller);
    };
  }

  #traceClient(client: ChatClient, endpoint: Attributes, caller: ModelCaller | undefined): ChatClient {
    const start = (options: ChatOptions | undefined, isStream: boolean) =>
      this.#startCall(options, { ...endpoint, ...(isStream && { "gen_ai.request.stream": true }) }, caller);
    return {
      async getResponse(messages, options) {
        const call = start(options, false);
        try {
          const response = await client.getResponse(messages, options);
          call.end(response);
          return response;
        } catch (error) {
          call.fail(error);
          throw error;
        }
      },
      async *getStreamingResponse(messages, options) {
        const call = start(options, true);
        try {
          for await (const update of client.getStreamingResponse(messages, options)) {
            if (update.type === "response") call.end(update.response);
            else call.noteChunk();
            yield update;
          }
        } catch (error) {
          call.fail(error);
          throw error;
        } finally {
          // The reader left before the end.
          call.fail({ kind: "aborted" });
        }
      },
    };
  }

  #startCall(options: ChatOptions = {}, endpoint: Attributes, caller: ModelCaller = {}) {
    const { model, maxOutputTokens, temperature, stopSequences } = options;
    const run = this.findRun(caller.runId);
    const attributes: Attributes = { "gen_ai.operation.name": "chat", ...endpoint };
    if (model !== undefined) attributes["gen_ai.request.model"] = model;
    if (maxOutputTokens !== undefined) attributes["gen_ai.request.max_tokens"] = maxOutputTokens;
    if (temperature !== undefined) attributes["gen_ai.request.temperature"] = temperature;
    if (stopSequences !== undefined) attributes["gen_ai.request.stop_sequences"] = [...stopSequences];
    if (caller.runId !== undefined) attributes["gen_ai.conversation.id"] = caller.runId;
    run?.setAttributes(pick(attributes, ["gen_ai.provider.name", "gen_ai.request.model"]));
    const parent = toParent(run?.spanContext() ?? this.ports.open.find(caller.executionId));
    const name = model === undefined ? "chat" : `chat ${model}`;
    const span = this.ports.tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
    const startedAt = performance.now();
    let isOpen = true;
    let isFirst = true;
    const finish = (ended: Attributes): void => {
      if (!isOpen) return;
      isOpen = false;
      span.setAttributes(ended);
      if (ended["error.type"] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
    return {
      noteChunk(): void {
        if (isFirst) span.setAttribute("gen_ai.response.time_to_first_chunk", (performance.now() - startedAt) / 1000);
        isFirst = false;
      },
      end: (response: ChatResponse): void => finish(describeResponse(response)),
      fail(error: unknown): void {
        const { kind, name: type } = (error ?? {}) as { kind?: unknown; name?: unknown };
        finish({ "error.type": String(kind ?? type ?? "_OTHER") });
      },
    };
  }
}

function describeResponse({ finishReason, usage, model, responseId }: ChatResponse): Attributes {
  const attributes: Attributes = { "gen_ai.response.finish_reasons": [finishReason] };
  if (model !== undefined) attributes["gen_ai.response.model"] = model;
  if (responseId !== undefined) attributes["gen_ai.response.id"] = responseId;
  if (usage === undefined) return attributes;
  attributes["gen_ai.usage.input_tokens"] = usage.inputTokens;
  attributes["gen_ai.usage.output_tokens"] = usage.outputTokens;
  if (usage.cachedInputTokens !== undefined)
    attributes["gen_ai.usage.cache_read.input_tokens"] = usage.cachedInputTokens;
  if (usage.reasoningTokens !== undefined) attributes["gen_ai.usage.reasoning.output_tokens"] = usage.reasoningTokens;
  return attributes;
}

/** @param endpoint a provider's kind, and its address where it is not the vendor's own */
function describeEndpoint(endpoint: string): Attributes {
  const [kind = "", address] = endpoint.split(" ", 2);
  const attributes: Attributes = { "gen_ai.provider.name": PROVIDER_NAMES[kind] ?? kind };
  if (address === undefined || !URL.canParse(address)) return attributes;
  const { hostname, port, protocol } = new URL(address);
  attributes["server.address"] = hostname.replace(/^\[|\]$/g, "");
  attributes["server.port"] = Number(port || (protocol === "https:" ? 443 : 80));
  return attributes;
}

function pick(attributes: Attributes, keys: readonly string[]): Attributes {
  return Object.fromEntries(keys.flatMap((key) => (attributes[key] === undefined ? [] : [[key, attributes[key]]])));
}
