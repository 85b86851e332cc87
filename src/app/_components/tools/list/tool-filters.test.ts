import { describe, expect, it } from "vitest";
import { TOOL_FILTERS, toListInput } from "./tool-filters";

const NONE = {
  q: "",
  type: "",
  origin: null,
  server: "",
  tag: "",
  state: null,
  approval: null,
  sort: null,
  problems: false,
  favorites: false,
  mine: false,
};

describe("the filters of the tool list", () => {
  it.each([
    { q: "weather" },
    { type: "mcp" },
    { origin: "console" },
    { server: "files" },
    { tag: "geo" },
    { state: "held" },
    { approval: "asks" },
    { problems: true },
    { favorites: true },
    { mine: true },
  ] as const)("send %o to the server and nothing else", (part) => {
    const params = { ...NONE, ...part };
    expect(toListInput(params).filter).toEqual(part);
    expect([TOOL_FILTERS.isFiltered(params), TOOL_FILTERS.isFiltered(NONE)]).toEqual([true, false]);
  });

  it("send the order beside the filter", () => {
    expect(toListInput({ ...NONE, sort: "-calls" })).toMatchObject({ filter: {}, sort: "-calls" });
    expect(toListInput(NONE)).not.toHaveProperty("sort");
  });
});
