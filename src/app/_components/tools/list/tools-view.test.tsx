// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { DEFAULT_PREFERENCES } from "@/app/_kit/preferences";
import { PreferencesProvider } from "@/app/_kit/preferences-provider";
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
  return [...document.querySelectorAll("[data-row]")].map((link) => link.textContent);
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
    const readLink = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
    expect(readLink("1,000")).toBe("/executions?tool=beta&range=7d");
    expect(readLink("50%")).toBe("/executions?tool=alpha&range=7d&status=failed");
    expect(screen.getByText("never")).toBeDefined();
    for (const [head, names] of [
      ["Failed (7d)", ["alpha", "beta", "unused"]],
      ["Calls (7d)", ["beta", "alpha", "unused"]],
      ["Last used", ["alpha", "beta", "unused"]],
      ["Name", ["alpha", "beta", "unused"]],
      ["Name", ["unused", "beta", "alpha"]],
    ] as const) {
      fireEvent.click(screen.getByRole("button", { name: head }));
      await waitFor(() => expect(shownNames()).toEqual(names));
    }
    expect(api.searches.at(-1)).toBe("?sort=-name");
  });

  it("columns are chosen, and remembered in this browser", async () => {
    const saved = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(null, { status: 204 }));
    fakeApi({
      "tools.list": () => ({ items: [tool("echo")], problems: [] }),
      "tools.favorites": () => [],
      "executions.toolFigures": () => [],
    }).render(
      <PreferencesProvider initial={DEFAULT_PREFERENCES} mac={false}>
        <ToolsView />
      </PreferencesProvider>,
    );
    await screen.findByRole("columnheader", { name: "Description" });
    const hasColumn = (name: string) => screen.queryByRole("columnheader", { name }) !== null;
    expect(["Quality", "Params / req.", "Origin"].map(hasColumn)).toEqual([false, false, true]);
    fireEvent.click(screen.getByRole("button", { name: "Columns" }));
    fireEvent.click(await screen.findByRole("checkbox", { name: "Quality" }));
    fireEvent.click(screen.getByRole("checkbox", { name: "Origin" }));
    await waitFor(() => expect(["Quality", "Origin"].map(hasColumn)).toEqual([true, false]));
    expect(saved.mock.lastCall?.[1]?.body).toBe("system.open.on.open.tools-quality~tools-origin");
    saved.mockRestore();
  });
});
