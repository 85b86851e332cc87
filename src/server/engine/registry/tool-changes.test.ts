import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { jsonValues } from "../../../lib/json-values.test-support";
import { compareEntries } from "../../../lib/schema/compare/compare-tool";
import { compareDefinitions, compareTools as compareInSteps, sameTools } from "./tool-changes";

const compareTools = (before: readonly unknown[], after: readonly unknown[]) =>
  [...compareInSteps(before, after)].filter((change) => change !== null);

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const tool = (inputSchema: unknown, more: object = {}) => ({ name: "read", inputSchema, ...more });

/** The one change of a tool called `read`. */
function change(was: unknown, is: unknown) {
  const changes = compareTools([was], [is]);
  expect(changes.length).toBeLessThan(2);
  return changes[0] ?? null;
}
const inputChange = (was: unknown, is: unknown) => change(tool(was), tool(is));
const parameterChange = (was: unknown, is: unknown) => inputChange(object({ p: was }), object({ p: is }));
const outputChange = (was: unknown, is: unknown) =>
  change(tool(object({}), { outputSchema: was }), tool(object({}), { outputSchema: is }));

describe("sameTools", () => {
  it("is true whatever the order of tools and keys, and false when anything else differs", async () => {
    const one = { name: "a", inputSchema: object({ x: { type: "string" }, y: {} }) };
    const other = { inputSchema: { properties: { y: {}, x: { type: "string" } }, type: "object" }, name: "a" };
    expect(await sameTools([one, { name: "b" }], [{ name: "b" }, other])).toBe(true);
    expect(await sameTools([one], [{ ...one, _meta: { version: 2 } }])).toBe(false);
    expect(await sameTools([one], [one, one])).toBe(false);
    expect(await sameTools([one, one, { name: "b" }], [one, { name: "b" }, { name: "b" }])).toBe(false);
    expect(await sameTools([], [null])).toBe(false);
  });

  it("tells any two lists apart that hold different values", async () => {
    await fc.assert(
      fc.asyncProperty(jsonValues(), jsonValues(), async (one, other) => {
        expect(await sameTools([one], [other])).toBe(compareDeep(one, other));
      }),
    );
  });
});

function compareDeep(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}

