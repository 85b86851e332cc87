import { describe, expect, it } from "vitest";
import type { ToolSummary } from "../../../lib/contract/catalog-tool";
import type { ToolFigures } from "../../../lib/contract/execution";
import type { ToolSort } from "../../../lib/contract/tool-filter";
import { sortTools } from "./sort-tools";

const TOOLS = ["beta", "alpha", "unused", "Gamma"].map((name) => ({ name, server: null }) as ToolSummary);
const FIGURES = new Map<string, ToolFigures>(
  [
    { toolName: "alpha", calls: 20, finished: 10, failed: 5, lastUsedAt: 3 },
    { toolName: "beta", calls: 100, finished: 100, failed: 1, lastUsedAt: 2 },
    { toolName: "Gamma", calls: 0, finished: 0, failed: 0, lastUsedAt: 1 },
  ].map((row) => [row.toolName, { ...row, error: row.failed, timedOut: 0, interrupted: 0, invalid: 0 }]),
);

describe("sortTools", () => {
  it("keeps the tools of a server together below the team's own, in the server's order", () => {
    const arrived = ["many10 one", "own two", "many2 z", "many10 two", "own one", "many2 a"].map((each) => {
      const [owner = "", name = ""] = each.split(" ");
      return { name, server: owner === "own" ? null : owner } as ToolSummary;
    });
    const shown = sortTools(arrived, { figures: FIGURES, favorites: new Set() }, null);
    expect(shown.map(({ server, name }) => `${server ?? "own"} ${name}`)).toEqual([
      "own two",
      "own one",
      "many2 z",
      "many2 a",
      "many10 one",
      "many10 two",
    ]);
  });

  it.each<[ToolSort | null, string[]]>([
    [null, ["beta", "alpha", "unused", "Gamma"]],
    ["favorites", ["unused", "beta", "alpha", "Gamma"]],
    ["name", ["alpha", "beta", "Gamma", "unused"]],
    ["-calls", ["beta", "alpha", "unused", "Gamma"]],
    ["calls", ["alpha", "beta", "unused", "Gamma"]],
    ["-failures", ["alpha", "beta", "unused", "Gamma"]],
    ["-used", ["alpha", "beta", "Gamma", "unused"]],
    ["used", ["Gamma", "beta", "alpha", "unused"]],
  ])("orders by %s, tools without the figure last", (sort, names) => {
    expect(
      sortTools(TOOLS, { figures: FIGURES, favorites: new Set(["unused"]) }, sort).map(({ name }) => name),
    ).toEqual(names);
  });
});
