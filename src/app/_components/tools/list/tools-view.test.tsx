// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import { DEFAULT_PREFERENCES } from "@/app/_kit/preferences";
import { PreferencesProvider } from "@/app/_kit/preferences-provider";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import type { ToolFigures } from "@/lib/contract/execution";
import type { ToolPage } from "@/lib/contract/tool-list";
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

const figures = (part: Partial<ToolFigures>) => ({ failed: 0, lastUsedAt: Date.now() - 60_000, ...part });
const toPage = (items: object[], part: Partial<ToolPage> = {}) => ({
  items,
  nextCursor: null,
  matching: items.length,
  total: items.length,
  ...part,
});
const READS = {
  "tools.favorites": () => [],
  "tools.facets": () => ({ types: ["mock"], servers: ["files"], tags: [] }),
  "tools.problems": () => ({ items: [], count: 0 }),
};

const findInput = (api: FakeApi) => api.calls.findLast(({ path }) => path === "tools.list")?.input;

function shownNames(): (string | null)[] {
  return [...document.querySelectorAll("[data-row]")].map((link) => link.textContent);
}

describe("the list of tools", () => {
  it("shows calls, failure rate and last use, and has the server sort by them and by name", async () => {
    const api = fakeApi({
      ...READS,
      "tools.list": () =>
        toPage([
          { ...tool("beta"), figures: figures({ calls: 1_000, finished: 1_000 }) },
          { ...tool("alpha"), figures: figures({ calls: 12, finished: 10, failed: 5 }) },
          tool("unused"),
        ]),
    });
    api.render(<ToolsView />);
    await screen.findByRole("columnheader", { name: "Last used" });
    const readLink = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
    expect(readLink("1,000")).toBe("/executions?tool=beta&range=7d");
    expect(readLink("50%")).toBe("/executions?tool=alpha&range=7d&status=failed");
    expect(screen.getByText("never")).toBeDefined();
    for (const [head, sort] of [
      ["Failed (7d)", "-failures"],
      ["Calls (7d)", "-calls"],
      ["Last used", "-used"],
      ["Name", "name"],
      ["Name", "-name"],
    ] as const) {
      fireEvent.click(screen.getByRole("button", { name: head }));
      await waitFor(() => expect(findInput(api)).toMatchObject({ sort }));
    }
    expect(api.searches.at(-1)).toBe("?sort=-name");
  });

  it("reads a page at a time, says how many tools there are, and sends the search once typing pauses", async () => {
    const api = fakeApi({
      ...READS,
      "tools.list": ({ cursor, filter }: { cursor?: string | null; filter: { q?: string } }) => {
        if (filter.q !== undefined) return toPage([tool("found")], { total: 5_000 });
        const part = cursor ? {} : { nextCursor: "1 first" };
        return toPage([tool(cursor ? "second" : "first")], { ...part, matching: 5_000, total: 5_000 });
      },
    });
    api.render(<ToolsView />);
    await screen.findByText("5,000 tools");
    expect(shownNames()).toEqual(["first"]);
    fireEvent.click(screen.getByRole("button", { name: "Load more" }));
    await waitFor(() => expect(shownNames()).toEqual(["first", "second"]));
    expect(findInput(api)).toMatchObject({ cursor: "1 first" });
    fireEvent.change(screen.getByRole("searchbox", { name: "Search tools" }), { target: { value: "fou" } });
    await screen.findByText("1 of 5,000 tools");
    expect(shownNames()).toEqual(["found"]);
    expect(api.calls.flatMap(({ input }) => (input as { filter?: { q?: string } })?.filter?.q ?? [])).toEqual(["fou"]);
  });

  it("shows a switched tool at once, and as it was where the server refuses", async () => {
    let refuse: (error: Error) => void = () => undefined;
    const api = fakeApi({
      ...READS,
      "tools.list": () => toPage([tool("echo")]),
      "tools.setEnabled": () =>
        new Promise((_, reject) => {
          refuse = reject;
        }),
    });
    api.render(<ToolsView />);
    fireEvent.click(await screen.findByRole("button", { name: "Actions for echo" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Disable" }));
    await screen.findByText("disabled");
    refuse(new Error("it is locked"));
    await screen.findByText(/Couldn't disable echo: it is locked/);
    await waitFor(() => expect(screen.queryByText("disabled")).toBeNull());
  });

  it("columns are chosen, and remembered in this browser", async () => {
    const saved = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(null, { status: 204 }));
    fakeApi({
      ...READS,
      "tools.list": () => toPage([tool("echo")]),
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
