import { describe, expect, it } from "vitest";
import type { FailureEnvelope } from "../../../lib/contract/envelope";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { ServerStopping } from "../failures";
import { recordingLogger } from "../recording-logger.test-support";
import { engineWith, memoryJournal, mock, NO_PARAMETERS, tool, WEATHER } from "./executor.test-support";

describe("time and cancelling", () => {
  it("TIME-01 every envelope has execution_time_ms, spanning validation and run", async () => {
    const { registry, executor } = engineWith({
      builtins: { wait: () => new Promise((resolve) => setTimeout(() => resolve(1), 30)) },
    });
    registry.register(tool("wait", { type: "builtin", handler: "wait" }));
    registry.register(mock("strict", 1, WEATHER));
    expect((await executor.execute("wait", {})).execution_time_ms).toBeGreaterThanOrEqual(28);
    expect((await executor.execute("strict", {})).execution_time_ms).toBeGreaterThan(0);
    expect((await executor.execute("nope", {})).execution_time_ms).toBeGreaterThan(0);
  });

  it("TIME-02 a run over the limit of slow_ms is warned about with name and duration", async () => {
    const logger = recordingLogger();
    const { registry, executor } = engineWith({
      logger,
      limits: { slowMs: 20 },
      builtins: { wait: () => new Promise((resolve) => setTimeout(() => resolve(1), 40)) },
    });
    registry.register(tool("wait", { type: "builtin", handler: "wait" }));
    registry.register(mock("quick", 1));
    await executor.execute("quick", {});
    expect(logger.lines.filter(({ level }) => level === "warn")).toEqual([]);
    await executor.execute("wait", {});
    const warning = logger.lines.find(({ level }) => level === "warn");
    expect(warning?.message).toMatch(/'wait' is slow: \d+ ms/);
    expect(warning?.fields.execution_time_ms).toBeGreaterThan(20);
  });

  it("TIME-02 the limit is 1000 ms and TIME-03 the timeout 30 s unless configured", () => {
    expect(engineWith().limits).toMatchObject({ slowMs: 1000, timeoutMs: 30_000 });
  });

  it("TIME-03 the timeout is taken from the call, else the tool, else the global limit; the work is aborted and the error says how long", async () => {
    const aborted: unknown[] = [];
    const { registry, executor } = engineWith({
      limits: { timeoutMs: 60 },
      builtins: {
        hang: (_args, { signal }) =>
          new Promise(() => signal.addEventListener("abort", () => aborted.push((signal.reason as Error).name))),
      },
    });
    registry.register(tool("hang", { type: "builtin", handler: "hang" }));
    registry.register({ ...tool("hang_tool", { type: "builtin", handler: "hang" }), timeout_ms: 30 });
    expect(await executor.execute("hang", {})).toMatchObject({
      success: false,
      status: "timed_out",
      error: "Tool 'hang' timed out after 60 ms",
      limit: { name: "timeout", value: 60, setBy: "global" },
    });
    expect(await executor.execute("hang_tool", {})).toMatchObject({ limit: { value: 30, setBy: "tool" } });
    expect(await executor.execute("hang_tool", {}, { timeoutMs: 10 })).toMatchObject({
      limit: { value: 10, setBy: "call" },
    });
    expect(aborted).toEqual(["TimeoutError", "TimeoutError", "TimeoutError"]);
  });

  it("TIME-03 the caller's cancel differs from a timeout, in status and error", async () => {
    const { registry, executor } = engineWith({ builtins: { hang: () => new Promise(() => {}) } });
    registry.register(tool("hang", { type: "builtin", handler: "hang" }));
    const controller = new AbortController();
    const running = executor.execute("hang", {}, { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ success: false, status: "cancelled", error_kind: "cancelled" });
    expect(await executor.execute("hang", {}, { signal: controller.signal })).toMatchObject({ status: "cancelled" });
  });

  it("TIME-03 the end of the server is recorded as interrupted", async () => {
    const { registry, executor } = engineWith({ builtins: { hang: () => new Promise(() => {}) } });
    registry.register(tool("hang", { type: "builtin", handler: "hang" }));
    const controller = new AbortController();
    const running = executor.execute("hang", {}, { signal: controller.signal });
    controller.abort(new ServerStopping());
    expect(await running).toMatchObject({ status: "interrupted", error_kind: "interrupted" });
  });

  it("TIME-03 a late answer or a late failure after the limit changes nothing", async () => {
    const { rows, journal } = memoryJournal();
    let settled = 0;
    const late = (settle: (resolve: (v: unknown) => void, reject: (e: Error) => void) => void) => () =>
      new Promise((resolve, reject) =>
        setTimeout(() => {
          settle(resolve, reject);
          settled += 1;
        }, 30),
      );
    const { registry, executor } = engineWith({
      journal,
      builtins: { answers: late((resolve) => resolve("late")), fails: late((_, reject) => reject(new Error("late"))) },
    });
    for (const handler of ["answers", "fails"]) {
      registry.register(tool(handler, { type: "builtin", handler }));
      expect(await executor.execute(handler, {}, { timeoutMs: 5 })).toMatchObject({ status: "timed_out" });
    }
    await waitUntil(() => settled === 2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(rows.filter(({ phase }) => phase === "finish").map(({ end }) => end?.status)).toEqual([
      "timed_out",
      "timed_out",
    ]);
  });
});

describe("messages", () => {
  it("ERR-01 a network failure says that the service is unavailable and which", async () => {
    const { registry, executor } = engineWith({
      builtins: {
        unknown: () => {
          throw Object.assign(new Error("getaddrinfo ENOTFOUND api.example"), {
            code: "ENOTFOUND",
            hostname: "api.example",
          });
        },
      },
    });
    registry.register(tool("unknown", { type: "builtin", handler: "unknown" }));
    // The port of a server that has just ended is surely closed.
    const { createServer } = await import("node:http");
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    registry.registerFunction(
      { name: "gone", description: "Calls a server that has ended", parameters: NO_PARAMETERS },
      async () => (await fetch(`http://127.0.0.1:${port}/`)).text(),
    );
    expect(await executor.execute("gone", {})).toMatchObject({
      success: false,
      error_kind: "unavailable",
      error: `Service '127.0.0.1:${port}' is unavailable: connection refused (ECONNREFUSED)`,
    });
    expect(await executor.execute("unknown", {})).toMatchObject({
      error: "Service 'api.example' is unavailable: host name not found (ENOTFOUND)",
    });
  });

  it("ERR-02 invalid arguments come with a description of the required parameters", async () => {
    const { registry, executor } = engineWith();
    registry.register(mock("get_weather", 1, WEATHER));
    expect(await executor.execute("get_weather", {})).toMatchObject({
      required_parameters: [{ name: "location", type: "string", description: "City name" }],
    });
  });

  it("ERR-03 a failure is logged with tool, arguments and stack; the caller sees a message without a stack", async () => {
    const logger = recordingLogger();
    const { registry, executor } = engineWith({
      logger,
      builtins: {
        boom: () => {
          const error = new Error("broken\n    at secret (/etc/app/index.js:1:1)\n    at more (/etc/app/x.js:2:2)");
          throw error;
        },
      },
    });
    registry.register(tool("boom", { type: "builtin", handler: "boom" }));
    const envelope = (await executor.execute("boom", { k: "v" })) as FailureEnvelope;
    expect(envelope.error).toBe("broken");
    expect(JSON.stringify(envelope)).not.toContain("/etc/app");
    const line = logger.lines.find(({ level }) => level === "error");
    expect(line?.fields).toMatchObject({ tool: "boom", arguments: { k: "v" } });
    expect(String(line?.fields.stack)).toContain("at ");
  });

  it("ERR-03 a fault of the engine itself is answered readably and logged with its stack", async () => {
    const logger = recordingLogger();
    const { executor } = engineWith({
      logger,
      journal: {
        begin: async () => {},
        proceed: async () => true,
        finish: async () => {},
        record: () => {
          throw new Error("bug at /srv/app.js");
        },
      },
    });
    const envelope = (await executor.execute("nope", {})) as FailureEnvelope;
    expect(envelope).toMatchObject({ success: false, error_kind: "unexpected" });
    expect(envelope.error).not.toContain("/srv/app.js");
    expect(logger.lines.some(({ fields }) => String(fields.stack).includes("/srv/app.js"))).toBe(true);
  });
});