describe("compareTools", () => {
  it("names what was added and what was removed, by name", () => {
    const changes = compareTools([{ name: "a" }, { name: "c" }], [{ name: "b" }, { name: "c" }]);
    expect(changes).toEqual([
      { kind: "removed", tool: "a", details: [] },
      { kind: "added", tool: "b", details: [] },
    ]);
  });

  it("passes over entries that are no tools; of several with one name the first counts", () => {
    const nonsense = [null, 7, "x", [], {}, { name: "" }, { name: 3 }];
    expect(compareTools(nonsense, [...nonsense].reverse())).toEqual([]);
    expect(compareTools([{ name: "a" }], [{ name: "a" }, { name: "a", description: "second" }])).toEqual([]);
  });

  it("gives one change a tool, named by its strongest detail, with that detail first", () => {
    const was = tool(object({ path: { type: "string" } }), { description: "Reads" });
    const is = tool(object({ path: { type: "string" }, depth: { type: "integer" } }, { required: ["path"] }), {
      description: "Reads a file",
    });
    expect(change(was, is)).toEqual({
      kind: "breaking",
      tool: "read",
      details: [
        "parameter 'path' is now required",
        expect.stringContaining("parameter 'depth' was added (optional"),
        "the description changed",
      ],
    });
  });

  it("sees tools named after the properties of every object", () => {
    const names = ["constructor", "__proto__", "toString"];
    const tools = names.map((name) => ({ name, inputSchema: object({}) }));
    expect(compareTools([], tools).map(({ tool: name }) => name)).toEqual([...names].sort());
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    expect(inputChange(object({}), schema)?.details).toEqual([
      expect.stringContaining("parameter '__proto__' was added"),
    ]);
  });

  it("says nothing of two lists that are equal but for the order", () => {
    fc.assert(
      fc.property(someTools, (tools) => {
        expect(compareTools(tools, structuredClone(tools))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it("tells of a limit that went with a schema that refers to itself", () => {
    const before = { name: "c", inputSchema: { pattern: "^a", $ref: "#" } };
    expect(compareTools([before], [{ name: "c", inputSchema: {} }])).toMatchObject([
      { kind: "additive", tool: "c", details: ["the input schema now takes more than before"] },
    ]);
  });

  it("turned round, it tells of removed tools where it told of added ones, and of the same tools changed", () => {
    fc.assert(
      fc.property(someTools, someTools, (before, after) => {
        const kinds = (changes: { kind: string; tool: string }[], kind: string) =>
          changes.filter((each) => each.kind === kind).map((each) => each.tool);
        const there = compareTools(before, after);
        const back = compareTools(after, before);
        expect(kinds(back, "removed")).toEqual(kinds(there, "added"));
        expect(kinds(back, "added")).toEqual(kinds(there, "removed"));
        expect(back.map((each) => each.tool)).toEqual(there.map((each) => each.tool));
      }),
      { numRuns: 50 },
    );
  });

  it("never throws, whatever a server lists", () => {
    fc.assert(
      fc.property(someEntries, someEntries, (a, b) => {
        for (const { details } of compareTools(a, b)) expect(details.join("").length).toBeLessThan(30_000);
      }),
      { numRuns: 50 },
    );
    const deep = (levels: number): unknown => JSON.parse(`${'{"items":'.repeat(levels)}{}${"}".repeat(levels)}`);
    expect(() => compareTools([tool(deep(9_000))], [tool(deep(9_001))])).not.toThrow();
  });
});

/** Schemas that use what is compared, with few words, so that they meet. */
const anySchema = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.boolean(),
    fc.record(
      {
        type: fc.oneof(jsonValues({ maxDepth: 1 }), fc.constantFrom("string", "integer", "number", "object", "array")),
        properties: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("node")),
        required: fc.subarray(["a", "b", "c"]),
        additionalProperties: tie("node"),
        items: fc.oneof(tie("node"), fc.array(tie("node"), { maxLength: 2 })),
        anyOf: fc.array(tie("node"), { maxLength: 2 }),
        enum: fc.array(fc.constantFrom(1, "x", null)),
        minimum: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant("5")),
        pattern: fc.constantFrom("^a", "^b"),
        $ref: fc.constantFrom("#", "#/properties/a", "#/nowhere", "#/properties/b"),
        description: fc.constantFrom("one", "other"),
      },
      { requiredKeys: [] },
    ),
  ),
})).node;
const anyTool = fc.record(
  {
    name: fc.constantFrom("a", "b", "c", "__proto__"),
    inputSchema: anySchema,
    outputSchema: anySchema,
    annotations: fc.record({ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() }, { requiredKeys: [] }),
  },
  { requiredKeys: ["name"] },
);

const someTools = fc.array(anyTool, { maxLength: 3 });
const someEntries = fc.array(fc.oneof(jsonValues(), anyTool), { maxLength: 3 });

describe("schemas made to be expensive to compare", () => {
  it("does not hang on references that bring all properties to each place", () => {
    const made = (id: string) =>
      tool(object(Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`p${at}`, { title: id, $ref: "#" }]))));
    const found = change(made("a"), made("b"));
    expect(found?.kind).toBe("breaking");
    expect(found?.details[0]).toContain("too large to compare in full");
  });

  it("pairs the branches of a union that did not change wherever they stand", () => {
    const union = (...names: string[]) => ({ anyOf: names.map((name) => ({ const: name })) });
    expect(parameterChange(union("a", "b", "c"), union("c", "a", "b"))).toBeNull();
    expect(parameterChange(union("a", "b", "c"), union("c", "x", "a"))?.details).toEqual([
      expect.stringContaining('no longer takes "b"'),
    ]);
  });
});

