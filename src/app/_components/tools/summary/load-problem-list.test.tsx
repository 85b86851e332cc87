// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { LoadProblemList } from "./load-problem-list";

it("a damaged row says what can be done about it, in words that fit what it is", () => {
  const entry = (name: string) => ({ origin: "database" as const, source: "database", name, error: "cannot be read" });
  fakeApi({}).render(<LoadProblemList items={[entry("exec_1"), { ...entry("team"), damaged: "toolset" }]} count={2} />);
  const [execution, toolset] = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(execution).toContain("It stays in the database, and a newer version of Toolroom may be able to read it.");
  expect(execution).not.toMatch(/tool is stored|cannot run|delete/i);
  expect(toolset).toContain("An admin can delete it.");
  expect(screen.getByRole("button", { name: "Delete toolset team" })).toBeDefined();
  expect(screen.queryByRole("link")).toBeNull();
});

it("of thousands the first are shown, with their number and the way to all", () => {
  const entry = { origin: "config" as const, source: "c.json", name: "broken", error: "cannot be read" };
  fakeApi({}).render(<LoadProblemList items={[entry]} count={4_000} />);
  expect(screen.getByText("4,000 entries could not be loaded")).toBeDefined();
  expect(screen.getByRole("link", { name: "Show all 4,000" }).getAttribute("href")).toBe("/settings/installation");
});
