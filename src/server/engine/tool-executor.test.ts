import { afterEach, describe, expect, it } from "vitest";
import type { FailureEnvelope, JsonSchema, ToolDefinition } from "../../lib/contract";
import { createToolEngine, type ToolEngine, type ToolEngineOptions } from "../create-tool-engine";
import { ServerStopping } from "./failures";
import type { ExecutionEnd, ExecutionJournal, ExecutionStart } from "./ports";
import { recordingLogger } from "./recording-logger.test-support";

const engines: ToolEngine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

function engineWith(options: ToolEngineOptions = {}): ToolEngine {
  const engine = createToolEngine(options);
  engines.push(engine);
  return engine;
}

const NO_PARAMETERS: JsonSchema = { type: "object", properties: {} };
const WEATHER: JsonSchema = {
  type: "object",
  properties: {
    location: { type: "string", description: "City name" },
    units: { type: "string", enum: ["celsius", "fahrenheit"] },
    days: { type: "integer" },
  },
  required: ["location"],
};

function tool(
  name: string,
  implementation: ToolDefinition["implementation"],
  parameters = NO_PARAMETERS,
): ToolDefinition {
  return { name, description: `The ${name} tool`, type: "function", handler: name, parameters, implementation };
}

function mock(name: string, mock_response: unknown, parameters = NO_PARAMETERS): ToolDefinition {
  return tool(name, { type: "mock", mock_response: mock_response as never }, parameters);
}

function memoryJournal() {
  const rows: { phase: "begin" | "finish" | "record"; start: ExecutionStart; end?: ExecutionEnd }[] = [];
  const journal: ExecutionJournal = {
    begin: async (start) => void rows.push({ phase: "begin", start }),
    finish: async (start, end) => void rows.push({ phase: "finish", start, end }),
    record: async (start, end) => void rows.push({ phase: "record", start, end }),
  };
  return { rows, journal };
}

