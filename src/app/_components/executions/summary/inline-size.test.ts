import { expect, it } from "vitest";
import { fitsInline } from "./inline-size";

it("a page holds calls whose results and arguments are small together, and leaves larger ones to the browser", () => {
  const call = (storedBytes: number | null, chars: number) => ({ storedBytes, argumentsText: "x".repeat(chars) });
  expect(fitsInline([])).toBe(true);
  expect(fitsInline([call(100_000, 10), call(100_000, 10)])).toBe(true);
  expect(fitsInline([call(200_000, 10), call(200_000, 10)])).toBe(false);
  expect(fitsInline([call(null, 300_000)])).toBe(false);
});
