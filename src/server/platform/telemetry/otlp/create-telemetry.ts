import { ExportResultCode } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";
import { withinMs } from "../../shared/within-ms";
import type { Telemetry, TelemetryOptions } from "../telemetry";
import { ExecutionSpans } from "./execution-spans";
import { createClientTelemetry, GatewaySpans } from "./mcp-spans";
import { ModelSpans } from "./model-spans";
import { createRandomIds } from "./trace-context";

/** How long the end of the server waits for a collector. */
const CLOSE_LIMIT_MS = 3000;
/** Seconds, as the conventions for MCP say. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Providers of its own and none of the global ones: other libraries would begin to send spans with them. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { settings, logger, masking, version, instanceId, open, isPaused = () => false } = options;
  const own = { "service.name": "toolroom", "service.version": version, "service.instance.id": instanceId };
  const resource = defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
  const spanExporter = settings.traces ? reportFailures(new OTLPTraceExporter(), "spans", logger, isPaused) : null;
  const provider = new BasicTracerProvider({
    resource,
    idGenerator: createRandomIds(),
    ...(spanExporter === null
      ? { sampler: new AlwaysOffSampler() }
      : { spanProcessors: [new BatchSpanProcessor(spanExporter)] }),
  });
  const meters = settings.metrics
    ? new MeterProvider({
        resource,
        readers: [
          new PeriodicExportingMetricReader({
            exporter: reportFailures(new OTLPMetricExporter(), "metrics", logger, isPaused),
            exportIntervalMillis: settings.metricIntervalMs,
            exportTimeoutMillis: Math.min(settings.metricIntervalMs, 10_000),
          }),
        ],
      })
    : null;
  const meter = meters?.getMeter("toolroom", version) ?? null;
  const measure = (name: string, description: string) =>
    meter?.createHistogram(name, { unit: "s", description, advice: { explicitBucketBoundaries: BUCKETS } }) ?? null;
  const tracer = provider.getTracer("toolroom", version);
  const common = { tracer, sendsSpans: settings.traces, withoutSecrets: (text: string) => masking.inText(text) };
  const gateway = new GatewaySpans({
    ...common,
    operations: measure(
      "mcp.server.operation.duration",
      "MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent.",
    ),
    sessions: measure("mcp.server.session.duration", "The duration of the MCP session as observed on the MCP server."),
  });
  const client = createClientTelemetry({
    ...common,
    operations: measure(
      "mcp.client.operation.duration",
      "The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received.",
    ),
    sessions: measure("mcp.client.session.duration", "The duration of the MCP session as observed on the MCP client."),
  });
  const models = new ModelSpans({ tracer, open });
  const executions = new ExecutionSpans({ ...common, open, gateway, findRun: (id) => models.findRun(id) });
  return {
    client,
    gateway,
    traceExecutor: (executor) => executions.traceExecutor(executor),
    traceJournal: (journal) =>
      settings.traces && settings.captureContent ? executions.traceJournal(journal) : journal,
    traceModels: (directory) => (settings.traces ? models.traceModels(directory) : directory.client),
    noteRun: (run) => models.noteRun(run),
    async close() {
      const ends = [provider.shutdown(), meters?.shutdown()];
      // A collector that cannot be reached was logged before.
      await withinMs(Promise.allSettled(ends), CLOSE_LIMIT_MS);
    },
  };
}

/** Writes one line when the collector cannot be reached, and one when it can again. */
function reportFailures<Exporter extends SpanExporter | PushMetricExporter>(
  exporter: Exporter,
  what: string,
  logger: TelemetryOptions["logger"],
  isPaused: () => boolean,
): Exporter {
  let isFailing = false;
  const send = exporter.export.bind(exporter) as (items: unknown, done: Parameters<SpanExporter["export"]>[1]) => void;
  exporter.export = (items: unknown, done: Parameters<SpanExporter["export"]>[1]) => {
    if (isPaused()) return done({ code: ExportResultCode.SUCCESS });
    send(items, (result) => {
      const failed = result.code !== ExportResultCode.SUCCESS;
      if (failed && !isFailing) {
        const { name, message } = result.error ?? { name: "Error", message: "" };
        const reason = message || name;
        logger.warn(
          { reason: reason.slice(0, 300) },
          `The collector does not accept ${what}; they are dropped until it does`,
        );
      } else if (!failed && isFailing) logger.info({}, `The collector accepts ${what} again`);
      isFailing = failed;
      done(result);
    });
  };
  return exporter;
}
