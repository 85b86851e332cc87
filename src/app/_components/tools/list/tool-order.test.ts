import { describe, expect, it } from "vitest";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import type { ToolFigures } from "@/lib/contract/execution";
import { sortTools, type ToolSort } from "./tool-order";

const TOOLS = ["beta", "alpha", "unused", "Gamma"].map((name) => ({ name }) as ToolSummary);
const FIGURES = new Map<string, ToolFigures>(
  [
    { toolName: "alpha", calls: 20, finished: 10, failed: 5, lastUsedAt: 3 },
    { toolName: "beta", calls: 100, finished: 100, failed: 1, lastUsedAt: 2 },
    { toolName: "Gamma", calls: 0, finished: 0, failed: 0, lastUsedAt: 1 },
  ].map((row) => [row.toolName, { ...row, error: row.failed, timedOut: 0, interrupted: 0, invalid: 0 }]),
);

describe("sortTools", () => {
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
