import { describe, expect, it } from "vitest";
import type { JsonSchema } from "@/lib/contract";
import { type FieldDraft, questionFields } from "./question-fields";
import { readForm } from "./read-form";

const object = (properties: JsonSchema, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});

function answer(schema: JsonSchema, filled: Record<string, FieldDraft> = {}, sentEmpty: string[] = []) {
  const { content, faults } = readForm(questionFields(schema), {
    fields: new Map(Object.entries(filled)),
    sentEmpty: new Set(sentEmpty),
  });
  return { content, faults: Object.fromEntries(faults) };
}

describe("the answer to a form", () => {
  it("sends each value in its own type, and what was left empty not at all", () => {
    const schema = object({
      name: { type: "string" },
      age: { type: "integer" },
      ratio: { type: "number" },
      ok: { type: "boolean" },
      nothing: { type: "string" },
      nobody: { type: "integer" },
    });
    expect(answer(schema, { name: " Ada ", age: "36", ratio: "0.50", ok: [1] })).toEqual({
      content: { name: " Ada ", age: 36, ratio: 0.5, ok: false },
      faults: {},
    });
  });

  it("sends defaults that stand in the form, and drops one that does not fit its field", () => {
    const schema = object({
      city: { type: "string", default: "Oslo" },
      count: { type: "integer", default: 3 },
      loud: { type: "boolean", default: false },
      colour: { type: "string", enum: ["red", "blue"], default: "blue" },
      several: { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, default: ["c", "a"] },
      wrong: { type: "string", enum: ["x"], default: "y" },
      odd: { type: "integer", default: "three" },
    });
    expect(answer(schema).content).toEqual({
      city: "Oslo",
      count: 3,
      loud: false,
      colour: "blue",
      several: ["a", "c"],
    });
    expect(answer(schema, { city: "", count: "", loud: [] }).content).toEqual({ colour: "blue", several: ["a", "c"] });
  });

  it("sends an option's value and shows its title, in each way that the protocol has", () => {
    const titled = [
      { const: "#f00", title: "Red" },
      { const: "#00f", title: "Blue" },
    ];
    const schema = object({
      one: { type: "string", oneOf: titled },
      many: { type: "array", minItems: 1, maxItems: 2, items: { anyOf: titled } },
      old: { type: "string", enum: ["r", "b"], enumNames: ["Red", "Blue"] },
    });
    expect(questionFields(schema).map((field) => field.options.map((option) => option.label))).toEqual([
      ["Red", "Blue"],
      ["Red", "Blue"],
      ["Red", "Blue"],
    ]);
    expect(answer(schema, { one: [1], many: [1, 0], old: [0] })).toEqual({
      content: { one: "#00f", many: ["#f00", "#00f"], old: "r" },
      faults: {},
    });
  });

  it("names what is missing, and takes an empty text where somebody means it", () => {
    const schema = object({ note: { type: "string" }, pick: { type: "string", enum: ["a"] }, n: { type: "number" } }, [
      "note",
      "pick",
      "n",
    ]);
    expect(Object.keys(answer(schema).faults)).toEqual(["note", "pick", "n"]);
    expect(answer(schema, { pick: [0], n: "0" }, ["note"])).toEqual({
      content: { note: "", pick: "a", n: 0 },
      faults: {},
    });
  });

  it("sends an empty list where one is required and none is picked", () => {
    const tags = { type: "array", items: { type: "string", enum: ["a", "b"] } };
    expect(answer(object({ tags }, ["tags"])).content).toEqual({ tags: [] });
    expect(answer(object({ tags })).content).toEqual({});
    expect(answer(object({ tags: { ...tags, minItems: 1 } }, ["tags"])).faults).toEqual({ tags: "Pick at least 1" });
  });

  it("catches slips in lengths, bounds and formats", () => {
    const schema = object({
      code: { type: "string", minLength: 2, maxLength: 3 },
      age: { type: "integer", minimum: 18, maximum: 99 },
      mail: { type: "string", format: "email" },
      site: { type: "string", format: "uri" },
      day: { type: "string", format: "date" },
      at: { type: "string", format: "date-time" },
    });
    const wrong = { code: "🙂", age: "17", mail: "ada", site: "example", day: "2026-02-30", at: "2026-01-31 12:00" };
    expect(Object.keys(answer(schema, wrong).faults)).toEqual(["code", "age", "mail", "site", "day", "at"]);
    const right = {
      code: "🙂🙂",
      age: "18",
      mail: "ada@example.com",
      site: "https://example.com",
      day: "2028-02-29",
      at: "2026-01-31T12:00:00+01:00",
    };
    expect(answer(schema, right).faults).toEqual({});
    expect(answer(schema, { age: "18.5" }).faults).toEqual({ age: "A whole number is wanted" });
    expect(answer(schema, { age: "1e" }).faults).toHaveProperty("age");
  });

  it("sends fields that are called like properties of every object", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    );
    const { content } = answer(schema, JSON.parse('{"__proto__":"a","constructor":"b"}'));
    expect(JSON.stringify(content)).toBe('{"__proto__":"a","constructor":"b"}');
  });

  it("takes as JSON what the protocol does not let a server ask", () => {
    const schema = object({ deep: { type: "object", properties: { a: { type: "number" } } } });
    expect(answer(schema, { deep: '{"a": 1}' })).toEqual({ content: { deep: { a: 1 } }, faults: {} });
    expect(answer(schema, { deep: "{a" }).faults.deep).toContain("Not JSON");
  });
});
