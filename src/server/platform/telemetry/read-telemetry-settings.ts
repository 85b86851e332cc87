import type { Telemetry, TelemetryOptions, TelemetrySettings } from "./telemetry";

const DEFAULT_INTERVAL_MS = 60_000;
const MIN_INTERVAL_MS = 100;
const CAPTURES_SPANS = /^(?:true|span_only|span_and_event)$/i;
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The part of OpenTelemetry's variables that decides whether it is loaded; an empty one counts as not set, as the
 * specification says.
 * @throws Error that names the variable
 */
export function readTelemetrySettings(variables: Variables): TelemetrySettings {
  const isOff = variables.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true";
  const isOn = (signal: "TRACES" | "METRICS"): boolean => {
    const endpoint = variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || variables.OTEL_EXPORTER_OTLP_ENDPOINT;
    if (isOff || !endpoint || variables[`OTEL_${signal}_EXPORTER`]?.trim() === "none") return false;
    const name = variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]
      ? `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`
      : "OTEL_EXPORTER_OTLP_ENDPOINT";
    if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) {
      throw new Error(`Environment variable ${name}: must be an http or https address, such as http://127.0.0.1:4318`);
    }
    const protocol = variables[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] || variables.OTEL_EXPORTER_OTLP_PROTOCOL;
    if (protocol?.trim() === "grpc") {
      throw new Error(
        "Environment variable OTEL_EXPORTER_OTLP_PROTOCOL: gRPC is not supported. Set http/json, and the collector's HTTP port, usually 4318",
      );
    }
    return true;
  };
  const interval = Number(variables.OTEL_METRIC_EXPORT_INTERVAL || DEFAULT_INTERVAL_MS);
  if (!Number.isFinite(interval) || interval < MIN_INTERVAL_MS) {
    throw new Error(
      `Environment variable OTEL_METRIC_EXPORT_INTERVAL: must be a number of milliseconds, ${MIN_INTERVAL_MS} or more`,
    );
  }
  return {
    traces: isOn("TRACES"),
    metrics: isOn("METRICS"),
    captureContent: CAPTURES_SPANS.test(variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim() ?? ""),
    metricIntervalMs: interval,
  };
}

/** Null without an endpoint: then nothing of OpenTelemetry is loaded. Its SDK reads the other `OTEL_` variables itself. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry | null> {
  const { traces, metrics } = options.settings;
  if (!traces && !metrics) return null;
  const { createTelemetry } = await import("./otlp/create-telemetry");
  return createTelemetry(options);
}