describe("changes of parameters", () => {
  const string = { type: "string" };
  const closed = { additionalProperties: false };
  it.each([
    [object({}), object({ a: string }, { required: ["a"] }), "breaking", "parameter 'a' was added and is required"],
    [
      object({}),
      object({ a: string }),
      "additive",
      "parameter 'a' was added (optional, compatible by convention: calls that do not use this name stay valid)",
    ],
    [object({}, closed), object({ a: string }, closed), "additive", "parameter 'a' was added"],
    [
      object({}, { additionalProperties: string }),
      object({ a: { type: "integer" } }, { additionalProperties: string }),
      "breaking",
      "parameter 'a' was added, and takes less than other names did",
    ],
    [object({ a: string }), object({}), "breaking", "parameter 'a' was removed"],
    [object({ a: string }), object({ b: string }), "breaking", "parameter 'a' was renamed to 'b'"],
    [
      object({ a: string }, { required: ["a"] }),
      object({ a: string }),
      "additive",
      "parameter 'a' is no longer required",
    ],
    [object({}), object({}, { required: ["a"] }), "breaking", "parameter 'a' is now required"],
    [
      object({}),
      object({}, { additionalProperties: false }),
      "breaking",
      "parameters that are not described are no longer accepted",
    ],
    [
      object({}, { additionalProperties: false }),
      object({}),
      "additive",
      "parameters that are not described are now accepted",
    ],
    [
      object({}),
      object({}, { additionalProperties: string }),
      "breaking",
      "parameter '*' now takes string, formerly any type",
    ],
    [
      object({}),
      "nothing",
      "additive",
      "the input schema is missing or not an object: arguments are no longer checked",
    ],
    [undefined, object({}), "breaking", "the tool has an input schema now: arguments are checked"],
  ])("%j → %j is %s", (was, is, kind, detail) => {
    expect(inputChange(was, is)).toEqual({ kind, tool: "read", details: [detail] });
  });

  it.each([
    [string, { type: "integer" }, "breaking", "parameter 'p' now takes integer, formerly string"],
    [{ type: "integer" }, { type: "number" }, "additive", "parameter 'p' now takes number, formerly integer"],
    [{ type: "number" }, { type: "integer" }, "breaking", "parameter 'p' now takes integer, formerly number"],
    [string, { type: ["string", "null"] }, "additive", "parameter 'p' now takes null or string, formerly string"],
    [{}, string, "breaking", "parameter 'p' now takes string, formerly any type"],
    [string, true, "additive", "parameter 'p' now takes any type, formerly string"],
    [string, false, "breaking", "parameter 'p' can no longer have a value"],
    [{ enum: ["a", "b"] }, { enum: ["a"] }, "breaking", "parameter 'p' no longer takes \"b\""],
    [{ enum: ["a"] }, { enum: ["b", "a"] }, "additive", "parameter 'p' now also takes \"b\""],
    [{}, { const: 1 }, "breaking", "parameter 'p' is now limited to 1"],
    [{ enum: [1] }, {}, "additive", "parameter 'p' is no longer limited to 1"],
    [{ maximum: 10 }, { maximum: 5 }, "breaking", "parameter 'p': maximum is now 5, formerly 10"],
    [{}, { minLength: 1 }, "breaking", "parameter 'p': minLength is now 1, formerly none"],
    [{ minItems: 2 }, {}, "additive", "parameter 'p': minItems is now gone, formerly 2"],
    [{ multipleOf: 4 }, { multipleOf: 2 }, "additive", "parameter 'p': multipleOf is now 2, formerly 4"],
    [{ pattern: "^a" }, { pattern: "^b" }, "breaking", 'parameter \'p\' may break: pattern is now "^b", formerly "^a"'],
    [{ format: "uri" }, {}, "additive", "parameter 'p': format is now gone, formerly \"uri\""],
    [{ not: {} }, { not: string }, "additive", "parameter 'p': 'not' changed"],
    [{ not: string }, { not: {} }, "breaking", "parameter 'p' may break: 'not' changed"],
    [
      { anyOf: [{ const: 1 }] },
      { anyOf: [{ type: "integer" }, string] },
      "additive",
      "parameter 'p': the alternatives in 'anyOf' changed",
    ],
    [{ description: "a" }, { description: "b" }, "wording", "the description of parameter 'p' changed"],
    [{ default: 1 }, { default: 2 }, "wording", "the default of parameter 'p' is now 2, formerly 1"],
    [{ items: string }, { items: { type: "number" } }, "breaking", "parameter 'p[]' now takes number, formerly string"],
    [object({ q: string }), object({ q: string }, { required: ["q"] }), "breaking", "parameter 'p.q' is now required"],
    [
      { anyOf: [string] },
      { anyOf: [string, { type: "null" }] },
      "additive",
      "parameter 'p': the alternatives in 'anyOf' changed",
    ],
    [{ oneOf: [string, {}] }, { oneOf: [string] }, "breaking", "parameter 'p' may break: 'oneOf' changed"],
    [
      { anyOf: [string, { type: "null" }] },
      { anyOf: [{ type: "null" }, { type: "number" }] },
      "breaking",
      "parameter 'p' may break: in 'anyOf', parameter 'p' now takes number, formerly string",
    ],
  ])("%j → %j is %s", (was, is, kind, detail) => {
    expect(parameterChange(was, is)).toEqual({ kind, tool: "read", details: [detail] });
  });

  it.each([
    [{ anyOf: [string, { type: "null" }] }, { anyOf: [{ type: "null" }, string] }],
    [{ type: ["string", "null"] }, { type: ["null", "string"] }],
    [{ enum: [1, 2] }, { enum: [2, 1] }],
    [{ uniqueItems: false }, {}],
  ])("%j and %j take the same", (was, is) => {
    expect(parameterChange(was, is)).toBeNull();
  });

  it("follows references inside the schema, also where only what they lead to changed", () => {
    const via = (target: object) => object({ p: { $ref: "#/$defs/Place" } }, { $defs: { Place: target } });
    expect(inputChange(via(object({ city: string })), via(object({ city: { type: "number" } })))?.details).toEqual([
      "parameter 'p.city' now takes number, formerly string",
    ]);
    expect(inputChange(via(string), object({ p: string }))).toBeNull();
  });

  it("comes to an end in schemas that refer to themselves and multiply", () => {
    const tree = (leaf: string) =>
      object(
        { root: { $ref: "#/$defs/node" } },
        {
          $defs: {
            node: object({
              value: { type: leaf },
              ...Object.fromEntries(
                Array.from({ length: 20 }, (_, i) => [`c${i}`, { $ref: "#/$defs/node", title: "c" }]),
              ),
            }),
          },
        },
      );
    const found = inputChange(tree("string"), tree("number"));
    expect(found?.kind).toBe("breaking");
    expect(found?.details).toContain("parameter 'root.value' now takes number, formerly string");
    expect(found?.details.length).toBeLessThanOrEqual(51);
  });

  it("cuts what a server could write endlessly", () => {
    const long = "n".repeat(10_000);
    const found = inputChange(object({}), object({ [long]: {} }, { required: [long] }));
    expect(found?.details[0]?.length).toBeLessThan(200);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, {}]));
    expect(inputChange(object({}), object(many))?.details.at(-1)).toBe("and 450 more changes");
  });
});

