import { describe, expect, it } from "vitest";
import type { FailureEnvelope } from "../../../lib/contract/envelope";
import { recordingLogger } from "../recording-logger.test-support";
import { engineWith, memoryJournal, mock, tool, WEATHER } from "./executor.test-support";

/** Builds a value that a tool may return by mistake: it looks like a promise and is none. */
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

  it.each([
    { levels: 1000, succeeds: true },
    { levels: 1001, succeeds: false },
    { levels: 1_000_000, succeeds: false },
  ])("EXE-04 a result of $levels levels: success is $succeeds, decided by a count in every engine", async (example) => {
    const { registry, executor } = engineWith({
      builtins: { nest: () => JSON.parse("[".repeat(example.levels) + "]".repeat(example.levels)) },
    });
    registry.register(tool("nest", { type: "builtin", handler: "nest" }));
    const envelope = await executor.execute("nest", {});
    expect(envelope.success).toBe(example.succeeds);
    if (!envelope.success) expect(envelope.error).toContain("the value is nested deeper than 1000 levels");
  });

  it("TIME-03 a cancel during the recording of the start takes effect, and the tool does not run", async () => {
    let runs = 0;
    const controller = new AbortController();
    const { registry, executor } = engineWith({
      builtins: { count: async () => (runs += 1) },
      journal: {
        begin: async () => controller.abort(),
        proceed: async () => true,
        finish: async () => {},
        record: async () => {},
      },
    });
    registry.register(tool("counted", { type: "builtin", handler: "count" }));
    expect(await executor.execute("counted", {}, { signal: controller.signal })).toMatchObject({ status: "cancelled" });
    expect(runs).toBe(0);
  });

  it("TIME-03 waiting for a validation counts against the call's limit and can be cancelled", async () => {
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
      error: expect.stringContaining("exceed the limit of 1000 bytes"),
      limit: { name: "argument_size", unit: "bytes" },
    });
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(await executor.execute("echo", { deep })).toMatchObject({
      error: expect.stringContaining("exceed the limit of 8 nesting levels"),
    });
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(await executor.execute("echo", cyclic)).toMatchObject({
      error: expect.stringContaining("exceed the limit of 8 nesting levels"),
    });
  });

  it("VAL-01 a call that asks for it skips validation, to see the tool's own errors", async () => {
    const { registry, executor } = engineWith();
    registry.register(tool("echo", { type: "builtin", handler: "echo" }, WEATHER));
    expect(await executor.execute("echo", { days: "x" }, { skipValidation: true })).toMatchObject({ success: true });
  });
});
