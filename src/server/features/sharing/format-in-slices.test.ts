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

it("a large file is formatted in many turns of the event loop", async () => {
  const tools = Array.from({ length: 20_000 }, (_, index) => ({ index, text: "word ".repeat(50) }));
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  await formatInSlices({ tools });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
