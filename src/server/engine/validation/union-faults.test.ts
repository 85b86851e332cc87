import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../lib/contract/json";
import { object, openValidator } from "../../platform/workers/ajv-validator.test-support";

const { findFaults } = openValidator();

const card = object(
  { number: { type: "string" }, cvc: { type: "string", minLength: 3 } },
  { required: ["number", "cvc"] },
);
const bank = object({ iban: { type: "string" }, holder: { $ref: "#/$defs/person" } }, { required: ["iban", "holder"] });
const user = object({ name: { type: "string" } }, { required: ["name"] });
const $defs = { card, bank, person: user };
const payment: JsonSchema = { oneOf: [{ $ref: "#/$defs/card" }, { $ref: "#/$defs/bank" }] };

describe("VAL-05 a union's fault names the form that fits best and its first fault", () => {
  it.each<[string, JsonSchema, unknown, string]>([
    [
      "forms behind references",
      object({ pay: payment }, { $defs }),
      { pay: { number: "4242", cvc: "1" } },
      "'pay' matches none of the allowed schemas; closest is card (form 1): 'pay.cvc' must have at least 3 characters",
    ],
    [
      "a fault behind a reference of the form",
      object({ pay: payment }, { $defs }),
      { pay: { iban: "DE1", holder: {} } },
      "'pay' matches none of the allowed schemas; closest is bank (form 2): missing 'pay.holder.name'",
    ],
    [
      "unions inside lists",
      object({ list: { type: "array", items: payment } }, { $defs }),
      {
        list: [
          { number: "4242", cvc: "123" },
          { iban: 5, holder: { name: "A" } },
        ],
      },
      "'list[1]' matches none of the allowed schemas; closest is bank (form 2): 'list[1].iban' must be string",
    ],
    [
      "titled forms",
      object({
        v: {
          anyOf: [
            object({ a: {} }, { title: "By A", required: ["a", "x", "y"] }),
            object({ b: {} }, { title: "By B", required: ["b"] }),
          ],
        },
      }),
      { v: {} },
      "'v' matches none of the allowed schemas; closest is By B (form 2): missing 'v.b'",
    ],
    [
      "forms without names",
      object({
        v: {
          anyOf: [
            { type: "string", minLength: 2 },
            { type: "number", minimum: 5 },
          ],
        },
      }),
      { v: 1 },
      "'v' must be >= 5",
    ],
    [
      "several plain limits",
      object({ v: { anyOf: [{ minimum: 5 }, { maximum: -5 }] } }),
      { v: 1 },
      "'v' matches none of the allowed schemas; closest is form 1: 'v' must be >= 5",
    ],
  ])("%s", async (_what, schema, args, message) => {
    expect(await findFaults(schema, args)).toBe(`Invalid parameters: ${message}`);
  });

  it("unions inside unions say which inner form is closest", async () => {
    const inner: JsonSchema = {
      anyOf: [
        object({ p: {} }, { title: "P", required: ["p"] }),
        object({ q: {} }, { title: "Q", required: ["q", "r"] }),
      ],
    };
    const schema = object({
      v: {
        oneOf: [
          object({ in: inner, k: {} }, { title: "Outer", required: ["k"] }),
          object({ z: {} }, { title: "Z", required: ["z", "k", "w"] }),
        ],
      },
    });
    const message = await findFaults(schema, { v: { in: {}, k: 1 } });
    expect(message).toContain("closest is Outer (form 1)");
    expect(message).toContain("'v.in' matches none of the allowed schemas; closest is P (form 1): missing 'v.in.p'");
  });

  it("never says only that no form matches, and stays short", async () => {
    const long = "x".repeat(5_000);
    const schema = object({
      v: { anyOf: [object({}, { title: long, required: [long] }), object({}, { required: ["b"] })] },
    });
    const message = (await findFaults(schema, { v: {} })) ?? "";
    expect(message).toMatch(/closest is/);
    expect(message.length).toBeLessThan(1_000);
  });
});
