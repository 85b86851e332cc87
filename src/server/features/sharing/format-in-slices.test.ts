import fc from "fast-check";
import { expect, it } from "vitest";
import { formatInSlices } from "./format-in-slices";

it("a file that is formatted in slices has the same bytes as one that is formatted at once", async () => {
  const json = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  const values = fc.oneof(json, fc.constant(undefined));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.oneof(values, fc.array(values))), async (value) => {
      expect(await formatInSlices(value)).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

it("a file lets other work have its turn after each entry", async () => {
  const tools = Array.from({ length: 2_000 }, (_, index) => ({ index, text: "word" }));
  let pauses = 0;
  const pause = async (): Promise<void> => {
    pauses += 1;
  };
  await formatInSlices({ tools }, { pause });
  expect(pauses).toBeGreaterThanOrEqual(tools.length);
});
