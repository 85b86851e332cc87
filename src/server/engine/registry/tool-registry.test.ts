import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { createToolEngine, type ToolEngineOptions } from "../../create-tool-engine";
import { recordingLogger } from "../recording-logger.test-support";
import { HTTP_NOT_SUPPORTED } from "./check-definition";

const good: ToolDefinition = {
  name: "get_weather",
  description: "Get the weather",
  type: "function",
  handler: "weather",
  parameters: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
  implementation: { type: "mock", mock_response: { t: 1 } },
};

const registryWith = (options: ToolEngineOptions = {}) => createToolEngine(options).registry;
const changed = (part: Record<string, unknown>): ToolDefinition => ({ ...good, ...part }) as ToolDefinition;
const without = (key: string): ToolDefinition =>
  Object.fromEntries(Object.entries(good).filter(([k]) => k !== key)) as never;

describe("registering", () => {
  it("REG-01 a configuration's tools are each validated and registered", () => {
    const registry = registryWith();
    const outcome = registry.loadConfig({ tools: { enabled: true, registry: [good, changed({ name: "other" })] } });
    expect(outcome).toEqual({ registered: ["get_weather", "other"], rejected: [] });
    expect(registry.list().map(({ name }) => name)).toEqual(["get_weather", "other"]);
  });

  it("REG-02 an invalid tool is logged as an error, reported, and the others load", () => {
    const logger = recordingLogger();
    const registry = registryWith({ logger });
    const outcome = registry.loadConfig({
      tools: { registry: [changed({ name: "" }), good, null, "text", changed({ name: "bad", parameters: 1 })] },
    });
    expect(outcome.registered).toEqual(["get_weather"]);
    expect(outcome.rejected.map(({ name }) => name)).toEqual(["", null, null, "bad"]);
    expect(outcome.rejected[3]?.error).toContain("parameters");
    expect(logger.lines.filter(({ level }) => level === "error")).toHaveLength(4);
  });

  it("REG-02 a configuration of any shape never throws", () => {
    for (const config of [
      null,
      undefined,
      1,
      "x",
      [],
      {},
      { tools: 1 },
      { tools: { registry: {} } },
      { tools: { enabled: false, registry: [good] } },
    ]) {
      expect(registryWith().loadConfig(config).registered).toEqual([]);
    }
  });

  it("REG-03 a duplicate name is an error and the first tool stays", () => {
    const registry = registryWith();
    registry.register(good);
    expect(() => registry.register(changed({ description: "another" }))).toThrow(
      "Tool 'get_weather' is already registered",
    );
    expect(registry.get("get_weather")?.description).toBe("Get the weather");
    const outcome = registry.loadConfig({ tools: { registry: [good] } });
    expect(outcome.rejected[0]?.error).toContain("already registered");
  });

  it("REG-03 registering a function again in code warns and overwrites", async () => {
    const logger = recordingLogger();
    const { registry, executor } = createToolEngine({ logger });
    const definition = { name: "greet", description: "Greets", parameters: { type: "object" } };
    registry.registerFunction(definition, async () => "one");
    registry.registerFunction(definition, async () => "two");
    expect(logger.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
    expect(await executor.execute("greet", {})).toMatchObject({ result: "two" });
  });

  it.each([
    ["name absent", without("name"), "name"],
    ["name empty", changed({ name: "" }), "name"],
    ["name with a space", changed({ name: "get weather" }), "name"],
    ["name too long", changed({ name: "x".repeat(129) }), "name"],
    ["description absent", without("description"), "description"],
    ["description blank", changed({ description: "  " }), "description"],
    ["parameters absent", without("parameters"), "parameters"],
    ["parameters a list", changed({ parameters: [] }), "parameters"],
    ["parameters.type absent", changed({ parameters: { properties: {} } }), "parameters.type"],
    ["parameters.type array", changed({ parameters: { type: "array" } }), "parameters.type"],
    [
      "a type that does not exist",
      changed({ parameters: { type: "object", properties: { a: { type: "strnig" } } } }),
      "/properties/a/type",
    ],
    ["required not a list", changed({ parameters: { type: "object", required: "a" } }), "required"],
    [
      "a pattern that is none",
      changed({ parameters: { type: "object", properties: { a: { pattern: "(" } } } }),
      "JSON Schema",
    ],
    [
      "a reference outside",
      changed({ parameters: { type: "object", properties: { a: { $ref: "https://example.com/x" } } } }),
      "example.com",
    ],
  ])("REG-04 refuses a definition with %s and names it", (_what, definition, named) => {
    expect(() => registryWith().register(definition)).toThrow(named);
  });

  it("REG-04 keeps a pattern, a format and a dialect that are not known here: they are not checked", () => {
    const parameters = {
      $schema: "https://example.com/d",
      type: "object",
      properties: { a: { pattern: "(?i)x" }, b: { format: "iban" } },
    };
    expect(registryWith().register(changed({ parameters })).parameters).toEqual(parameters);
  });

  it("REG-02 a server's tool is registered whatever its schema holds", () => {
    const parameters = { type: "object", properties: null, required: "a", $schema: 7 };
    const definition = { ...changed({ parameters }), implementation: { type: "mcp", server: "s", tool: "t" } };
    expect(registryWith().registerServerTool(definition as ToolDefinition).parameters).toEqual(parameters);
  });

  it("REG-04 a schema beyond the caps is refused before it is compiled", () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 5000; level += 1) deep = { properties: { a: deep } };
    expect(() => registryWith().register(changed({ parameters: { type: "object", ...deep } }))).toThrow(
      "nested deeper",
    );
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: "string" }]));
    expect(() => registryWith().register(changed({ parameters: { type: "object", properties: wide } }))).toThrow(
      /values|bytes/,
    );
  });

  it("REG-05 get and list give definitions, unknown gives undefined", () => {
    const registry = registryWith();
    registry.register(good);
    expect(registry.get("get_weather")).toEqual(good);
    expect(registry.get("nope")).toBeUndefined();
    expect(registry.list()).toEqual([good]);
    expect(registry.unregister("get_weather")).toBe(true);
    expect(registry.get("get_weather")).toBeUndefined();
  });

  it("REG-05 a definition changed after registering does not change the registry", () => {
    const registry = registryWith();
    const mine = structuredClone(good);
    registry.register(mine);
    mine.description = "changed";
    (mine.parameters.required as string[]).push("other");
    expect(registry.get("get_weather")).toEqual(good);
  });

  it("REG-06 getExecutor gives the function registered in code and nothing for other tools", async () => {
    const registry = registryWith();
    const run = async () => "x";
    registry.registerFunction({ name: "f", description: "A function", parameters: { type: "object" } }, run);
    registry.register(good);
    expect(registry.getExecutor("f")).toBe(run);
    expect(registry.getExecutor("get_weather")).toBeUndefined();
    expect(registry.getExecutor("nope")).toBeUndefined();
  });

  it("REG-07 inherited names are unknown tools", async () => {
    const { registry, executor } = createToolEngine();
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      expect(registry.get(name)).toBeUndefined();
      expect(registry.getExecutor(name)).toBeUndefined();
      expect(await executor.execute(name, {})).toMatchObject({ error: `Tool '${name}' not found` });
    }
    registry.register(changed({ name: "__proto__" }));
    expect(await executor.execute("__proto__", { location: "x" })).toMatchObject({ success: true });
  });
});