describe("the flow of one execution", () => {
  it("EXE-01 a valid call is looked up, validated, run, and answered with a success envelope", async () => {
    const { registry, executor } = engineWith();
    registry.register(mock("get_weather", { temperature: 22 }, WEATHER));
    const envelope = await executor.execute("get_weather", { location: "Oslo" });
    expect(envelope).toMatchObject({ success: true, result: { temperature: 22 }, tool_name: "get_weather" });
    expect(envelope.execution_time_ms).toBeGreaterThanOrEqual(0);
    expect(Object.keys(envelope)).toEqual(
      expect.arrayContaining(["success", "result", "tool_name", "execution_time_ms"]),
    );
  });

  it("EXE-02 an unknown tool is answered with exactly its sentence, warned about, and nothing is thrown", async () => {
    const logger = recordingLogger();
    const { executor } = engineWith({ logger });
    const envelope = await executor.execute("nope", {});
    expect(envelope).toMatchObject({ success: false, error: "Tool 'nope' not found", tool_name: "nope" });
    expect(logger.lines.find(({ level }) => level === "warn")?.message).toContain("nope");
  });

  it("EXE-03 names the missing parameter exactly and does not run the tool", async () => {
    let runs = 0;
    const { registry, executor } = engineWith({ builtins: { count: () => (runs += 1) } });
    registry.register(tool("counted", { type: "builtin", handler: "count" }, WEATHER));
    const envelope = await executor.execute("counted", {});
    expect(envelope).toMatchObject({ success: false, error: "Invalid parameters: missing 'location'" });
    expect(runs).toBe(0);
  });

  it("EXE-03 lists several faults joined by '; ', missing ones first", async () => {
    const { registry, executor } = engineWith();
    registry.register(mock("get_weather", 1, WEATHER));
    const envelope = (await executor.execute("get_weather", { units: "kelvin", days: 1.5 })) as FailureEnvelope;
    expect(envelope.error).toBe(
      `Invalid parameters: missing 'location'; 'units' must be one of "celsius", "fahrenheit"; 'days' must be integer`,
    );
    expect(envelope.faults?.map(({ pointer }) => pointer)).toEqual(["/location", "/units", "/days"]);
  });

  it("EXE-04 a tool that throws, at once or later, is caught and its message becomes the error", async () => {
    const { registry, executor } = engineWith({
      builtins: {
        now: () => {
          throw new Error("out of paper");
        },
        later: async () => Promise.reject(new Error("out of ink")),
        odd: () => {
          throw { message: "plain object" };
        },
        mute: () => {
          throw undefined;
        },
      },
    });
    for (const handler of ["now", "later", "odd", "mute"])
      registry.register(tool(handler, { type: "builtin", handler }));
    expect(await executor.execute("now", {})).toMatchObject({ success: false, error: "out of paper" });
    expect(await executor.execute("later", {})).toMatchObject({ success: false, error: "out of ink" });
    expect(await executor.execute("odd", {})).toMatchObject({ success: false, error: "plain object" });
    expect(await executor.execute("mute", {})).toMatchObject({
      success: false,
      error: "The tool failed without a message",
    });
  });

  it("EXE-05 one executor serves every source and tells the journal which", async () => {
    const { rows, journal } = memoryJournal();
    const { registry, executor } = engineWith({ journal });
    registry.register(mock("ping", "pong"));
    const sources = ["console", "agent", "gateway", "replay", "background", "api"] as const;
    for (const source of sources) await executor.execute("ping", {}, { source, actor: { id: "u1", name: "Ada" } });
    const begun = rows.filter(({ phase }) => phase === "begin");
    expect(begun.map(({ start }) => start.source)).toEqual(sources);
    expect(begun.every(({ start }) => start.actor.id === "u1")).toBe(true);
  });

  it("EXE-06 every execution is logged and journaled with name, arguments, time, result or error and caller", async () => {
    const logger = recordingLogger();
    const { rows, journal } = memoryJournal();
    const { registry, executor } = engineWith({ logger, journal });
    registry.register(mock("get_weather", { t: 1 }, WEATHER));
    await executor.execute("get_weather", { location: "Oslo" }, { source: "gateway", client: "cli 1.0" });
    await executor.execute("get_weather", {}, { source: "gateway" });
    const [begin, finish, refused] = rows;
    expect(begin?.start).toMatchObject({
      toolName: "get_weather",
      argumentsText: '{"location":"Oslo"}',
      source: "gateway",
      client: "cli 1.0",
    });
    expect(finish?.end).toMatchObject({ status: "succeeded", resultText: '{"t":1}', resultBytes: 7, error: null });
    expect(refused).toMatchObject({ phase: "record", end: { status: "failed", errorKind: "invalid_arguments" } });
    const line = logger.lines.find(({ message }) => message === "Tool executed");
    expect(line?.fields).toMatchObject({
      tool: "get_weather",
      arguments: { location: "Oslo" },
      source: "gateway",
      result_chars: 7,
    });
    expect(line?.fields.execution_time_ms).toEqual(expect.any(Number));
  });

  it("EXE-06 fields marked writeOnly or x-sensitive reach the tool but not the log", async () => {
    const logger = recordingLogger();
    const { registry, executor } = engineWith({ logger });
    const parameters: JsonSchema = {
      type: "object",
      $defs: { key: { type: "string", "x-sensitive": true } },
      properties: {
        user: { type: "string" },
        password: { type: "string", writeOnly: true },
        keys: { type: "array", items: { $ref: "#/$defs/key" } },
      },
    };
    registry.register(tool("login", { type: "builtin", handler: "echo" }, parameters));
    const args = { user: "ada", password: "hunter2", keys: ["k-1"] };
    expect(await executor.execute("login", args)).toMatchObject({ result: { echo: args } });
    const logged = JSON.stringify(logger.lines);
    expect(logged).toContain("ada");
    expect(logged).not.toContain("hunter2");
    expect(logged).not.toContain("k-1");
  });

  it("EXE-04 a result that cannot be JSON is a failure that says so", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const { registry, executor } = engineWith({
      builtins: { cyclic: () => cyclic, big: () => 1n, none: () => undefined },
    });
    for (const handler of ["cyclic", "big", "none"]) registry.register(tool(handler, { type: "builtin", handler }));
    expect(await executor.execute("cyclic", {})).toMatchObject({
      success: false,
      error: expect.stringContaining("JSON"),
    });
    expect(await executor.execute("big", {})).toMatchObject({
      success: false,
      error: expect.stringContaining("BigInt"),
    });
    expect(await executor.execute("none", {})).toMatchObject({ success: true, result: null });
  });

  it("EXE-01 never rejects, whatever it is given", async () => {
    const { registry, executor } = engineWith();
    registry.register(mock("ping", 1));
    for (const args of [null, [], "text", 7, true, Symbol("s"), () => 1]) {
      expect((await executor.execute("ping", args)).success).toBe(false);
    }
    expect((await executor.execute(undefined as never)).success).toBe(false);
    expect(await executor.execute("ping", {}, { timeoutMs: -1 })).toMatchObject({
      success: false,
      error: expect.stringContaining("timeoutMs"),
    });
    expect(await executor.execute("ping")).toMatchObject({ success: true });
  });

  it("EXE-06 when the start cannot be recorded the tool does not run and the caller is told why", async () => {
    let runs = 0;
    const full = async () => Promise.reject(new Error("the disk is full"));
    const { registry, executor } = engineWith({
      builtins: { count: () => (runs += 1) },
      journal: { begin: full, finish: full, record: full },
    });
    registry.register(tool("counted", { type: "builtin", handler: "count" }));
    const envelope = await executor.execute("counted", {});
    expect(envelope).toMatchObject({
      success: false,
      error_kind: "not_recorded",
      error: expect.stringContaining("the disk is full"),
    });
    expect(runs).toBe(0);
  });

  it("EXE-06 when only the end cannot be recorded the caller still gets the result, marked as unrecorded", async () => {
    const { registry, executor } = engineWith({
      journal: {
        begin: async () => {},
        finish: async () => Promise.reject(new Error("the disk is full")),
        record: async () => {},
      },
    });
    registry.register(mock("ping", { done: true }));
    expect(await executor.execute("ping", {})).toMatchObject({
      success: false,
      error_kind: "not_recorded",
      unrecorded_result: { done: true },
    });
  });
});

