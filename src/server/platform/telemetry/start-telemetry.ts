import type { Telemetry, TelemetryOptions } from "./telemetry";

/** Null without an endpoint: then nothing of OpenTelemetry is loaded. Its SDK reads the other `OTEL_` variables itself. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry | null> {
  const { traces, metrics } = options.settings;
  if (!traces && !metrics) return null;
  const { createTelemetry } = await import("./otlp/create-telemetry");
  return createTelemetry(options);
}
