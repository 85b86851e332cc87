import { describe, expect, it } from "vitest";
import type { ToolApproval } from "../../../lib/contract/approval";
import type { ServerTool, ToolChangeSet } from "../../../lib/contract/server-tool";
import { changePage, toolPage } from "./server-queries";

const MIB = 1024 * 1024;
const size = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer));

function tool(at: number, part: Partial<ServerTool> = {}): ServerTool {
  return {
    name: `tool_${at}`,
    catalogName: `big__tool_${at}`,
    title: null,
    description: "ä".repeat(20_000),
    status: "usable",
    reason: null,
    held: null,
    approval: null,
    notes: [],
    annotations: {},
    formatEntry: () => JSON.stringify({ inputSchema: { type: "object", description: "x".repeat(17_000) } }),
    ...part,
  };
}

describe("the tools of a server with 5,000 of them", () => {
  const tools = Array.from({ length: 5_000 }, (_, at) => tool(at));
  tools[4_321] = tool(4_321, { status: "malformed", reason: "no schema", catalogName: null });
  const getApproval = (): ToolApproval => ({ required: true, because: "hint", mode: null });
  const getPage = (search: string, cursor = 0) =>
    toolPage(tools, { search, cursor, getApproval, listNotes: () => null });

  it("come in pages under 1 MiB, without schemas, that together hold every tool", () => {
    const positions: number[] = [];
    for (let cursor: number | null = 0; cursor !== null; ) {
      const page = getPage("", cursor);
      expect(size(page)).toBeLessThan(MIB);
      expect(JSON.stringify(page)).not.toContain("inputSchema");
      positions.push(...page.items.map(({ position }) => position));
      cursor = page.nextCursor;
    }
    expect(positions[0]).toBe(4_321);
    expect(new Set(positions).size).toBe(5_000);
  });

  it("are searched on the server, by every word", () => {
    expect(getPage("BIG tool_77")).toMatchObject({
      total: 5_000,
      matching: 11,
      unusable: 0,
      nextCursor: null,
    });
    expect(getPage("tool_4321")).toMatchObject({
      matching: 1,
      unusable: 1,
      items: [{ reason: "no schema" }],
    });
    expect(getPage("nothing")).toMatchObject({ matching: 0, items: [], nextCursor: null });
  });
});

describe("the changes of a server", () => {
  it("come in pages under 1 MiB, a large set on several of them, in order", () => {
    const sets: ToolChangeSet[] = [3, 2, 1].map((at) => ({
      at,
      changes: Array.from({ length: 250 }, (_, index) => ({
        kind: "breaking",
        tool: `tool_${at}_${index}`,
        details: Array.from({ length: 500 }, () => "y".repeat(5_000)),
      })),
    }));
    const seen: string[] = [];
    for (let cursor: number | null = 0; cursor !== null; ) {
      const page = changePage(sets, cursor);
      expect(size(page)).toBeLessThan(MIB);
      seen.push(...page.items.flatMap(({ changes }) => changes.map((change) => change.tool)));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(sets.flatMap(({ changes }) => changes.map((change) => change.tool)));
    expect(changePage([], 0)).toEqual({ items: [], nextCursor: null });
  });
});