describe("definitions", () => {
  it.each(["type", "handler"])("DEF-01 refuses a definition without %s", (key) => {
    expect(() => registryWith().register(without(key))).toThrow(key);
  });

  it("DEF-01 refuses a definition without implementation.type", () => {
    expect(() => registryWith().register(changed({ implementation: {} }))).toThrow("implementation.type");
    expect(() => registryWith().register(without("implementation"))).toThrow("implementation");
  });

  it("DEF-02 a mock needs mock_response: null is one, absent is not", () => {
    expect(() => registryWith().register(changed({ implementation: { type: "mock" } }))).toThrow("mock_response");
    expect(registryWith().register(changed({ implementation: { type: "mock", mock_response: null } })).name).toBe(
      "get_weather",
    );
  });

  it.each(["builtin", "internal"])("DEF-03 %s needs implementation.handler", (type) => {
    expect(() => registryWith().register(changed({ implementation: { type } }))).toThrow("implementation.handler");
    expect(() => registryWith().register(changed({ implementation: { type, handler: "" } }))).toThrow(
      "implementation.handler",
    );
  });

  it("DEF-04 http is refused with exactly its sentence, whatever else is wrong, and is not added", () => {
    const registry = registryWith();
    const http = changed({ implementation: { type: "http", url: "http://x" } });
    expect(() => registry.register(http)).toThrow(new Error(HTTP_NOT_SUPPORTED));
    expect(() => registry.register({ implementation: { type: "http" } } as never)).toThrow(
      new Error("HTTP tools not yet supported (coming in v2)"),
    );
    expect(registry.list()).toEqual([]);
    expect(registry.loadConfig({ tools: { registry: [http] } }).rejected).toEqual([
      { name: "get_weather", error: HTTP_NOT_SUPPORTED },
    ]);
  });

  it("DEF-05 unknown keys of a configuration and of a definition are kept and ignored", () => {
    const registry = registryWith();
    const extended = changed({
      "x-team": { owner: "ada" },
      implementation: { type: "mock", mock_response: 1, note: "kept" },
    });
    expect(
      registry.loadConfig({
        other: 1,
        tools: { enabled: true, max_iterations: 10, default_timeout_ms: 30000, unknown: [], registry: [extended] },
      }).rejected,
    ).toEqual([]);
    expect(registry.get("get_weather")).toEqual(extended);
  });
});
