import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROVIDERS, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { jsonValues } from "../../../lib/json-values.test-support";
import { readToolFormat } from "../../../lib/schema/providers/read-tool-format";
import { createToolEngine } from "../../create-tool-engine";
import { convertTool } from "./provider-formats";

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

function buildRegistry(...names: string[]) {
  const { registry } = createToolEngine();
  for (const name of names) registry.register(define(name));
  return registry;
}

const PARAMETERS = { type: "object", properties: {} };

describe("provider formats", () => {
  it.each(["openai", "ollama"])("FMT-01 FMT-02 %s gets type and function", (provider) => {
    expect(buildRegistry("a").toProviderFormat(provider)).toEqual([
      { type: "function", function: { name: "a", description: "The a tool", parameters: PARAMETERS } },
    ]);
  });

  it("FMT-03 gemini gets one object a tool, each with functionDeclarations", () => {
    expect(buildRegistry("a", "b").toProviderFormat("gemini")).toEqual([
      { functionDeclarations: [{ name: "a", description: "The a tool", parameters: PARAMETERS }] },
      { functionDeclarations: [{ name: "b", description: "The b tool", parameters: PARAMETERS }] },
    ]);
  });

  it("FMT-04 anthropic gets name, description and input_schema", () => {
    expect(buildRegistry("a").toProviderFormat("anthropic")).toEqual([
      { name: "a", description: "The a tool", input_schema: PARAMETERS },
    ]);
  });

  it("FMT-05 allowedTools filters in registry order; an empty list gives none, undefined all", () => {
    const registry = buildRegistry("a", "b", "c");
    const names = (allowed?: string[]) =>
      registry.toProviderFormat("anthropic", allowed).map((tool) => (tool as { name: string }).name);
    expect(names(["c", "a", "nope"])).toEqual(["a", "c"]);
    expect(names([])).toEqual([]);
    expect(names()).toEqual(["a", "b", "c"]);
  });

  it.each(["mistral", "", "constructor", "__proto__"])(
    "FMT-06 an unknown provider %j is an error that names those that are supported",
    (provider) => {
      expect(() => buildRegistry("a").toProviderFormat(provider)).toThrow(
        /not supported.*openai.*anthropic.*gemini.*ollama/,
      );
    },
  );
});

describe("FMT-01 FMT-02 FMT-03 FMT-04 a definition sent to a provider and read back", () => {
  it.each(PROVIDERS)("%s keeps name, description and parameters", (provider) => {
    const schemas = fc
      .dictionary(fc.string(), jsonValues())
      .map((properties) => ({ type: "object", properties, required: Object.keys(properties) }));
    const texts = { name: fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/), description: fc.string() };
    fc.assert(
      fc.property(fc.record({ ...texts, parameters: schemas }), ({ name, description, parameters }) => {
        const sent: unknown = JSON.parse(
          JSON.stringify(convertTool(provider, { ...define(name, parameters), description })),
        );
        const read = readToolFormat(sent);
        expect(read).toMatchObject({ name, description, dropped: [], others: 0 });
        expect(JSON.stringify(read?.parameters)).toBe(JSON.stringify(JSON.parse(JSON.stringify(parameters))));
        const held = read?.path?.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], sent);
        expect(held).toEqual(read?.parameters);
      }),
    );
  });
});
