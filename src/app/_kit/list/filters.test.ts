import { describe, expect, it } from "vitest";
import { defineFilters, instant, manyNames, manyOf, oneName, oneOf, order, searchText, toggle } from "./filters";
import { toRangeEnds } from "./time-range";

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
      q: "x".repeat(200),
      state: "off",
      kind: ["b"],
      tool: ["echo", "b"],
      actor: "loc",
      pinned: true,
      since: 0,
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
    const ranges = ["1h", "30d", "custom", null] as const;
    const starts = ranges.map((range) => toRangeEnds(range, now, "UTC").since);
    expect(starts).toEqual([now - 3_600_000, 86_400_000, null, null]);
  });

  it("take today and yesterday as days of the viewer's zone, from midnight to midnight", () => {
    const now = Date.UTC(2026, 10, 21, 13, 30);
    const midnight = Date.UTC(2026, 10, 21) - 3_600_000;
    expect(toRangeEnds("today", now, "Europe/Berlin")).toEqual({ since: midnight, until: null });
    const yesterday = { since: midnight - 86_400_000, until: midnight - 1 };
    expect(toRangeEnds("yesterday", now, "Europe/Berlin")).toEqual(yesterday);
  });
});
