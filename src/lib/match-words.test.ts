import { expect, it } from "vitest";
import { createWordMatcher } from "./match-words";

it("a list is narrowed to what has every word of the search, in any order, case and text; an empty search to nothing", () => {
  const matches = createWordMatcher("  Report  weekly ");
  expect(matches("weekly_sales", null, "Makes a REPORT")).toBe(true);
  expect(matches("weekly_sales", undefined, "Makes a list")).toBe(false);
  expect(createWordMatcher(" ")("anything")).toBe(true);
});

it("a list is compared with the first words of a search, however long it is", () => {
  const matches = createWordMatcher(`report ${"weekly ".repeat(200_000)} monthly`);
  expect(matches("weekly report")).toBe(true);
  expect(matches("monthly report")).toBe(false);
});
