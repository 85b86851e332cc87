import { describe, expect, it } from "vitest";
import { CATALOG_IMPLEMENTATION_TYPES } from "@/lib/contract/tool-definition";
import {
  duplicateText,
  mockOfCall,
  mockOfText,
  switchType,
  TEMPLATE_TYPES,
  templateDefinition,
  withHandlerParameters,
} from "./templates";

const MATH = { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] };
const handlers = {
  builtin: ["echo", "math_eval"],
  internal: ["search"],
  parameters: { builtin: [{ name: "math_eval", parameters: MATH }], internal: [] },
};
const getImplementation = (text: string) => JSON.parse(text).implementation;

describe("templates", () => {
  it("are there for every type that can be created", () => {
    expect(TEMPLATE_TYPES).toEqual(CATALOG_IMPLEMENTATION_TYPES);
  });

  it("DEF-02 DEF-03 hold what their type requires", () => {
    expect(getImplementation(templateDefinition("mock", handlers))).toHaveProperty("mock_response");
    expect(getImplementation(templateDefinition("builtin", handlers))).toEqual({ type: "builtin", handler: "echo" });
    expect(getImplementation(templateDefinition("internal", handlers)).handler).toBe("search");
  });

  it("IMPL-02 a builtin that says what it reads sets the parameters; a schema of a user's own is reported as replaced", () => {
    const blank = templateDefinition("builtin", handlers).replaceAll('"echo"', '"math_eval"');
    const set = withHandlerParameters(blank, "builtin", handlers);
    expect(set.replaced).toBe(false);
    expect(JSON.parse(set.text).parameters).toEqual(MATH);
    expect(withHandlerParameters(set.text, "builtin", handlers)).toEqual({ text: set.text, replaced: false });
    const own = blank.replace("What to look for", "Mine");
    expect(withHandlerParameters(own, "builtin", handlers)).toMatchObject({ text: set.text, replaced: true });
    const silent = templateDefinition("builtin", handlers);
    expect(withHandlerParameters(silent, "builtin", handlers)).toEqual({ text: silent, replaced: false });
    const onlyMath = { ...handlers, builtin: ["math_eval"] };
    expect(JSON.parse(templateDefinition("builtin", onlyMath)).parameters).toEqual(MATH);
  });

  it("can be switched and switched back without losing what was written", () => {
    const mock = templateDefinition("mock", handlers).replace('"ok": true', '"mine": 1');
    const builtin = switchType(mock, "builtin", handlers);
    expect(getImplementation(builtin)).toMatchObject({ type: "builtin", handler: "echo", mock_response: { mine: 1 } });
    expect(getImplementation(switchType(builtin, "mock", handlers))).toMatchObject({
      type: "mock",
      mock_response: { mine: 1 },
    });
  });

  it("keep a handler that the new type knows and replace one that it does not", () => {
    const builtin = templateDefinition("builtin", handlers).replaceAll('"echo"', '"math_eval"');
    expect(getImplementation(switchType(builtin, "builtin", handlers)).handler).toBe("math_eval");
    expect(getImplementation(switchType(builtin, "internal", handlers)).handler).toBe("search");
  });

  it("replaces an implementation that is not an object, and leaves broken text unchanged", () => {
    expect(getImplementation(switchType('{"implementation": 1}', "mock", handlers)).type).toBe("mock");
    expect(switchType("{", "mock", handlers)).toBe("{");
  });

  it("copy everything but the name", () => {
    const text = templateDefinition("mock", handlers);
    expect(JSON.parse(duplicateText(text, "a"))).toEqual({ ...JSON.parse(text), name: "a_copy" });
  });
});

describe("mockOfText", () => {
  const definition = {
    name: "files__read file",
    description: "Reads a file",
    type: "function" as const,
    handler: "files",
    parameters: { type: "object", properties: { path: { type: "string" } } },
    annotations: { readOnlyHint: true },
    implementation: { type: "mcp" as const, server: "files", tool: "read file" },
  };

  it("IMPL-01 makes a mock with the same parameters that gives the recorded answer, digit by digit", () => {
    const text = mockOfText(definition, '{"content":[{"type":"text","text":"a"}],"structuredContent":{"n":1.50}}');
    const { implementation, name, ...rest } = JSON.parse(text);
    expect(name).toBe("read_file_mock");
    expect(rest).toMatchObject({ description: "Reads a file", parameters: definition.parameters });
    expect(implementation).toEqual({
      type: "mock",
      mock_response: { content: [{ type: "text", text: "a" }], structuredContent: { n: 1.5 } },
    });
    expect(text).toContain("1.50");
  });

  it("IMPL-01 fails for the arguments of a call that failed, and only for these", () => {
    const call = { argumentsText: '{"path":"/gone","n":1.50}', error: "No such file", resultText: null };
    const { implementation } = JSON.parse(mockOfCall(definition, call));
    expect(implementation.mock_responses).toEqual([
      { when: { equals: { path: "/gone", n: 1.5 } }, error: "No such file" },
    ]);
    expect(implementation.mock_response).toEqual({ content: [{ type: "text", text: "" }] });
    const succeeded = mockOfCall(definition, { ...call, error: null, resultText: '{"n":2.50}' });
    expect(succeeded).toContain("2.50");
    expect(succeeded).not.toContain("mock_responses");
  });

  it("DEF-02 offers an answer template for a tool without one", () => {
    expect(JSON.parse(mockOfText(definition, null)).implementation.mock_response).toEqual({
      content: [{ type: "text", text: "" }],
    });
  });
});
