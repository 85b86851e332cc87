import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../lib/contract/json";
import { PROVIDERS, type Provider, type ToolDefinition } from "../../lib/contract/tool-definition";
import { REFERENCE_SCHEMAS } from "../../lib/schema/reference-schemas.test-support";
import { type ChatTurn, prepareTurn } from "./chat-turn";
import { VENDORS } from "./vendors";
import { wireFormat } from "./wire-format";

const buildTool = (parameters: JsonSchema, name = "a_tool"): ToolDefinition => ({
  name,
  description: "A tool",
  type: "function",
  handler: name,
  parameters,
  implementation: { type: "mock", mock_response: null },
});
const field = (schema: JsonSchema): JsonSchema => ({
  type: "object",
  properties: { field: schema },
  required: ["field"],
});

function turnWith(tool: ToolDefinition): ChatTurn {
  const settings = { streaming: false, host: "", holdsConversations: false };
  return prepareTurn([], { model: "m", tools: [tool] }, settings);
}

/** The tool in the request that a provider's client makes, without the mark for Anthropic's cache. */
function sentTool(provider: Provider, tool: ToolDefinition): object {
  const { tools } = VENDORS[provider].toBody(turnWith(tool), new Set()) as { tools: object[] };
  return { ...tools[0], cache_control: undefined };
}

const node: JsonSchema = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
const KEYWORDS: Record<string, JsonSchema> = {
  oneOf: { oneOf: [{ type: "string" }, { type: "integer" }] },
  "oneOf beside anyOf": { oneOf: [{ minLength: 1 }, { maxLength: 0 }], anyOf: [{ type: "string" }, { type: "null" }] },
  allOf: { allOf: [{ type: "string" }, { minLength: 2 }] },
  not: { type: "string", not: { const: "x" } },
  "type array": { type: ["string", "null"] },
  multipleOf: { type: "number", multipleOf: 5 },
  bounds: { type: "number", minimum: 1, maximum: 9, exclusiveMinimum: 0, exclusiveMaximum: 10 },
  lengths: { type: "string", minLength: 1, maxLength: 9, pattern: "^a" },
  items: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3, uniqueItems: true },
  tuple: { type: "array", prefixItems: [{ type: "string" }], items: false },
  "tuple of draft 7": { type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } },
  contains: { type: "array", contains: { type: "string" }, minContains: 1, maxContains: 2 },
  patternProperties: { type: "object", patternProperties: { "^x": { type: "string" } }, additionalProperties: false },
  additionalProperties: { type: "object", additionalProperties: { type: "number" } },
  propertyNames: { type: "object", propertyNames: { pattern: "^a" }, minProperties: 1, maxProperties: 4 },
  const: { const: "only" },
  "const object": { const: { a: 1 } },
  enum: { enum: ["a", 1, null, true] },
  conditions: { type: "object", if: { required: ["a"] }, else: { required: ["b"] } },
  dependentRequired: { type: "object", dependentRequired: { a: ["b"] } },
  dependentSchemas: { type: "object", dependentSchemas: { a: { required: ["b"] } } },
  dependencies: { type: "object", dependencies: { a: ["b"], c: { required: ["d"] } } },
  format: { type: "string", format: "email" },
  "format that is taken": { type: "string", format: "date-time" },
  words: { title: "T", description: "D", default: 1, examples: [1], deprecated: true, readOnly: true, writeOnly: true },
  content: { type: "string", contentEncoding: "base64", contentMediaType: "image/png" },
  unknown: { type: "string", "x-order": 1, $comment: "c", nullable: true },
  "boolean schemas": { type: "object", properties: { a: true, b: false } },
  unevaluated: { type: "object", unevaluatedProperties: false, unevaluatedItems: false },
  "wrong shapes": { type: "nonsense", minLength: "3", required: "a", enum: [], pattern: 5 },
  "undescribed required": { type: "object", properties: {}, required: ["a"] },
};
const ROOTS: Record<string, JsonSchema> = {
  "a plain object": { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  "no properties": { type: "object" },
  "a dialect and an identifier": {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "x",
    type: "object",
    properties: {},
  },
  "a union at the root": {
    oneOf: [node, { type: "object", properties: { b: { const: 2 } }, required: ["b"] }],
    $defs: { node },
  },
  "a recursive definition": { type: "object", properties: { node: { $ref: "#/$defs/node" } }, $defs: { node } },
  "an unused definition": { type: "object", properties: {}, definitions: { unused: { type: "string", minLength: 3 } } },
  "a reference with siblings": {
    type: "object",
    properties: { a: { $ref: "#/$defs/s", description: "mine" } },
    $defs: { s: { type: "string", description: "theirs" } },
  },
  "a closed object": { type: "object", properties: {}, additionalProperties: false },
  "an enormous enum": field({ enum: Array.from({ length: 1_500 }, (_, at) => `option ${at}`) }),
  "more than a request holds": {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 900 }, (_, at) => [
        `p${at}`,
        { type: "string", description: "d".repeat(100), pattern: `^${at}` },
      ]),
    ),
  },
  "deep nesting": Array.from({ length: 40 }).reduce<JsonSchema>((inner) => field({ ...inner, title: "deep" }), {
    type: "object",
  }),
};
const CORPUS: [string, JsonSchema][] = [
  ...Object.entries(KEYWORDS).map(([title, schema]): [string, JsonSchema] => [title, field(schema)]),
  ...Object.entries(ROOTS),
  ...REFERENCE_SCHEMAS.map(({ title, schema }): [string, JsonSchema] => [title, schema]),
];

