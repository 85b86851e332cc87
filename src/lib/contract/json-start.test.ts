import fc from "fast-check";
import { expect, it } from "vitest";
import { writeJsonStart } from "./json-start";

it("the beginning of a value's text is that of JSON.stringify, and longer than asked for only where the text goes on", () => {
  const value = fc.jsonValue({ stringUnit: "binary", maxDepth: 5 });
  fc.assert(
    fc.property(value, fc.nat(80), (each, chars) => {
      const whole = JSON.stringify(each);
      expect(writeJsonStart(each, chars)).toBe(whole.slice(0, chars + 1));
    }),
    { numRuns: 1000 },
  );
  for (const none of [undefined, () => 1]) expect(writeJsonStart(none, 10)).toBeUndefined();
  expect(writeJsonStart([undefined, { a: undefined, b: 1 }], 100)).toBe('[null,{"b":1}]');
});

it("reads no more of a value than it writes", () => {
  let reads = 0;
  const counted: unknown = new Proxy(
    Array.from({ length: 100_000 }, () => []),
    {
      get(list, key) {
        reads += 1;
        return Reflect.get(list, key) as unknown;
      },
    },
  );
  expect(writeJsonStart({ counted }, 20)).toBe('{"counted":[[],[],[],');
  expect(reads).toBeLessThan(100);
});
