import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChatResponse } from "../../../lib/contract/chat";
import type { ChatClient } from "../../engine/agent/chat-ports";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { Collector } from "./collector.test-support";
import { readTelemetrySettings, startTelemetry } from "./read-telemetry-settings";
import { OpenTraces, type Telemetry } from "./telemetry";

const open = new OpenTraces();
afterEach(() => vi.unstubAllEnvs());

async function start(url: string, logger = recordingLogger()): Promise<Telemetry> {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", url);
  vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "20");
  vi.stubEnv("OTEL_BSP_MAX_QUEUE_SIZE", "100");
  vi.stubEnv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "10");
  const settings = { traces: true, metrics: true, captureContent: false, metricIntervalMs: 100 };
  const masking = { inText: (text: string) => text };
  const telemetry = await startTelemetry({ settings, logger, masking, version: "1", instanceId: "inst_1", open });
  if (telemetry === null) throw new Error("Telemetry is off");
  return telemetry;
}

function endRun(telemetry: Telemetry, id: string): void {
  telemetry.noteRun({ id, status: "running" });
  telemetry.noteRun({ id, status: "succeeded" });
}

describe("the settings", () => {
  it("are off without an endpoint, with an empty one, and where the SDK is disabled", () => {
    const off = { traces: false, metrics: false };
    expect(readTelemetrySettings({})).toMatchObject(off);
    expect(readTelemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toMatchObject(off);
    const url = "http://127.0.0.1:4318";
    expect(readTelemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: "TRUE" })).toMatchObject(off);
    expect(readTelemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).toMatchObject({ traces: true, metrics: true });
    expect(readTelemetrySettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url })).toMatchObject({ ...off, traces: true });
    expect(readTelemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRICS_EXPORTER: "none" })).toMatchObject({
      ...off,
      traces: true,
    });
  });

  it("record contents only where that is requested", () => {
    const read = (value: string) =>
      readTelemetrySettings({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value }).captureContent;
    expect(["true", "SPAN_ONLY", "span_and_event"].map(read)).toEqual([true, true, true]);
    expect(["", "false", "NO_CONTENT", "EVENT_ONLY"].map(read)).toEqual([false, false, false, false]);
  });

  it.each([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" },
      /OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https address/,
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://x:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /gRPC is not supported/],
    [{ OTEL_METRIC_EXPORT_INTERVAL: "soon" }, /OTEL_METRIC_EXPORT_INTERVAL: must be a number of milliseconds/],
  ])("name a variable that cannot be used: %j", (variables, message) => {
    expect(() => readTelemetrySettings(variables)).toThrow(message);
  });
});

describe("a collector that is down", () => {
  it("costs one log line, a bounded queue, and no wait at the end", async () => {
    const collector = await Collector.start();
    collector.status = 400;
    const logger = recordingLogger();
    const { lines } = logger;
    const telemetry = await start(collector.url, logger);
    for (let run = 0; run < 3; run += 1) {
      const before = collector.headers.length;
      for (let index = 0; index < 300; index += 1) endRun(telemetry, `run_${run}_${index}`);
      await vi.waitFor(() => expect(collector.headers.length).toBeGreaterThan(before));
    }
    const warnings = () => lines.filter(({ message }) => message.includes("does not accept spans"));
    await vi.waitFor(() => expect(warnings()).toHaveLength(1));
    collector.status = 200;
    endRun(telemetry, "run_last");
    await vi.waitFor(() => expect(lines.map(({ message }) => message)).toContain("The collector accepts spans again"));
    await collector.stop();
    endRun(telemetry, "run_lost");
    await telemetry.close();
    expect(warnings().length).toBeLessThanOrEqual(2);
    // Each burst of 300 fills the queue of 100.
    expect(collector.spans.length).toBeLessThan(300);
  });
});

describe("a request to a model", () => {
  const response: ChatResponse = {
    messages: [],
    finishReason: "stop",
    model: "gemini-9-001",
    responseId: "resp_1",
    usage: { inputTokens: 7, outputTokens: 5, cachedInputTokens: 2, reasoningTokens: 1 },
  };
  const client: ChatClient = {
    getResponse: async (messages) => {
      if (messages.length === 0) return response;
      throw Object.assign(new Error("secret"), { name: "ChatClientError", kind: "rate_limit" });
    },
    async *getStreamingResponse() {
      yield { type: "text", text: "a" };
      yield { type: "response", response };
    },
  };

  it("has the attributes of the conventions, and the class of its failure", async () => {
    const collector = await Collector.start();
    const telemetry = await start(collector.url);
    const models = { client: async () => client, endpoint: () => "gemini http://127.0.0.1:8080/v1" };
    const traced = await telemetry.traceModels(models)("google");
    await traced.getResponse([], { model: "gemini-9", maxOutputTokens: 50, temperature: 0.5 });
    await expect(traced.getResponse([{ role: "user", contents: [] }], { model: "refused" })).rejects.toThrow("secret");
    for await (const update of traced.getStreamingResponse([], { model: "streamed" }))
      if (update.type === "text") break;
    await telemetry.close();
    expect(collector.find("chat gemini-9")).toMatchObject({
      kind: 3,
      status: 0,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "gemini-9",
        "gen_ai.request.max_tokens": 50,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.model": "gemini-9-001",
        "gen_ai.response.id": "resp_1",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 2,
        "gen_ai.usage.reasoning.output_tokens": 1,
        "server.address": "127.0.0.1",
        "server.port": 8080,
      },
    });
    expect(collector.find("chat refused")).toMatchObject({ status: 2, attributes: { "error.type": "rate_limit" } });
    expect(collector.find("chat streamed")).toMatchObject({ status: 2, attributes: { "error.type": "aborted" } });
    expect(JSON.stringify(collector.spans)).not.toContain("secret");
    await collector.stop();
  });
});

it("log lines about a call or a run that is open name its trace", () => {
  const traces = new OpenTraces();
  traces.set("exec_1", { traceId: "t", spanId: "s", traceFlags: 1 });
  const named = { trace_id: "t", span_id: "s" };
  expect(traces.addTo({ execution_id: "exec_1", tool: "echo" })).toEqual({
    execution_id: "exec_1",
    tool: "echo",
    ...named,
  });
  expect(traces.addTo({ executionId: "exec_1" })).toMatchObject(named);
  const other = { runId: "run_1" };
  expect(traces.addTo(other)).toBe(other);
  traces.delete("exec_1");
  expect(traces.addTo({ execution_id: "exec_1" })).toEqual({ execution_id: "exec_1" });
});
