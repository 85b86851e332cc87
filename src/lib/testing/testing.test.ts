import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Assertion } from "../contract/suite";
import { toMask } from "../masked-value";
import { type CallOutcome, checkAssertions } from "./check-assertions";
import { findDifferences } from "./find-differences";
import { findVolatile } from "./find-volatile";

const MASK = toMask("0123456789abcdef");

describe("differences of two JSON values", () => {
  it("are none between a value and itself, whatever the order of its keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy: unknown = JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
          typeof inner === "object" && inner !== null && !Array.isArray(inner)
            ? Object.fromEntries(Object.entries(inner).reverse())
            : inner,
        );
        expect(findDifferences(JSON.parse(JSON.stringify(value)), copy)).toEqual([]);
        expect(findDifferences(JSON.parse(JSON.stringify(value)), copy, { isSubset: true })).toEqual([]);
      }),
    );
  });

  it("are found wherever two values are not equal", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const left = JSON.parse(JSON.stringify(one));
        const right = JSON.parse(JSON.stringify(other));
        const isEqual = findDifferences(left, right).length === 0;
        expect(isEqual).toBe(findDifferences(right, left).length === 0);
        if (isEqual) expect(left).toEqual(right);
      }),
    );
  });

  it("name what changed, what is missing and what is new, and leave out what is ignored or masked", () => {
    const expected = { id: 1, items: [{ at: 1, name: "a" }], secret: MASK, gone: true };
    const actual = { id: 2, items: [{ at: 2, name: "a" }], secret: "s3cret", extra: null };
    expect(findDifferences(expected, actual, { ignore: ["/items/*/at"] })).toEqual([
      { pointer: "/id", kind: "changed", expected: 1, actual: 2 },
      { pointer: "/gone", kind: "missing", expected: true },
      { pointer: "/extra", kind: "unexpected", actual: null },
    ]);
    expect(findDifferences(expected, actual, { ignore: [""] })).toEqual([]);
  });

  it("of a subset are only those of what is expected: members, and items in their order", () => {
    const actual = { a: 1, list: [{ n: 1, x: 0 }, { n: 2 }, { n: 3 }] };
    const differences = (expected: unknown) => findDifferences(expected, actual, { isSubset: true }).length;
    expect(differences({ list: [{ n: 1 }, { n: 3 }] })).toBe(0);
    expect(differences({ list: [{ n: 3 }, { n: 1 }] })).toBe(1);
    expect(differences({ b: undefined })).toBe(1);
    expect(differences({ list: [] })).toBe(0);
  });
});

const SUCCEEDED: CallOutcome = {
  succeeded: true,
  resultText: '{"city":"Oslo","days":[1,2],"note":"cold, wet"}',
  resultTruncated: false,
  resultBytes: 47,
  error: null,
  errorKind: null,
  durationMs: 20,
};
const FAILED: CallOutcome = {
  ...SUCCEEDED,
  succeeded: false,
  resultText: null,
  resultBytes: null,
  error: "No such city",
  errorKind: "tool_error",
};

async function check(outcome: CallOutcome, ...assertions: Assertion[]) {
  const { status, problems } = await checkAssertions(assertions, outcome, async (schema) =>
    schema.type === "object" ? [] : [{ path: "", message: "must be string" }],
  );
  return [status, ...problems.map(({ path, message }) => `${path} ${message}`.trim())];
}

describe("assertions", () => {
  it("hold for a result as it is", async () => {
    const all: Assertion[] = [
      { kind: "equals", value: { city: "Bergen", days: [1, 2], note: "cold, wet" }, ignore: ["/city"] },
      { kind: "subset", value: { days: [2] } },
      { kind: "path", path: "/days/1", is: "equals", value: 2 },
      { kind: "path", path: "/note", is: "contains", value: "wet" },
      { kind: "path", path: "/days", is: "contains", value: 1 },
      { kind: "path", path: "/city", is: "exists" },
      { kind: "path", path: "/toString", is: "absent" },
      { kind: "schema", schema: { type: "object" } },
      { kind: "time", maxMs: 20 },
      { kind: "size", maxBytes: 47 },
    ];
    expect(await check(SUCCEEDED, ...all)).toEqual(["passed"]);
    expect(await check(FAILED, { kind: "error", error: "tool_error", message: "city" })).toEqual(["passed"]);
  });

  it("say what is wrong, one by one", async () => {
    const all: Assertion[] = [
      { kind: "equals", value: { city: "Bergen", days: [1, 2], note: "cold, wet" } },
      { kind: "subset", value: { days: [3] } },
      { kind: "path", path: "/days/1", is: "equals", value: 3 },
      { kind: "path", path: "/note", is: "contains", value: "dry" },
      { kind: "path", path: "/gone", is: "exists" },
      { kind: "path", path: "/city", is: "absent" },
      { kind: "schema", schema: { type: "string" } },
      { kind: "time", maxMs: 19 },
      { kind: "size", maxBytes: 46 },
      { kind: "error", error: "timeout" },
    ];
    expect(await check(SUCCEEDED, ...all)).toEqual([
      "failed",
      "city is different",
      "days[0] is missing",
      "days[1] is different",
      "note does not contain it",
      "gone is missing",
      "city is not expected",
      "must be string",
      "took longer than 19 ms",
      "is larger than 46 B",
      "the call succeeded",
    ]);
    expect(await check(FAILED, { kind: "error", error: "timeout" })).toEqual([
      "failed",
      "the call failed in another way",
    ]);
  });

  it("a call that failed without being expected to is an error, and a result that is cut cannot be compared", async () => {
    expect(await check(FAILED, { kind: "time", maxMs: 1 })).toEqual(["error", "the call failed: No such city"]);
    const cut = { ...SUCCEEDED, resultText: '{"ci', resultTruncated: true };
    expect(await check(cut, { kind: "subset", value: {} })).toEqual(["failed", expect.stringContaining("cannot be")]);
  });
});

it("values of one call only are found by their looks, their keys, and by what differs in other results of the call", () => {
  const value = {
    id: "3f2c1a9e-7b64-4d2e-9a51-0c8e5f7d2b10",
    createdAt: "tomorrow",
    took_ms: 3,
    at: 1_764_150_000_000,
    count: 1_764_150_000,
    rows: [{ when: "2026-11-26T08:00:00Z", n: 1 }, { n: 2 }],
    day: "2026-11-26",
    draw: [5, 6],
  };
  expect(findVolatile(value).sort()).toEqual(["/at", "/createdAt", "/id", "/rows/*/when", "/took_ms"]);
  expect(findVolatile(value, [{ ...value, draw: [5, 9] }])).toContain("/draw/*");
});
