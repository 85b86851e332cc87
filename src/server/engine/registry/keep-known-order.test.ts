import { expect, it } from "vitest";
import { keepKnownOrder } from "./keep-known-order";

const tool = (schema: object, name = "t") => ({ name, inputSchema: { type: "object", ...schema } });
const field = (schema: object) => tool({ properties: { f: schema } });

it.each([
  ["enum", field({ enum: ["a", "b", 1] }), field({ enum: [1, "b", "a"] })],
  ["required", tool({ required: ["a", "b"] }), tool({ required: ["b", "a"] })],
  ["type", field({ type: ["string", "null"] }), field({ type: ["null", "string"] })],
  [
    "a set deep inside",
    field({ anyOf: [{ items: { enum: [1, 2] } }] }),
    field({ anyOf: [{ items: { enum: [2, 1] } }] }),
  ],
  [
    "a set of the output",
    { ...tool({}), outputSchema: { required: ["a", "b"] } },
    { ...tool({}), outputSchema: { required: ["b", "a"] } },
  ],
])("keeps the known entry where only the order of %s differs", async (_, known, listed) => {
  expect((await keepKnownOrder([known], [listed]))[0]).toBe(known);
});

it.each([
  ["another value in an enum", field({ enum: ["a", "b"] }), field({ enum: ["b", "c"] })],
  ["one value more", field({ enum: ["a", "b"] }), field({ enum: ["b", "a", "c"] })],
  ["a default list in another order", field({ default: ["a", "b"] }), field({ default: ["b", "a"] })],
  [
    "data that looks like a schema",
    field({ default: { required: ["a", "b"] } }),
    field({ default: { required: ["b", "a"] } }),
  ],
  ["a vendor's key", field({ "x-steps": { enum: ["a", "b"] } }), field({ "x-steps": { enum: ["b", "a"] } })],
  ["branches in another order", field({ anyOf: [{ const: 1 }, {}] }), field({ anyOf: [{}, { const: 1 }] })],
  ["another name", tool({ required: ["a", "b"] }), tool({ required: ["b", "a"] }, "u")],
])("takes the listed entry with %s", async (_, known, listed) => {
  expect((await keepKnownOrder([known], [listed]))[0]).toBe(listed);
});

it("takes entries that are no tools, and known ones, as they are", async () => {
  const listed = [null, 7, { inputSchema: 1 }, tool({})];
  expect(await keepKnownOrder([tool({})], listed)).toEqual(listed);
});