describe("implementation types", () => {
  it.each([[null], [0], [""], [false], [[1, "two"]], [{ deep: { er: [null] } }], ["text"]])(
    "IMPL-01 a mock returns its response as it is, whatever the arguments: %j",
    async (response) => {
      const { registry, executor } = engineWith();
      registry.register(mock("canned", response));
      expect(await executor.execute("canned", { any: "thing" })).toMatchObject({ success: true, result: response });
    },
  );

  it("IMPL-02 a builtin is found by implementation.handler and gives what it returns", async () => {
    const { registry, executor } = engineWith({ builtins: { double: ({ n }) => ({ doubled: (n as number) * 2 }) } });
    registry.register(tool("twice", { type: "builtin", handler: "double" }));
    expect(await executor.execute("twice", { n: 21 })).toMatchObject({ success: true, result: { doubled: 42 } });
  });

  it("IMPL-03 an unknown builtin is a failure that names it, inherited names included", async () => {
    const { registry, executor } = engineWith();
    for (const handler of ["nope", "constructor", "__proto__", "toString"]) {
      registry.register(tool(`t_${handler}`, { type: "builtin", handler }));
      expect(await executor.execute(`t_${handler}`, {})).toMatchObject({
        success: false,
        error: `Builtin handler '${handler}' not found`,
        error_kind: "handler_not_found",
      });
    }
  });

  it("IMPL-05 echo gives back the arguments", async () => {
    const { registry, executor } = engineWith();
    registry.register(tool("echo", { type: "builtin", handler: "echo" }));
    const args = { a: 1, nested: { b: [null, "x"] } };
    expect(await executor.execute("echo", args)).toMatchObject({ success: true, result: { echo: args } });
  });

  it("IMPL-06 an internal tool calls the product's service of that name", async () => {
    const { registry, executor } = engineWith({ internals: { search: async ({ q }) => ({ found: [q] }) } });
    registry.register(tool("finder", { type: "internal", handler: "search" }));
    expect(await executor.execute("finder", { q: "x" })).toMatchObject({ success: true, result: { found: ["x"] } });
  });

  it("IMPL-07 an unknown internal handler is a failure that names it", async () => {
    const { registry, executor } = engineWith();
    registry.register(tool("finder", { type: "internal", handler: "missing" }));
    expect(await executor.execute("finder", {})).toMatchObject({
      success: false,
      error: "Internal handler 'missing' not found",
    });
  });

  it("IMPL-08 a function registered in code takes one arguments object and its string is the result", async () => {
    const { registry, executor } = engineWith();
    registry.registerFunction(
      { name: "greet", description: "Greets a person", parameters: WEATHER },
      async (args, { signal, logger }) => {
        logger.info("greeting");
        return `Hello ${String(args.location)}, aborted: ${signal.aborted}`;
      },
    );
    expect(await executor.execute("greet", { location: "Oslo" })).toMatchObject({
      success: true,
      result: "Hello Oslo, aborted: false",
    });
    registry.registerFunction({ name: "fails", description: "Always fails", parameters: NO_PARAMETERS }, async () => {
      throw new Error("The printer is out of paper");
    });
    expect(await executor.execute("fails", {})).toMatchObject({ success: false, error: "The printer is out of paper" });
  });

  it("VAL-04 arguments that the schema does not define reach the tool untouched", async () => {
    const { registry, executor } = engineWith();
    const closed: JsonSchema = {
      type: "object",
      properties: { a: { type: "integer", default: 5 } },
      additionalProperties: false,
    };
    registry.register(tool("echo", { type: "builtin", handler: "echo" }, closed));
    const args = { extra: { nested: true } };
    expect(await executor.execute("echo", args)).toMatchObject({
      success: true,
      result: { echo: { extra: { nested: true } } },
    });
    expect(args).toEqual({ extra: { nested: true } });
  });
});

