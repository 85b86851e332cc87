// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import axe from "axe-core";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject, JsonSchema } from "@/lib/contract/json";
import { ArgumentsEditor } from "./arguments-editor";
import { RequestBody } from "./request-body";
import { useArgumentsEditor } from "./use-arguments-editor";

let sentText: string | null = null;

function Bench({ schema, text }: { schema: JsonSchema; text: string }) {
  const editor = useArgumentsEditor(text, schema);
  sentText = editor.text;
  return (
    <main>
      <ArgumentsEditor schema={schema} state={editor.state} dispatch={editor.dispatch} faults={[]} />
      <RequestBody text={editor.text} shownText={editor.text} mode={editor.state.mode} />
    </main>
  );
}

const NAMES = ["a", "b", "c", "__proto__", "x/y", "with space"];
const name = fc.constantFrom(...NAMES);

/** Schemas of every kind the form knows, with references that recur, and now and then one that makes no sense. */
const { node: schemas } = fc.letrec<{ node: JsonSchema | boolean }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonSchema | boolean>(
      { type: "string" },
      { type: ["string", "null"] },
      { type: "integer", minimum: 1 },
      { type: "boolean", default: true },
      { type: "null" },
      { enum: ["a", 1, null] },
      { const: "a" },
      { $ref: "#" },
      { $ref: "#/nowhere" },
      { type: "strange" },
      {},
      true,
      false,
    ),
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(name, tie("node"), { maxKeys: 3 }),
      required: fc.array(name, { maxLength: 2 }),
      additionalProperties: tie("node"),
    }),
    fc.record({ type: fc.constant("array"), items: tie("node") }),
    fc.record({ type: fc.constant("array"), prefixItems: fc.array(tie("node"), { maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("node"), { minLength: 1, maxLength: 2 }) }),
  ),
}));

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, "", "a", "x\r\ny", "1", 1, 1.5, true, false),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

const objects = fc
  .array(fc.tuple(name, values), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries) as JsonObject);

it("RTE-03 showing any object with any schema changes nothing of it", () => {
  fc.assert(
    fc.property(fc.dictionary(name, schemas, { maxKeys: 4 }), objects, (properties, value) => {
      render(<Bench schema={{ type: "object", properties }} text={JSON.stringify(value)} />);
      const before = sentText;
      for (const control of document.querySelectorAll<HTMLElement>("input, textarea, select")) {
        fireEvent.focus(control);
        fireEvent.blur(control);
      }
      expect(sentText).toBe(before);
      expect(JSON.stringify(JSON.parse(sentText ?? ""))).toBe(JSON.stringify(value));
      cleanup();
    }),
    { numRuns: 60 },
  );
}, 120_000);

it("RTE-03 every scalar of the object is somewhere in the form", () => {
  const properties = { a: { type: "string" }, b: { type: "array", items: { type: "number" } }, c: { type: "integer" } };
  const value = { a: "first", b: [2, "third", { x: "fourth" }], c: ["fifth"], d: { e: "sixth" } };
  render(<Bench schema={{ type: "object", properties }} text={JSON.stringify(value)} />);
  const form = screen.getByRole("region", { name: "Arguments form" });
  const shown = [...form.querySelectorAll<HTMLInputElement>("input, textarea")]
    .map((control) => control.value)
    .join("\n");
  for (const text of ["first", "2", "third", "fourth", "fifth", "sixth"]) expect(shown).toContain(text);
});

it("axe finds nothing in a form with every kind of field", async () => {
  const properties = {
    text: { type: "string", description: "Words", examples: ["one"] },
    number: { type: "integer", minimum: 1, maximum: 5, default: 3 },
    flag: { type: "boolean" },
    choice: { enum: ["a", "b"] },
    nothing: { type: "null" },
    any: {},
    object: { type: "object", properties: { inner: { type: "string" } } },
    missing: { type: "object", properties: { inner: { type: "string" } } },
    list: { type: "array", items: { type: "object", properties: { price: { type: "number" } } } },
    union: { oneOf: [{ type: "string" }, { type: "object", properties: { z: { type: "number" } } }] },
  };
  const value = { number: 9, object: { inner: "x" }, list: [{ price: 1 }, {}], union: { z: 1 }, extra: [1], any: 1 };
  const { container } = render(
    <Bench schema={{ type: "object", properties, required: ["text"] }} text={JSON.stringify(value)} />,
  );
  // Colour and size need a layout, which the browser tests have.
  const result = await axe.run(container, {
    rules: { "color-contrast": { enabled: false }, "target-size": { enabled: false } },
  });
  expect(result.violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
  expect(result.passes.length).toBeGreaterThan(10);
});
