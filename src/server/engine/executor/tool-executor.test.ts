import { describe, expect, it } from "vitest";
import type { FailureEnvelope } from "../../../lib/contract/envelope";
import type { JsonSchema } from "../../../lib/contract/json";
import { recordingLogger } from "../recording-logger.test-support";
import { engineWith, memoryJournal, mock, NO_PARAMETERS, tool, WEATHER } from "./executor.test-support";

describe("the flow of one execution", () => {
  it("EXE-01 a valid call is looked up, validated, run, and answered with a success envelope", async () => {
    const { registry, executor } = engineWith();
    registry.register(mock("get_weather", { temperature: 22 }, WEATHER));
    const envelope = await executor.execute("get_weather", { location: "Oslo" });
    expect(envelope).toMatchObject({ success: true, result: { temperature: 22 }, tool_name: "get_weather" });
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
    const options = { source: "gateway", client: "cli 1.0" } as const;
    const { execution_time_ms } = await executor.execute("get_weather", { location: "Oslo" }, options);
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
      execution_time_ms,
    });
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

  it("EXE-01 never rejects, whatever its input", async () => {
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

  it("EXE-06 when the start cannot be recorded the tool does not run and the error says why", async () => {
    let runs = 0;
    const full = async () => Promise.reject(new Error("the disk is full"));
    const { registry, executor } = engineWith({
      builtins: { count: () => (runs += 1) },
      journal: { begin: full, proceed: full, finish: full, record: full },
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
        proceed: async () => true,
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