describe("time and cancelling", () => {
  it("TIME-01 every envelope has execution_time_ms, spanning validation and run", async () => {
    const { registry, executor } = engineWith({
      builtins: { wait: () => new Promise((resolve) => setTimeout(() => resolve(1), 30)) },
    });
    registry.register(tool("wait", { type: "builtin", handler: "wait" }));
    registry.register(mock("strict", 1, WEATHER));
    expect((await executor.execute("wait", {})).execution_time_ms).toBeGreaterThanOrEqual(28);
    expect((await executor.execute("strict", {})).execution_time_ms).toBeGreaterThan(0);
    expect((await executor.execute("nope", {})).execution_time_ms).toBeGreaterThanOrEqual(0);
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

  it("TIME-03 the caller's cancel is told apart from a timeout, in status and error", async () => {
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
    const late = (settle: (resolve: (v: unknown) => void, reject: (e: Error) => void) => void) => () =>
      new Promise((resolve, reject) => setTimeout(() => settle(resolve, reject), 30));
    const { registry, executor } = engineWith({
      journal,
      builtins: { answers: late((resolve) => resolve("late")), fails: late((_, reject) => reject(new Error("late"))) },
    });
    for (const handler of ["answers", "fails"]) {
      registry.register(tool(handler, { type: "builtin", handler }));
      expect(await executor.execute(handler, {}, { timeoutMs: 5 })).toMatchObject({ status: "timed_out" });
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
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

/** What a tool may return by mistake: something that looks like a promise and is none. */
function brokenThenable(method: string): object {
  return {
    [method]: () => {
      throw new Error("from then");
    },
  };
}

describe("awkward tools and callers", () => {
  it("EXE-06 every call is recorded once and ended, whatever its arguments, result or error do", async () => {
    const { rows, journal } = memoryJournal();
    const throwing = {
      get code(): string {
        throw new Error("from a getter");
      },
    };
    const { registry, executor } = engineWith({
      journal,
      builtins: {
        broken: () => brokenThenable("then"),
        getter: () => {
          throw throwing;
        },
        kind: () => {
          throw Object.assign(new Error("slow down"), { name: "ToolFailure", kind: "rate_limited" });
        },
        long: () => {
          throw new Error("x".repeat(1_000_000));
        },
      },
    });
    for (const handler of ["broken", "getter", "kind", "long"])
      registry.register(tool(handler, { type: "builtin", handler }));
    registry.register(mock("ping", 1));
    expect(await executor.execute("broken", {})).toMatchObject({ success: false, error: "from then" });
    expect(await executor.execute("getter", {})).toMatchObject({ success: false, error_kind: "tool_error" });
    expect(await executor.execute("kind", {})).toMatchObject({ error: "slow down", error_kind: "tool_error" });
    expect(((await executor.execute("long", {})) as FailureEnvelope).error.length).toBeLessThan(10_100);
    const hostile = {
      get location(): string {
        throw new Error("arguments that throw");
      },
    };
    expect(await executor.execute("ping", hostile)).toMatchObject({ error_kind: "unexpected" });
    expect(await executor.execute("ping", {}, { timeoutMs: 0 })).toMatchObject({ error_kind: "unexpected" });
    expect(await executor.execute("ping", { n: Number.POSITIVE_INFINITY })).toMatchObject({
      error_kind: "invalid_arguments",
    });
    expect(await executor.execute(Symbol("s") as never, null, null as never)).toMatchObject({
      error_kind: "not_found",
    });
    const ended = rows.filter(({ end }) => end !== undefined).map(({ start }) => start.id);
    expect(new Set(rows.map(({ start }) => start.id)).size).toBe(8);
    expect(new Set(ended).size).toBe(8);
    expect(ended).toHaveLength(8);
  });

  it("TIME-03 a cancel that comes while the start is recorded is heard, and the tool does not run", async () => {
    let runs = 0;
    const controller = new AbortController();
    const { registry, executor } = engineWith({
      builtins: { count: async () => (runs += 1) },
      journal: {
        begin: async () => controller.abort(),
        finish: async () => {},
        record: async () => {},
      },
    });
    registry.register(tool("counted", { type: "builtin", handler: "count" }));
    expect(await executor.execute("counted", {}, { signal: controller.signal })).toMatchObject({ status: "cancelled" });
    expect(runs).toBe(0);
  });

  it("TIME-03 waiting for a verdict counts against the call's limit and hears its cancel", async () => {
    const { registry, executor } = engineWith({ validationMs: 3000 });
    registry.register(
      mock("exploding", 1, { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } }),
    );
    const args = { a: `${"a".repeat(60)}!` };
    expect(await executor.execute("exploding", args, { timeoutMs: 50 })).toMatchObject({ status: "timed_out" });
    const controller = new AbortController();
    const waiting = executor.execute("exploding", args, { signal: controller.signal });
    controller.abort();
    expect(await waiting).toMatchObject({ status: "cancelled" });
  });

  it("EXE-06 marked fields stay out of the log also when the call fails unexpectedly or the schema cannot be followed", async () => {
    const logger = recordingLogger();
    const { registry, executor } = engineWith({ logger });
    const secret = { type: "string", writeOnly: true };
    registry.register(mock("direct", 1, { type: "object", properties: { p: secret } }));
    registry.register(
      mock("dependent", 1, {
        type: "object",
        properties: { u: {} },
        dependentSchemas: { u: { properties: { p: secret } } },
      }),
    );
    await executor.execute("direct", { p: "S3CRET" }, { timeoutMs: 0 });
    await executor.execute("dependent", { u: 1, p: "S3CRET" });
    expect(logger.lines.length).toBeGreaterThan(1);
    expect(JSON.stringify(logger.lines)).not.toContain("S3CRET");
  });
});

describe("limits of arguments", () => {
  it("VAL-01 arguments over the size or depth limit are refused before validation, cyclic ones too", async () => {
    const { registry, executor } = engineWith({ limits: { maxArgumentBytes: 1000, maxArgumentDepth: 8 } });
    registry.register(tool("echo", { type: "builtin", handler: "echo" }));
    expect(await executor.execute("echo", { text: "x".repeat(2000) })).toMatchObject({
      error_kind: "invalid_arguments",
      error: expect.stringContaining("larger than 1000 bytes"),
      limit: { name: "argument_size", unit: "bytes" },
    });
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(await executor.execute("echo", { deep })).toMatchObject({
      error: expect.stringContaining("deeper than 8 levels"),
    });
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(await executor.execute("echo", cyclic)).toMatchObject({
      error: expect.stringContaining("deeper than 8 levels"),
    });
  });

  it("VAL-01 a call that asks for it skips validation, to see the tool's own errors", async () => {
    const { registry, executor } = engineWith();
    registry.register(tool("echo", { type: "builtin", handler: "echo" }, WEATHER));
    expect(await executor.execute("echo", { days: "x" }, { skipValidation: true })).toMatchObject({ success: true });
  });
});
