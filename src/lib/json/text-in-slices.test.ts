import fc from "fast-check";
import { expect, it } from "vitest";
import { compactInSlices, quoteInSlices } from "./text-in-slices";

const counter = () => {
  const slice = {
    pauses: 0,
    pause: (): undefined => {
      slice.pauses += 1;
    },
  };
  return slice;
};

it("a compact text has the bytes of the written one without the spaces between its parts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ stringUnit: "binary" }), fc.constantFrom("", " ", "\t", "\n "), async (text, space) => {
      const written = ` ${JSON.stringify(JSON.parse(text), null, space)} `;
      expect(await compactInSlices(written)).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 300 },
  );
  expect(await compactInSlices('{ "n" : 9007199254740993 , "n" : 1.50e3 }')).toBe('{"n":9007199254740993,"n":1.50e3}');
});

it("a long string is quoted as JSON.stringify does it, also where a slice ends within a character", async () => {
  for (const unit of ["a", '"', "\\", "\n", "\u0001", "é", "\ud83d\ude00", "\ud83d", "x\ud83d\ude00"]) {
    const text = `${unit.length === 1 ? "" : "y"}${unit.repeat(150_000)}`;
    expect(await quoteInSlices(text)).toBe(JSON.stringify(text));
  }
});

it("other work gets a turn within a long text", async () => {
  const compacting = counter();
  await compactInSlices(
    JSON.stringify(
      Array.from({ length: 100_000 }, () => []),
      null,
      1,
    ),
    compacting,
  );
  expect(compacting.pauses).toBeGreaterThan(5);
  const quoting = counter();
  await quoteInSlices("a".repeat(1_000_000), quoting);
  expect(quoting.pauses).toBeGreaterThan(10);
});
