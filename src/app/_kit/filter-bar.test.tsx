// @vitest-environment happy-dom
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { FilterBar, FilterToggle } from "./filter-bar";

it("on a phone the search stays in the row, and the other filters open in one sheet", () => {
  render(
    <FilterBar label="Filter calls" onClear={() => undefined}>
      <input type="search" aria-label="Search" />
      <FilterToggle label="Pinned" checked={false} onChange={() => undefined} />
    </FilterBar>,
  );
  const button = screen.getByRole("button", { name: "Filters" });
  const sheet = document.getElementById(button.getAttribute("aria-controls") ?? "");
  expect(sheet?.contains(screen.getByRole("checkbox", { name: "Pinned" }))).toBe(true);
  expect(sheet?.contains(screen.getByRole("button", { name: "Clear filters" }))).toBe(true);
  expect(sheet?.contains(screen.getByRole("searchbox", { name: "Search" }))).toBe(false);
  expect([button.getAttribute("aria-expanded"), sheet?.className.includes("max-sm:hidden")]).toEqual(["false", true]);
  fireEvent.click(button);
  expect([button.getAttribute("aria-expanded"), sheet?.className.includes("max-sm:hidden")]).toEqual(["true", false]);
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(button.getAttribute("aria-expanded")).toBe("false");
  fireEvent.click(button);
  fireEvent.click(screen.getByRole("button", { name: "Done" }));
  expect(button.getAttribute("aria-expanded")).toBe("false");
});