const MAPS = [
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
  "dependentRequired",
];
const DATA = ["enum", "const", "default", "examples", "required", "type"];

/** Keywords with what is written of them as JSON, wherever they are; another way of looking than the notes' own. */
function keywordTexts(schema: unknown): [string, string][] {
  if (Array.isArray(schema)) return schema.flatMap(keywordTexts);
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]): [string, string][] => {
    const holdsSchemas = typeof value === "object" && value !== null && !DATA.includes(keyword);
    const inner = !holdsSchemas
      ? []
      : MAPS.includes(keyword) && !Array.isArray(value)
        ? Object.values(value).flatMap(keywordTexts)
        : keywordTexts(value);
    return [[keyword, `${JSON.stringify(keyword)}:${holdsSchemas ? "" : JSON.stringify(value)}`], ...inner];
  });
}

describe.each(PROVIDERS)("what the page shows for %s", (provider) => {
  it.each(CORPUS)("FMT-01 is what the client sends: %s", (_title, schema) => {
    const tool = buildTool(schema);
    expect(JSON.parse(JSON.stringify(wireFormat(provider, tool).tool))).toEqual(
      JSON.parse(JSON.stringify(sentTool(provider, tool))),
    );
  });

  it.each(CORPUS)("FMT-01 names every keyword that is sent otherwise or not at all: %s", (_title, schema) => {
    const { tool, notes } = wireFormat(provider, buildTool(schema));
    const sent = JSON.stringify(tool);
    const named = new Set(notes.flatMap((note) => note.split(/[:,.]? /)).map((word) => word.replace(/[.,]$/, "")));
    for (const [keyword, text] of keywordTexts(schema)) {
      if (!sent.includes(text)) expect(named, `${keyword} in ${notes.join(" ")}`).toContain(keyword);
    }
    if (!sent.includes(JSON.stringify(schema))) expect(notes).not.toEqual([]);
  });

  it("shows the alias that is sent for a name the provider refuses", () => {
    const tool = buildTool({ type: "object", properties: {} }, "files__read.file");
    const { tool: sent, notes } = wireFormat(provider, tool);
    expect(JSON.stringify(sent)).toMatch(/"files__read_file_[0-9a-f]{8}"/);
    expect(notes[0]).toMatch(/^The name is sent as files__read_file_/);
  });

  it("has no notes where nothing is changed", () => {
    const schema = { type: "object", properties: { a: { type: "string", description: "A" } }, required: ["a"] };
    expect(wireFormat(provider, buildTool(schema)).notes).toEqual([]);
  });
});

it.each(["anthropic", "gemini"] as const)(
  "FMT-01 %s is named with the properties whose names it does not take",
  (provider) => {
    const properties = { $top: { type: "integer" }, "page[size]": { type: "integer" }, plain: { type: "string" } };
    const schema = { type: "object", properties, required: ["$top"] };
    const { tool, notes } = wireFormat(provider, buildTool(schema));
    expect(notes).toEqual([
      expect.stringMatching(
        /^Properties are sent under other names, .*: \$top as _top_[0-9a-f]{8}, page\[size\] as page_size__[0-9a-f]{8}\. (Anthropic|Gemini) accepts up to 64/,
      ),
    ]);
    expect(JSON.stringify(tool)).toMatch(
      /"_top_[0-9a-f]{8}":\{"type":"integer","description":"Its name is \\"\$top\\"\."\}/,
    );
    expect(JSON.stringify(tool)).not.toContain('"$top"');
  },
);

