import { describe, expect, it } from "vitest";
import type { ToolCallResult } from "../../../lib/contract/content";
import type { FailureEnvelope, SuccessEnvelope } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { ToolFailure } from "../failures";
import type { McpCaller } from "../mcp-ports";
import { engineWith, memoryJournal, NO_PARAMETERS, tool, WEATHER } from "./executor.test-support";

function serverTool(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  const [server = "", own = ""] = name.split("__");
  return { ...tool(name, { type: "mcp", server, tool: own }), ...more };
}

function answering(answer: ToolCallResult | ((...call: Parameters<McpCaller["call"]>) => Promise<ToolCallResult>)) {
  const calls: Parameters<McpCaller["call"]>[] = [];
  const mcp: McpCaller = {
    call: async (...call) => {
      calls.push(call);
      return typeof answer === "function" ? answer(...call) : answer;
    },
  };
  return { mcp, calls };
}

const text = (said: string): ToolCallResult => ({ content: [{ type: "text", text: said }] });

describe("tools of MCP servers", () => {
  it("IMPL-09 RTE-01 a call runs on the server that its definition names, under the server's own name", async () => {
    const { mcp, calls } = answering(text("ok"));
    const { rows, journal } = memoryJournal();
    const { registry, executor } = engineWith({ mcp, journal });
    registry.registerServerTool(serverTool("files__read_file"));
    const envelope = (await executor.execute("files__read_file", {})) as SuccessEnvelope;
    expect(envelope).toMatchObject({ success: true, result: text("ok"), tool_name: "files__read_file" });
    expect(calls[0]?.slice(0, 2)).toEqual(["files", "read_file"]);
    expect(rows.at(-1)?.start).toMatchObject({ serverName: "files", implementationType: "mcp" });
  });

  it("RTE-03 arguments reach the server unchanged: the same object, unknown keys and no defaults added", async () => {
    const { mcp, calls } = answering(text("ok"));
    const { registry, executor } = engineWith({ mcp });
    const parameters = { ...WEATHER, additionalProperties: false };
    registry.registerServerTool(serverTool("w__get", { parameters }));
    const args = { location: "Oslo", extra: { deep: [null, ""] } };
    await executor.execute("w__get", args);
    expect(calls[0]?.[2]).toBe(args);
    expect(args).toEqual({ location: "Oslo", extra: { deep: [null, ""] } });
  });

  it("ERR-04 an answer with isError is a failure with the server's text, and the whole answer is kept", async () => {
    const answer: ToolCallResult = {
      isError: true,
      content: [
        { type: "text", text: "Access denied" },
        { type: "text", text: "path outside" },
      ],
    };
    const { rows, journal } = memoryJournal();
    const { registry, executor } = engineWith({ mcp: answering(answer).mcp, journal });
    registry.registerServerTool(serverTool("files__read"));
    const envelope = (await executor.execute("files__read", {})) as FailureEnvelope;
    expect(envelope).toMatchObject({ success: false, error: "Access denied\npath outside", error_kind: "tool_error" });
    expect(envelope.result).toEqual(answer);
    expect(JSON.parse(rows.at(-1)?.end?.resultText ?? "")).toEqual(answer);
    expect(envelope).not.toHaveProperty("resultText");
  });

  it("ERR-05 an error of the protocol or the transport is a failure envelope with its message", async () => {
    const { mcp } = answering(() =>
      Promise.reject(new ToolFailure("unavailable", "Server 'files' ended (exit code 3)")),
    );
    const { registry, executor } = engineWith({ mcp });
    registry.registerServerTool(serverTool("files__read"));
    expect(await executor.execute("files__read", {})).toMatchObject({
      success: false,
      error: "Server 'files' ended (exit code 3)",
      error_kind: "unavailable",
    });
  });

  it("RTE-02 an unknown prefix is an error that names it, and a server that is still connecting is waited for", async () => {
    const { mcp } = answering(text("late"));
    const engine = engineWith({
      mcp,
      explainMissing: (name) => {
        if (!name.startsWith("files__")) return Promise.resolve("no server has the prefix 'ghost'");
        engine.registry.registerServerTool(serverTool("files__read"));
        return Promise.resolve("not reached");
      },
    });
    expect(await engine.executor.execute("ghost__read", {})).toMatchObject({
      success: false,
      error: "Tool 'ghost__read' not found: no server has the prefix 'ghost'",
      error_kind: "not_found",
    });
    expect(await engine.executor.execute("files__read", {})).toMatchObject({ success: true });
  });

  it("RTE-02 a tool that its server lists but that cannot be called is not called unknown", async () => {
    const { executor } = engineWith({
      explainMissing: () => Promise.resolve({ unusable: "name must be a non-empty string" }),
    });
    expect(await executor.execute("files__odd", {})).toMatchObject({
      success: false,
      error: "Tool 'files__odd' cannot be called: name must be a non-empty string",
      error_kind: "not_found",
    });
  });

  it("TIME-03 waiting for a server that may have the tool ends with the call's limit and with the caller's cancel", async () => {
    const signals: AbortSignal[] = [];
    const { executor } = engineWith({
      explainMissing: (_name, signal) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    expect(await executor.execute("mute__nope", {}, { timeoutMs: 30 })).toMatchObject({
      error: "Tool 'mute__nope' not found: its server is still connecting",
      error_kind: "not_found",
    });
    const controller = new AbortController();
    const cancelled = executor.execute("mute__nope", {}, { signal: controller.signal });
    controller.abort();
    expect(await cancelled).toMatchObject({ status: "cancelled" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("OUT-02 an answer too large to store loses only its largest media", async () => {
    const small = { type: "image" as const, data: "QUJD", mimeType: "image/png" };
    const large = { type: "image" as const, data: "A".repeat(4000), mimeType: "image/png" };
    const answer: ToolCallResult = { content: [{ type: "text", text: "two" }, small, large] };
    const { rows, journal } = memoryJournal();
    const { registry, executor } = engineWith({
      mcp: answering(answer).mcp,
      journal,
      limits: { maxStoredBytes: 1000 },
    });
    registry.registerServerTool(serverTool("m__look"));
    expect(await executor.execute("m__look", {})).toMatchObject({ success: true, result: answer });
    const end = rows.at(-1)?.end;
    expect(end).toMatchObject({ resultTruncated: true, resultBytes: JSON.stringify(answer).length });
    expect(JSON.parse(end?.resultText ?? "")).toEqual({
      content: [{ type: "text", text: "two" }, small, { ...large, data: "", left_out_bytes: 3000 }],
    });
  });

  it("OUT-02 what a model gets names what is no text with kind, type and bytes; what is stored is whole", async () => {
    const answer: ToolCallResult = {
      content: [
        { type: "text", text: "before" },
        { type: "image", data: "QUJD", mimeType: "image/png" },
        { type: "audio", data: "QUI=", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///a.bin", blob: "QQ==", mimeType: "application/zip" } },
        { type: "resource", resource: { uri: "file:///a.txt", text: "inside" } },
        { type: "resource_link", uri: "file:///b.txt", name: "b" },
        { type: "hologram", depth: 3 },
      ],
    };
    const { rows, journal } = memoryJournal();
    const { registry, executor } = engineWith({ mcp: answering(answer).mcp, journal });
    registry.registerServerTool(serverTool("m__look"));
    await executor.execute("m__look", {});
    const seen = [
      "before",
      "[image left out: image/png, 3 bytes]",
      "[audio left out: audio/wav, 2 bytes]",
      "[resource file:///a.bin left out: application/zip, 1 bytes]",
      "inside",
      "[resource link: file:///b.txt, b]",
      '{"type":"hologram","depth":3}',
    ].join("\n");
    expect(rows.at(-1)?.end).toMatchObject({ resultText: JSON.stringify(answer), resultChars: seen.length });
  });

  it("a promise about structured content that was not kept is a warning in the log, not a failure", async () => {
    const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const { rows, journal } = memoryJournal();
    const answers: ToolCallResult[] = [
      { content: [], structuredContent: { n: "1" } },
      { content: [] },
      { content: [], structuredContent: { n: 1 } },
    ];
    const { mcp } = answering(async () => answers.shift() ?? text("none left"));
    const { registry, executor } = engineWith({ mcp, journal });
    registry.registerServerTool(serverTool("s__get", { outputSchema }));
    const warnings: (string | undefined)[] = [];
    for (let call = 0; call < 3; call += 1) {
      expect((await executor.execute("s__get", {})).success).toBe(true);
      warnings.push(rows.at(-1)?.end?.logs?.[0]?.message);
    }
    expect(warnings).toEqual([
      expect.stringContaining("does not match the tool's output schema: 'n' must be integer"),
      expect.stringContaining("sent no structured content"),
      undefined,
    ]);
  });

  it("TIME-03 progress restarts the limit where the tool allows it, and the total limit still ends the call", async () => {
    const { mcp } = answering(async (_server, _tool, _args, context) => {
      const beat = setInterval(() => context.progress(1), 20);
      context.signal.addEventListener("abort", () => clearInterval(beat));
      return new Promise(() => {});
    });
    const heard: number[] = [];
    const { registry, executor } = engineWith({ mcp });
    registry.registerServerTool(serverTool("p__slow", { timeout_ms: 60, max_total_timeout_ms: 300 }));
    const envelope = await executor.execute("p__slow", {}, { onProgress: (progress) => heard.push(progress) });
    expect(envelope).toMatchObject({ success: false, status: "timed_out" });
    expect(envelope.execution_time_ms).toBeGreaterThan(200);
    expect(heard.length).toBeGreaterThan(5);
  });

  it("MCP-02 TIME-03 the error of a timed-out call contains what its server printed during the call", async () => {
    const { mcp } = answering(async (_server, _tool, _args, context) => {
      context.setTimeoutHint("Meanwhile it printed: debug: hello");
      return new Promise(() => {});
    });
    const { registry, executor } = engineWith({ mcp });
    registry.registerServerTool(serverTool("p__hang", { timeout_ms: 30 }));
    expect(await executor.execute("p__hang", {})).toMatchObject({
      error: "Tool 'p__hang' timed out after 30 ms. Meanwhile it printed: debug: hello",
      error_kind: "timeout",
    });
  });

  it("TIME-03 the timeout is paused while a user is asked, and that time is no part of the call's time", async () => {
    const { mcp } = answering(async (_server, _tool, _args, context) => {
      const release = context.hold();
      await new Promise((resolve) => setTimeout(resolve, 150));
      release();
      return text("answered");
    });
    const { registry, executor } = engineWith({ mcp });
    registry.registerServerTool(serverTool("q__ask", { timeout_ms: 50 }));
    const before = performance.now();
    const envelope = await executor.execute("q__ask", {});
    expect(envelope).toMatchObject({ success: true });
    expect(envelope.execution_time_ms).toBeLessThanOrEqual(performance.now() - before - 145);
  });

  it("DEF-01 configuration and console cannot define a tool of a server", () => {
    const { registry } = engineWith();
    expect(() => registry.register(serverTool("files__read", { parameters: NO_PARAMETERS }))).toThrow(
      /implementation.type must be one of/,
    );
  });
});
