import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../contract/json";
import { describeField } from "./describe/describe-field";
import { effectiveSchema } from "./effective-schema";
import { resolveRef } from "./resolve-ref";

const root: JsonSchema = {
  $id: "https://example.com/tool",
  $defs: {
    "a/b": { type: "string" },
    "m~n": { type: "number" },
    "with space": { type: "boolean" },
    anchored: { $anchor: "here", type: "integer" },
    other: { $id: "other.json", type: "array", $defs: { x: { const: 1 } } },
    always: true,
    list: { anyOf: [{ type: "null" }, { title: "second" }] },
  },
};

describe("VAL-05 references", () => {
  it("follows escaped and percent-encoded pointers, anchors, identifiers and the root", () => {
    expect(resolveRef(root, "#/$defs/a~1b")).toEqual({ type: "string" });
    expect(resolveRef(root, "#/$defs/m~0n")).toEqual({ type: "number" });
    expect(resolveRef(root, "#/$defs/with%20space")).toEqual({ type: "boolean" });
    expect(resolveRef(root, "#here")).toMatchObject({ type: "integer" });
    expect(resolveRef(root, "other.json")).toMatchObject({ type: "array" });
    expect(resolveRef(root, "other.json#/$defs/x")).toEqual({ const: 1 });
    expect(resolveRef(root, "https://example.com/tool#/$defs/always")).toBe(true);
    expect(resolveRef(root, "#/$defs/list/anyOf/1")).toEqual({ title: "second" });
    expect(resolveRef(root, "#")).toBe(root);
  });

  it("knows no schema for what the document does not hold, inherited names included", () => {
    for (const ref of [
      "#/$defs/none",
      "#/constructor",
      "#/$defs/__proto__",
      "#nowhere",
      "https://elsewhere/x",
      "#/%E0%A4%A",
    ]) {
      expect(resolveRef(root, ref), ref).toBeNull();
    }
  });
});

describe("spelling schemas out", () => {
  it("ends where a schema refers to itself, and says so", () => {
    const loop: JsonSchema = { $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } } };
    expect(effectiveSchema({ $ref: "#/$defs/a" }, loop).problem).toBe("refers to itself");
    const self: JsonSchema = { anyOf: [{ $ref: "#" }] };
    expect(effectiveSchema(self, self).problem).toBe("refers to itself");
  });

  it("follows a recursive reference lazily, to the very same schema", () => {
    const tree: JsonSchema = {
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      properties: { head: { $ref: "#/$defs/node" } },
    };
    let field = describeField(tree, tree);
    for (let depth = 0; depth < 50; depth += 1) {
      const [property] = field.properties;
      field = describeField(property?.schema ?? false, tree);
      expect(field.kind).toBe("object");
    }
    expect(field.schema).toBe((tree.$defs as JsonSchema).node);
  });

  it("merges allOf: properties united, limits tightened, the outer words kept", () => {
    const schema: JsonSchema = {
      description: "outer",
      allOf: [
        { type: "object", description: "inner", properties: { a: { type: "integer", minimum: 1 } }, required: ["a"] },
        { properties: { a: { maximum: 9 }, b: { type: "string" } }, required: ["b"] },
      ],
    };
    const field = describeField(schema, schema);
    expect(field.description).toBe("outer");
    expect(field.properties.map(({ name, required }) => [name, required])).toEqual([
      ["a", true],
      ["b", true],
    ]);
    expect(describeField(field.properties[0]?.schema ?? false, schema)).toMatchObject({
      kind: "integer",
      constraints: "1–9",
    });
  });

  it("keeps a reference's siblings and names a target that is missing", () => {
    const schema: JsonSchema = { $defs: { t: { type: "string", description: "theirs" } } };
    expect(describeField({ $ref: "#/$defs/t", description: "mine" }, schema)).toMatchObject({
      kind: "string",
      description: "mine",
    });
    expect(describeField({ $ref: "#/$defs/gone" }, schema)).toMatchObject({
      kind: "any",
      problem: "#/$defs/gone is not in this schema",
    });
  });
});