describe("what the page shows for OpenAI's strict mode", () => {
  const strictTool = (schema: JsonSchema) =>
    wireFormat("openai-strict", buildTool(schema)) as {
      tool: { strict: boolean; parameters: JsonSchema };
      notes: string[];
    };

  /** Every schema in it keeps the rules that OpenAI documents. */
  function expectStrict(schema: JsonSchema): void {
    expect(Object.keys(schema)).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(allOf|oneOf|not|if|then|else|prefixItems|patternProperties|default)$/),
      ]),
    );
    const { properties = {}, items, anyOf = [], $defs = {} } = schema as Record<string, JsonSchema>;
    if ([schema.type].flat().includes("object")) {
      expect(schema.additionalProperties).toBe(false);
      expect(schema.required).toEqual(Object.keys(properties));
    }
    const inner = [...Object.values(properties), ...Object.values($defs), ...(anyOf as JsonSchema[]), items];
    for (const each of inner) if (each) expectStrict(each as JsonSchema);
    const isNamed = ["type", "anyOf", "$ref"].some((keyword) => Object.hasOwn(schema, keyword));
    expect(isNamed, JSON.stringify(schema)).toBe(true);
  }

  it.each(CORPUS)("FMT-01 is strict, or says why it cannot be: %s", (_title, schema) => {
    const { tool, notes } = strictTool(schema);
    if (tool.strict) expectStrict(tool.parameters);
    else expect(notes[0]).toMatch(/^Not possible in strict mode, so the tool is shown without: ./);
  });

  it("FMT-01 requires optional properties, which may be null, and closes objects", () => {
    const properties = {
      city: { type: "string" },
      unit: { type: "string", enum: ["C", "F"] },
      days: { type: "integer", minimum: 1, default: 3 },
    };
    const { tool, notes } = strictTool({ type: "object", properties, required: ["city"] });
    expect(tool.parameters).toEqual({
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { anyOf: [{ type: "string", enum: ["C", "F"] }, { type: "null" }] },
        days: { type: ["integer", "null"], minimum: 1, description: "Default: 3." },
      },
      required: ["city", "unit", "days"],
      additionalProperties: false,
    });
    expect(notes[0]).toContain("Remove nulls");
  });

  it.each<[string, JsonSchema, string]>([
    [
      "a map",
      field({ type: "object", additionalProperties: { type: "string" } }),
      "field takes properties of any name",
    ],
    ["any object", field({ type: "object" }), "field takes properties of any name"],
    ["a tuple", field({ type: "array", prefixItems: [{ type: "string" }] }), "field has `prefixItems`"],
    ["anything", field({}), "field has no type"],
    [
      "a condition",
      field({ type: "object", properties: {}, additionalProperties: false, not: { required: ["a"] } }),
      "field has `not`",
    ],
  ])("FMT-01 names what keeps %s from being strict", (_title, schema, reason) => {
    const { tool, notes } = strictTool(schema);
    expect(tool.strict).toBe(false);
    expect(notes[0]).toContain(reason);
  });
});

it.each(["gemini", "ollama"] as const)("%s is named as unable to take a schema that contains itself", (provider) => {
  const { notes } = wireFormat(provider, buildTool({ type: "object", properties: { a: { $ref: "#" } } }));
  expect(notes[0]).toMatch(/^(Gemini|Ollama) does not accept recursive.*described in text/);
});

describe("schemas that contain themselves, outside of properties", () => {
  const tree: JsonSchema = {
    type: "object",
    properties: { label: { type: "string" } },
    additionalProperties: { $ref: "#/$defs/branch" },
    $defs: { branch: { type: "object", additionalProperties: { anyOf: [{ type: "number" }, { $ref: "#" }] } } },
  };
  const sentence =
    'Any other property is {"type":"object","additionalProperties":{"anyOf":[{"type":"number"},{"type":"object","properties":{"label":{"type":"string"}},"additionalProperties":"…"}]}}.';

  it.each(["gemini", "ollama"] as const)("%s: a sentence shows what its references lead to, once", (provider) => {
    const { tool, notes } = wireFormat(provider, buildTool(tree));
    expect(JSON.stringify(tool)).toContain(JSON.stringify(sentence).slice(1, -1));
    expect(JSON.stringify(tool)).not.toContain("$ref");
    expect(notes[0]).toMatch(/^(Gemini|Ollama) does not accept recursive or deeply nested schemas/);
  });

  it.each(PROVIDERS)("%s: no sentence about the whole refers to what is not sent", (provider) => {
    const whole: JsonSchema = {
      type: "object",
      properties: { a: { type: "string" } },
      not: { $ref: "#/$defs/empty" },
      $defs: { empty: { required: ["a"], properties: { a: { const: "" } } } },
    };
    const { tool } = wireFormat(provider, buildTool(whole));
    const said = 'Must not be {"required":["a"],"properties":{"a":{"const":""}}}.';
    expect(JSON.stringify(tool)).toContain(JSON.stringify(said).slice(1, -1));
    expect(JSON.stringify(tool)).not.toContain("#/$defs/empty");
  });

  it.each(PROVIDERS)("%s is named where the parameters refer to themselves and to nothing else", (provider) => {
    const endless: JsonSchema = {
      type: "object",
      $ref: "#/$defs/first",
      $defs: { first: { allOf: [{ $ref: "#/$defs/second" }] }, second: { allOf: [{ $ref: "#/$defs/first" }] } },
    };
    expect(wireFormat(provider, buildTool(endless)).notes[0]).toContain(
      "does not accept recursive or deeply nested schemas",
    );
  });
});
