// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { DataTable } from "../data-table";
import { fakeApi } from "../fake-api.test-support";
import { countColumn, nameColumn, textColumn, timeColumn } from "./columns";

interface Kit {
  name: string;
  about: string;
  owner: string | null;
  tools: number;
  calls: number;
  usedAt: number | null;
}

const COLUMNS = [
  nameColumn<Kit>("Name", {
    name: ({ name }) => name,
    href: ({ name }) => `/kits/${name}`,
    about: ({ about }) => about,
  }),
  textColumn<Kit>("Owner", ({ owner }) => owner, { from: "md", phone: ({ owner }) => owner }),
  countColumn<Kit>("Tools", ({ tools }) => tools, { noun: "tool", from: "md" }),
  countColumn<Kit>("Calls", ({ calls }) => calls, {
    noun: "call",
    href: ({ name }) => `/executions?q=${name}`,
    from: "md",
  }),
  timeColumn<Kit>("Used", ({ usedAt }) => usedAt, { never: "never", from: "md" }),
];

function show(...kits: Kit[]) {
  fakeApi({}).render(
    <DataTable label="Kits" look="catalog" columns={COLUMNS} rows={kits} toKey={({ name }) => name} />,
  );
  return screen.getAllByRole("row").slice(1);
}

const NEW: Kit = { name: "mail", about: "", owner: null, tools: 1, calls: 0, usedAt: null };
const USED: Kit = { name: "shop", about: "Orders", owner: "Ada", tools: 3, calls: 1200, usedAt: Date.now() };

it("the name opens the row and carries on a phone what the hidden columns say", () => {
  const [row] = show(USED) as [HTMLElement];
  const [name] = within(row).getAllByRole("cell") as [HTMLElement];
  expect(within(name).getByRole("link", { name: "shop" }).getAttribute("href")).toBe("/kits/shop");
  expect(within(name).getByText("Orders")).toBeTruthy();
  expect(name.querySelector("p:last-child")?.textContent).toBe("Ada · 3 tools · 1,200 calls");
});

it("a count leads to what it counts, and what is missing is a dash or said", () => {
  const [used, unused] = show(USED, NEW) as [HTMLElement, HTMLElement];
  expect(within(used).getByRole("link", { name: "1,200 calls" }).getAttribute("href")).toBe("/executions?q=shop");
  expect(
    within(unused)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual(["mail1 tool · 0 calls", "", "1", "–", "never"]);
});