describe("changes of output and hints", () => {
  const field = (type: string) => object({ size: { type } }, { required: ["size"] });
  it.each([
    [field("integer"), object({}), "breaking", "output field 'size' was removed"],
    [object({}), field("integer"), "additive", "output field 'size' was added"],
    [
      object({}, { additionalProperties: false }),
      object({ size: {} }, { additionalProperties: false }),
      "breaking",
      "output field 'size' was added, which the former schema refuses",
    ],
    [
      object({ size: { maximum: 9 } }),
      object({ size: {} }),
      "breaking",
      "output field 'size': maximum is now gone, formerly 9",
    ],
    [field("integer"), field("string"), "breaking", "output field 'size' is now string, formerly integer"],
    [field("integer"), field("number"), "breaking", "output field 'size' is now number, formerly integer"],
    [field("number"), field("integer"), "additive", "output field 'size' is now integer, formerly number"],
    [field("integer"), object({ size: { type: "integer" } }), "breaking", "output field 'size' may now be omitted"],
    [field("integer"), undefined, "breaking", "the output schema was removed: structured output is no longer promised"],
    [undefined, field("integer"), "additive", "an output schema was added: structured output is now promised"],
    [
      object({ s: { enum: ["on"] } }),
      object({ s: { enum: ["on", "off"] } }),
      "breaking",
      'output field \'s\' is now "on", "off", formerly "on"',
    ],
  ])("output %j → %j is %s", (was, is, kind, detail) => {
    expect(outputChange(was, is)).toEqual({ kind, tool: "read", details: [detail] });
  });

  it.each([
    [{ readOnlyHint: true }, {}, "breaking", ["marked read-only", "marked non-destructive"]],
    [{ readOnlyHint: true }, { destructiveHint: false }, "breaking", ["no longer marked read-only"]],
    [{ destructiveHint: true }, undefined, "breaking", ["no longer marked destructive"]],
    [undefined, { destructiveHint: true }, "wording", ["now marked destructive"]],
    [
      { destructiveHint: true },
      { destructiveHint: false },
      "breaking",
      ["may need no approval", "now marked non-destructive"],
    ],
    [{ destructiveHint: false }, { destructiveHint: true }, "breaking", ["no longer marked non-destructive"]],
    [{ destructiveHint: false }, undefined, "breaking", ["no longer marked non-destructive"]],
    [undefined, { readOnlyHint: true }, "wording", ["now marked read-only", "now marked non-destructive"]],
    [{ idempotentHint: true }, {}, "wording", ["annotation idempotentHint is now not given"]],
    [{ title: "A" }, { title: "B" }, "wording", ["annotation title changed"]],
  ])("hints %j → %j are %s", (was, is, kind, parts) => {
    const found = change(tool(object({}), { annotations: was }), tool(object({}), { annotations: is }));
    expect(found?.kind).toBe(kind);
    expect(found?.details).toHaveLength(parts.length);
    for (const [index, part] of parts.entries()) expect(found?.details[index]).toContain(part);
  });

  it("tells that a tool runs as a task from now on, which breaks no caller", () => {
    const was = tool(object({}));
    const is = { ...was, execution: { taskSupport: "required" } };
    expect(change(was, is)).toMatchObject({ kind: "additive", details: ["the tool now runs as a task"] });
    expect(change(is, was)?.details).toEqual(["the tool no longer runs as a task"]);
    expect(change(was, { ...was, execution: { taskSupport: "optional" } })).toBeNull();
  });
});

