import { describe, expect, it } from "vitest";
import type { ToolSummary } from "../../../lib/contract";
import { toListed } from "./catalogue-entry";

describe("the list of tools", () => {
  it("has of a long description the beginning: thousands of tools go to one page", () => {
    const summary = { name: "big", description: "x".repeat(1_000_000) } as ToolSummary;
    expect(toListed(summary)).toEqual({ name: "big", description: "x".repeat(300) });
  });
});
