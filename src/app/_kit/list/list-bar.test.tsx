// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { defineFilters, manyOf, oneOf, order, searchText, toggle } from "./filters";
import { ListBar } from "./list-bar";
import { useList } from "./use-list";

const FILTERS = defineFilters({
  q: searchText({ label: "Search", placeholder: "", instant: true }),
  kind: manyOf(["tool", "prompt"], { label: "Kind" }),
  state: oneOf(["on", "off"], { label: "State", words: { off: "switched off" } }),
  mine: toggle({ label: "Mine" }),
  sort: order(["name"], { label: "Sort" }),
});

function Bar() {
  return <ListBar list={useList(FILTERS)} />;
}
const button = (name: string) => screen.findByRole("button", { name });
const press = async (name: string) => fireEvent.click(await button(name));

it("a filter is added with its value in one place, is a chip in the address, and can be changed and removed", async () => {
  const api = fakeApi({});
  api.render(<Bar />);
  expect(screen.getAllByRole("button")).toHaveLength(1);
  await press("Filter");
  const kind = await button("Kind");
  await waitFor(() => expect(document.activeElement).toBe(kind));
  await press("State");
  await press("switched off");
  await waitFor(() => expect(api.searches.at(-1)).toBe("?state=off"));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await press("Filter");
  await press("Mine");
  await waitFor(() => expect(api.searches.at(-1)).toBe("?state=off&mine=true"));
  await press("State switched off");
  await press("on");
  await waitFor(() => expect(api.searches.at(-1)).toBe("?state=on&mine=true"));
  await press("Remove filter Mine");
  await waitFor(() => expect(api.searches.at(-1)).toBe("?state=on"));
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Filter" }));
});

it("a filter that takes several values stays open, and one that is set is not offered again", async () => {
  const api = fakeApi({}, "?state=on");
  api.render(<Bar />);
  await press("Filter");
  expect(screen.queryByRole("button", { name: "State" })).toBeNull();
  await press("Kind");
  for (const name of ["tool", "prompt"]) fireEvent.click(await screen.findByRole("checkbox", { name }));
  await waitFor(() => expect(api.searches.at(-1)).toContain("kind=tool,prompt"));
  fireEvent.keyDown(screen.getByRole("checkbox", { name: "tool" }), { key: "Escape" });
  await press("Clear filters");
  await waitFor(() => expect(api.searches.at(-1)).toBe(""));
});
