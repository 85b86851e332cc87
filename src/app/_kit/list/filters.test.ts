import { describe, expect, it } from "vitest";
import { defineFilters, instant, manyNames, manyOf, oneName, oneOf, order, searchText, toggle } from "./filters";
import { toRangeStart } from "./time-range";

const SET = defineFilters({
  q: searchText({ label: "Search", placeholder: "Search names", least: 3 }),
  state: oneOf(["on", "off"], { label: "State" }),
  kind: manyOf(["a", "b"], { label: "Kind" }),
  tool: manyNames({ label: "Tool", most: 2, maxChars: 4 }),
  actor: oneName(3),
  pinned: toggle(),
  since: instant(),
  sort: order(["size", "-size"], { label: "Sort" }),
});
const NONE = { q: "", state: null, kind: [], tool: [], actor: "", pinned: false, since: null, sort: null };

describe("the filters of a list", () => {
  it("ask for everything while nothing is chosen, and an order is no filter", () => {
    expect(SET.toFilter(NONE)).toEqual({});
    expect([SET.isFiltered(NONE), SET.isFiltered({ ...NONE, sort: "size" })]).toEqual([false, false]);
  });

  it("send every choice, cut to what the server takes", () => {
    const chosen = { q: ` ${"x".repeat(300)}`, kind: ["b" as const], tool: ["echoes", "b", "c"], actor: "local" };
    expect(SET.toFilter({ ...NONE, ...chosen, state: "off", pinned: true, since: 0 })).toEqual({
      ...{ q: "x".repeat(200), state: "off", kind: ["b"], tool: ["echo", "b"], actor: "loc", pinned: true, since: 0 },
    });
  });

  it("leave out a search that is too short to be made", () => {
    expect(SET.isFiltered({ ...NONE, q: " os " })).toBe(false);
  });

  it("ignore values of the address that do not exist", () => {
    expect([SET.parsers.kind.parse("a,z"), SET.parsers.state.parse("z")]).toEqual([["a"], null]);
  });

  it("are cleared one and all, and the order stays", () => {
    expect(Object.keys(SET.none)).toEqual(["q", "state", "kind", "tool", "actor", "pinned", "since"]);
  });

  it("begin a time range at a fixed moment, and leave a custom one to its ends", () => {
    const now = 31 * 24 * 60 * 60_000;
    const ranges = ["15m", "30d", "custom", null] as const;
    expect(ranges.map((range) => toRangeStart(range, now))).toEqual([now - 900_000, 86_400_000, null, null]);
  });
});
