// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "@/lib/contract/json";
import { HOSTILE_SCHEMAS } from "@/lib/schema/hostile-schemas.test-support";
import { choose, getField, press, sent, sentText, show, type } from "./editor.test-support";

describe("structures", () => {
  const items: JsonSchema = {
    items: {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } },
    },
  };

  it("lists of objects are added to, duplicated, moved and taken from", () => {
    show(items);
    expect(sent()).toEqual({});
    press("Add items");
    expect(sent()).toEqual({ items: [] });
    press(/^Add element/);
    type("items[0].price", "1.5");
    press("Duplicate items[0]");
    type("items[1].price", "2");
    press("Move items[1] up");
    expect(sent()).toEqual({ items: [{ price: 2 }, { price: 1.5 }] });
    press("Remove items[0]");
    expect(sent()).toEqual({ items: [{ price: 1.5 }] });
  });

  it("of 250 fields the first 200 and those that are needed are drawn, and the others can be shown and searched", () => {
    const names = Array.from({ length: 250 }, (_, index) => `field_${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    show(properties, { field_248: "given" }, { schema: { required: ["field_249"] } });
    const drawn = () =>
      [...document.querySelectorAll<HTMLElement>("[data-pointer]")].map((field) => field.dataset.pointer?.slice(1));
    expect(drawn()).toEqual([...names.slice(0, 200), "field_248", "field_249"]);
    press("Show more fields (48 hidden)");
    type("Search fields", "field_23");
    expect(drawn()).toEqual(names.filter((name) => name.startsWith("field_23")));
    type("Search fields", "");
    expect(drawn()).toEqual(names);
    expect(sent()).toEqual({ field_248: "given" });
  });

  it.each(["anyOf", "oneOf"])("a choice by %s that contains only itself ends as JSON, and can be edited", (keyword) => {
    const node = { [keyword]: [{ $ref: "#/$defs/node" }, { $ref: "#/$defs/node" }] };
    const other = { type: "integer", [keyword]: [{ $ref: "#/$defs/other" }, { $ref: "#/$defs/node" }] };
    const schema = { $defs: { node, other } };
    show({ a: { $ref: "#/$defs/node" }, b: { $ref: "#/$defs/other" } }, { a: "x", b: 1 }, { schema });
    expect(screen.getAllByRole("combobox").length).toBeLessThanOrEqual(6);
    fireEvent.change(screen.getByRole("textbox", { name: "a" }), { target: { value: '"y"' } });
    expect(sent()).toEqual({ a: "y", b: 1 });
  });

  it("what a field keeps for itself moves with its element", () => {
    show({ list: { type: "array", items: { type: "number" } } }, { list: [5, 1] });
    type("list[1]", "1.0");
    press("Move list[1] up");
    expect(screen.getByLabelText("list[0]")).toHaveProperty("value", "1.0");
    expect(screen.getByLabelText("list[1]")).toHaveProperty("value", "5");
  });

  it("tuples give each position its schema, and stop where the schema does", () => {
    show(
      { pair: { type: "array", prefixItems: [{ type: "string" }, { type: "boolean" }], items: false } },
      { pair: ["a"] },
    );
    press(/^Add element/);
    expect(sent()).toEqual({ pair: ["a", false] });
    expect(screen.queryByRole("button", { name: /^Add element/ })).toBeNull();
  });

  it("maps take new keys by name, of the schema for them, and refuse a name twice", () => {
    show({ limits: { type: "object", additionalProperties: { type: "integer", minimum: 3 } } }, { limits: {} });
    press("Add property to limits");
    type("New property name in limits", "__proto__");
    press("Add");
    expect(sentText()).toBe('{ "limits": { "__proto__": 3 } }');
    press("Add property to limits");
    type("New property name in limits", "__proto__");
    expect(screen.getByRole("button", { name: "Add" })).toHaveProperty("disabled", true);
    press("Cancel");
    press("Rename limits.__proto__");
    type("New name for limits.__proto__", "cpu");
    press("Rename");
    expect(sent()).toEqual({ limits: { cpu: 3 } });
  });

  it("a recursive reference opens as deep as the value goes", () => {
    const $defs = {
      node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } } },
    };
    show({ head: { $ref: "#/$defs/node" } }, {}, { schema: { $defs } });
    press("Add head");
    press("Add next (head.next)");
    press("Add next (head.next.next)");
    type("head.next.next.name", "third");
    expect(sent()).toEqual({ head: { next: { next: { name: "third" } } } });
  });

  it("nested objects fold, and fold back to what they were", () => {
    show({ outer: { type: "object", properties: { inner: { type: "string" } } } }, { outer: { inner: "x" } });
    press("outer");
    expect(screen.queryByLabelText("outer.inner")).toBeNull();
    press("outer");
    expect(screen.getByLabelText("outer.inner")).toHaveProperty("value", "x");
    expect(sent()).toEqual({ outer: { inner: "x" } });
  });
});

describe("unions", () => {
  const shape: JsonSchema = {
    shape: {
      oneOf: [
        { type: "object", properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind"] },
        { type: "object", properties: { kind: { const: "box" }, w: { type: "number" } }, required: ["kind"] },
        { type: "string" },
      ],
    },
  };

  it("show the branch that a value is of", () => {
    show(shape, { shape: { kind: "box", w: 3 } });
    expect(screen.getByLabelText<HTMLSelectElement>("shape variant").selectedOptions[0]?.text).toBe('kind: "box"');
    expect(screen.getByLabelText("shape.w")).toHaveProperty("value", "3");
  });

  it("are chosen, changed and changed back without losing what was entered", () => {
    show(shape);
    fireEvent.change(within(getField("/shape")).getByRole("combobox"), { target: { value: "0" } });
    type("shape.r", "2");
    expect(sent()).toEqual({ shape: { kind: "circle", r: 2 } });
    const pick = (value: string) => {
      const [select] = within(getField("/shape")).getAllByRole("combobox");
      if (select) fireEvent.change(select, { target: { value } });
    };
    pick("2");
    expect(sent()).toEqual({ shape: "" });
    type("shape", "text");
    pick("0");
    expect(sent()).toEqual({ shape: { kind: "circle", r: 2 } });
    pick("2");
    expect(sent()).toEqual({ shape: "text" });
  });

  it("stay on their branch while it is typed in", () => {
    show(
      {
        v: {
          anyOf: [
            { type: "string", maxLength: 2 },
            { type: "string", minLength: 3 },
          ],
        },
      },
      { v: "ab" },
    );
    const input = screen.getByLabelText("v");
    fireEvent.focus(input);
    type("v", "abc");
    expect(screen.getByLabelText("v")).toBe(input);
    expect(screen.getByLabelText("v variant")).toHaveProperty("value", "0");
  });

  it("a type list is a choice too, and a value of no branch is kept as JSON", () => {
    show({ v: { type: ["string", "integer"] } }, { v: [true] });
    expect(screen.getByLabelText<HTMLSelectElement>("v").selectedOptions[0]?.text).toBe("Matches none");
    expect(screen.getByLabelText("v as JSON")).toHaveProperty("value", "[\n  true\n]");
    expect(sent()).toEqual({ v: [true] });
    fireEvent.change(screen.getByLabelText("v"), { target: { value: "1" } });
    expect(sent()).toEqual({ v: 0 });
  });
});

describe("schemas without an end", () => {
  it("a schema that contains itself opens one level at a time", () => {
    const tree: JsonSchema = { name: { type: "string" }, parent: { $ref: "#" } };
    show(tree);
    press("Add parent");
    press("Add parent (parent.parent)");
    type("parent.parent.name", "root");
    expect(sent()).toEqual({ parent: { parent: { name: "root" } } });
    expect(screen.queryByText(/^Schema:/)).toBeNull();
  });

  it("a dynamic reference and references under a nested $id lead to the schemas they name", () => {
    show(
      {
        node: { $id: "https://example.com/node", $ref: "#/$defs/name", $defs: { name: { type: "integer" } } },
        child: { $dynamicRef: "#self" },
      },
      {},
      { schema: { $dynamicAnchor: "self", $defs: { name: { type: "boolean" } } } },
    );
    type("node", "4");
    press("Add child");
    type("child.node", "5");
    expect(sent()).toEqual({ node: 4, child: { node: 5 } });
  });

  it("a schema with more fields than a page can draw is edited as JSON, with the reason", () => {
    const properties = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`p${at}`, { type: "string" }]));
    show(properties, { p1: "x" });
    expect(screen.getByText("Too large to show as a form. Edit the arguments as JSON.")).toBeDefined();
    expect(screen.getByLabelText<HTMLInputElement>("Form").disabled).toBe(true);
    expect(screen.getByLabelText<HTMLInputElement>("JSON").checked).toBe(true);
    expect(sent()).toEqual({ p1: "x" });
  });

  it("a part that is too large is edited as JSON beside the fields of the others", () => {
    const huge = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`p${at}`, {}]));
    show({
      big: { allOf: [{ properties: huge }, { properties: huge }, { properties: huge }] },
      plain: { type: "string" },
    });
    expect(screen.getByText("Schema: too large to show as a form")).toBeDefined();
    type("plain", "x");
    expect(sent()).toEqual({ plain: "x" });
  });
});

it.each(Object.keys(HOSTILE_SCHEMAS))("the editor is drawn for %s", async (title) => {
  const started = process.cpuUsage();
  const schema = HOSTILE_SCHEMAS[title] ?? {};
  show({}, { value: { leaf: "x" } }, { schema });
  expect(sent()).toEqual({ value: { leaf: "x" } });
  await choose("Insert example");
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(10_000);
});