describe("changes between versions", () => {
  const definition = (parameters: JsonSchema, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
    name: "read",
    description: "Reads",
    type: "function",
    handler: "read",
    parameters,
    implementation: { type: "mock", mock_response: 1 },
    ...more,
  });
  const types = fc.constantFrom("string", "integer", "number", "boolean");
  const properties = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.record({ type: types }));
  const schemas = fc
    .tuple(properties, fc.subarray(["a", "b", "c", "d"]), fc.boolean())
    .map(([all, required, isOpen]) => object(all, { required, ...(isOpen ? {} : { additionalProperties: false }) }));

  it("are classified as the same edits of a server's list", () => {
    fc.assert(
      fc.property(schemas, schemas, fc.constantFrom("Reads", "Writes"), (was, is, description) => {
        const listed = change(tool(was, { description: "Reads" }), tool(is, { description }));
        const compared = compareDefinitions(definition(was), definition(is, { description }));
        const entries = compareEntries(tool(was, { description: "Reads" }), tool(is, { description }));
        if (listed === null) {
          expect(compared === null || compared.kind === "wording").toBe(true);
          return;
        }
        const expected = { kind: listed.kind, details: listed.details };
        expect([compared, entries]).toEqual([
          { ...expected, details: expect.arrayContaining(listed.details) },
          expected,
        ]);
      }),
    );
  });

  it.each([
    [
      { implementation: { type: "builtin", handler: "echo" } },
      "breaking",
      "the implementation changed: other code runs",
    ],
    [{ implementation: { type: "mock", mock_response: 2 } }, "wording", "the settings of the implementation changed"],
    [{ name: "other" }, "breaking", "the name changed from read to other"],
    [{ timeout_ms: 5 }, "wording", "timeout_ms changed"],
  ] as const)("%j is %s", (part, kind, detail) => {
    const was = definition(object({}));
    expect(compareDefinitions(was, { ...was, ...part } as ToolDefinition)).toEqual({ kind, details: [detail] });
  });

  it("are found in any part of an entry, since review lets none pass", () => {
    expect(compareEntries({ name: "a", _meta: 1 }, { name: "a", _meta: 2 })).toEqual({
      kind: "wording",
      details: ["_meta changed"],
    });
    expect(compareEntries({ name: "a", b: 1 }, { b: 1, name: "a" })).toBeNull();
    fc.assert(
      fc.property(jsonValues(), jsonValues(), (was, is) => {
        expect(compareEntries(was, is) === null).toBe(compareDeep(was, is));
      }),
    );
  });
});
