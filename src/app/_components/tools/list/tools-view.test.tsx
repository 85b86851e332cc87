// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { ToolsView } from "./tools-view";

const tool = (name: string) =>
  ({
    name,
    title: null,
    description: `Does ${name}.`,
    implementationType: "mock",
    origin: "code",
    originPath: null,
    server: null,
    handler: null,
    tags: [],
    enabled: true,
    approval: { required: false },
    deprecation: null,
    owner: null,
    annotations: {},
    quality: [],
    updatedAt: null,
    parameterCount: 1,
    requiredCount: 0,
  }) as unknown as ToolSummary;

function shownNames(): (string | null)[] {
  return screen.getAllByRole("link").map((link) => link.textContent);
}

describe("the list of tools", () => {
  it("shows calls, failure rate and last use, and sorts by them and by name", async () => {
    const api = fakeApi({
      "tools.list": () => ({ items: ["beta", "alpha", "unused"].map(tool), problems: [] }),
      "tools.favorites": () => [],
      "executions.toolFigures": () => [
        { toolName: "alpha", calls: 12, finished: 10, failed: 5, lastUsedAt: Date.now() - 60_000 },
        { toolName: "beta", calls: 1_000, finished: 1_000, failed: 0, lastUsedAt: Date.now() - 3_600_000 },
      ],
    });
    api.render(<ToolsView />);
    await screen.findByRole("columnheader", { name: "Last used" });
    expect(screen.getByText("1,000")).toBeDefined();
    expect(screen.getByText("50%")).toBeDefined();
    expect(screen.getByText("never")).toBeDefined();
    for (const [head, names] of [
      ["Failed", ["alpha", "beta", "unused"]],
      ["Calls", ["beta", "alpha", "unused"]],
      ["Last used", ["alpha", "beta", "unused"]],
      ["Name", ["alpha", "beta", "unused"]],
      ["Name", ["unused", "beta", "alpha"]],
    ] as const) {
      fireEvent.click(screen.getByRole("button", { name: head }));
      await waitFor(() => expect(shownNames()).toEqual(names));
    }
    expect(api.searches.at(-1)).toBe("?sort=-name");
  });
});
