import { describe, expect, it } from "vitest";
import type { ComparedEnd } from "./call-columns";
import { listCallFields } from "./call-fields";
import { CallComparison, compareField } from "./compare-calls";
import { writeCondition } from "./condition-text";

const REFUND = '{"amount": 900, "currency": "EUR", "to": "eve@evil.example", "id": "INV-77", "express": false}';

/** A hundred usual calls, and the given ones. */
function compare(argumentsText: string, others: readonly (readonly [args: object, end: ComparedEnd])[] = []) {
  const comparison = new CallComparison(argumentsText);
  for (let at = 0; at < 100; at += 1) {
    const args = { amount: at, currency: "EUR", to: `user${at}@acme.com`, id: `INV-${at}`, express: false };
    comparison.add(args, "good");
  }
  for (const [args, end] of others) comparison.add(args, end);
  return comparison;
}

describe("proposed conditions", () => {
  it("name what sets a call apart, rounded thresholds first, and leave out what is in every call", () => {
    expect(compare(REFUND).propose("apart")).toEqual([
      "args.amount > 100",
      String.raw`args.to.matches("@evil\\.example$")`,
      'args.to == "eve@evil.example"',
    ]);
  });

  it("join the rarest values of a call that is as usual as the others", () => {
    const usual = '{"amount": 50, "currency": "EUR"}';
    expect(compare(usual).propose("apart")).toEqual(["args.amount == 50"]);
    expect(compare('{"express": false, "currency": "EUR"}').propose("apart")[0]).toBe(
      'args.express == false && args.currency == "EUR"',
    );
  });

  it("catch the failed calls and spare the good ones", () => {
    const failed = [250, 300, 900].map((amount) => [{ amount, currency: "USD", to: "a@acme.com" }, "failed"] as const);
    const good = [[{ amount: 400, currency: "EUR", to: "b@acme.com" }, "good"] as const];
    const [first, ...more] = compare('{"amount": 900, "currency": "USD"}', [...failed, ...good]).propose("caught");
    expect(first).toBe('args.currency == "USD"');
    expect(more).toContain("args.amount > 100");
  });

  it("are none for failed calls where good ones have the same values", () => {
    const same = '{"currency": "EUR", "express": false}';
    expect(compare(same, [[JSON.parse(same), "failed"]]).propose("caught")).toEqual([]);
  });

  it("stand for calls like this one where they allow: at most its numbers, and its kind", () => {
    expect(compare('{"amount": 40, "currency": "EUR", "id": "INV-5"}').propose("alike")).toEqual([
      'args.amount <= 40 && args.currency == "EUR" && args.id.startsWith("INV-")',
      'args.currency == "EUR"',
      'args.id.startsWith("INV-")',
    ]);
  });

  it("keep the digits of numbers, and name no secret, no long text and no list", () => {
    const text =
      '{"n": 9054686819491029395, "key": "[masked:0123456789ab]", "list": [1], "deep": {"a": {"b": {"c": 1}}, "x": true}}';
    expect(listCallFields(text).map(({ field }) => field)).toEqual(["args.n", "args.deep.x"]);
    const row = compareField(listCallFields(text), "args.n", true);
    expect(row && writeCondition({ join: "and", rows: [row] })).toBe("args.n > 9054686819491029395");
    expect(compareField(listCallFields(text), "args.deep.x", true)).toBeNull();
    for (const other of ["[1]", "not JSON", "{}"]) expect(new CallComparison(other).propose("apart")).toEqual([]);
  });

  it("stand without recorded calls to compare with", () => {
    const alone = new CallComparison('{"amount": 5, "currency": "EUR"}');
    expect(alone.propose("apart")).toHaveLength(2);
    expect(alone.propose("caught")).toEqual([]);
    expect(alone.propose("alike")).toEqual(["args.amount <= 5"]);
  });
});
