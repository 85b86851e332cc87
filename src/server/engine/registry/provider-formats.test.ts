import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../lib/contract";
import { createToolEngine } from "../../create-tool-engine";

const define = (
  name: string,
  parameters: ToolDefinition["parameters"] = { type: "object", properties: {} },
): ToolDefinition => ({
  name,
  description: `The ${name} tool`,
  type: "function",
  handler: name,
  parameters,
  implementation: { type: "mock", mock_response: null },
});

function registryOf(...names: string[]) {
  const { registry } = createToolEngine();
  for (const name of names) registry.register(define(name));
  return registry;
}

const PARAMETERS = { type: "object", properties: {} };

describe("provider formats", () => {
  it.each(["openai", "ollama"])("FMT-01 FMT-02 %s gets type and function", (provider) => {
    expect(registryOf("a").toProviderFormat(provider)).toEqual([
      { type: "function", function: { name: "a", description: "The a tool", parameters: PARAMETERS } },
    ]);
  });

  it("FMT-03 gemini gets one object a tool, each with functionDeclarations", () => {
    expect(registryOf("a", "b").toProviderFormat("gemini")).toEqual([
      { functionDeclarations: [{ name: "a", description: "The a tool", parameters: PARAMETERS }] },
      { functionDeclarations: [{ name: "b", description: "The b tool", parameters: PARAMETERS }] },
    ]);
  });

  it("FMT-04 anthropic gets name, description and input_schema", () => {
    expect(registryOf("a").toProviderFormat("anthropic")).toEqual([
      { name: "a", description: "The a tool", input_schema: PARAMETERS },
    ]);
  });

  it("FMT-05 allowedTools filters in registry order; an empty list gives none, undefined all", () => {
    const registry = registryOf("a", "b", "c");
    const names = (allowed?: string[]) =>
      registry.toProviderFormat("anthropic", allowed).map((tool) => (tool as { name: string }).name);
    expect(names(["c", "a", "nope"])).toEqual(["a", "c"]);
    expect(names([])).toEqual([]);
    expect(names()).toEqual(["a", "b", "c"]);
  });

  it.each(["mistral", "", "constructor", "__proto__"])(
    "FMT-06 an unknown provider %j is an error that names those that are supported",
    (provider) => {
      expect(() => registryOf("a").toProviderFormat(provider)).toThrow(
        /not supported.*openai.*anthropic.*gemini.*ollama/,
      );
    },
  );
});
