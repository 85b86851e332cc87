// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { serverDetail } from "@/app/_components/servers/summary/server.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ServerTool, ToolChangeSet } from "@/lib/contract/server-tool";
import { changePage, toolPage } from "@/server/features/servers/server-queries";
import { ChangesTab } from "./changes-tab";
import { ToolsTab } from "./tools-tab";

const COUNT = 5_000;
const TOOLS = Array.from(
  { length: COUNT },
  (_, at): ServerTool => ({
    name: `tool_${at}`,
    catalogName: `big__tool_${at}`,
    title: null,
    description: "Does something.",
    status: "usable",
    reason: null,
    held: null,
    approval: null,
    notes: [],
    annotations: {},
    formatEntry: () => JSON.stringify({ name: `tool_${at}`, inputSchema: { type: "object" } }),
  }),
);
const SETS: ToolChangeSet[] = [
  { at: 2_000, changes: TOOLS.map(({ name }) => ({ kind: "removed" as const, tool: name ?? "", details: [] })) },
];

function api(): FakeApi {
  return fakeApi({
    "servers.tools": ({ q, cursor }: { q: string; cursor?: number }) =>
      toolPage(TOOLS, { search: q, cursor: cursor ?? 0, getApproval: () => null, listNotes: () => null }),
    "servers.toolJson": ({ position }: { position: number }) => ({ text: TOOLS[position]?.formatEntry() ?? "" }),
    "servers.changes": ({ cursor }: { cursor?: number }) => changePage(SETS, cursor ?? 0),
  });
}

describe("the tools of a server with 5,000 of them", () => {
  it("come a page at a time, are searched on the server, and their JSON is read when it is opened", async () => {
    const fake = api();
    fake.render(
      <Suspense fallback={null}>
        <ToolsTab server={serverDetail({ listedCount: COUNT })} />
      </Suspense>,
    );
    await screen.findByRole("link", { name: "tool_0" });
    expect(screen.getByRole("status").textContent).toContain("5,000 tools");
    expect(screen.getAllByRole("listitem")).toHaveLength(100);
    fireEvent.click(screen.getByRole("button", { name: "Show more (4,900 left)" }));
    await screen.findByRole("link", { name: "tool_199" });
    expect(screen.getAllByRole("listitem")).toHaveLength(200);
    expect(fake.calls.some(({ path }) => path === "servers.toolJson")).toBe(false);
    fireEvent.click(screen.getByRole("button", { name: "JSON of tool_7" }));
    await screen.findByText(/inputSchema/);
    expect(fake.calls.find(({ path }) => path === "servers.toolJson")?.input).toEqual({
      name: "files",
      position: 7,
      tool: "tool_7",
    });
    fireEvent.change(screen.getByRole("searchbox"), { target: { value: "tool_4321" } });
    await screen.findByRole("link", { name: "tool_4321" });
    await waitFor(() => expect(screen.getByRole("status").textContent).toContain("1 of 5,000 tools"));
  });

  it("their changes come a page at a time too, a large set in one piece", async () => {
    api().render(
      <Suspense fallback={null}>
        <ChangesTab server={serverDetail({ changeCount: 1 })} />
      </Suspense>,
    );
    await screen.findByText("tool_99");
    expect(screen.queryByText("tool_100")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Show more" }));
    await screen.findByText("tool_199");
    expect(screen.getAllByRole("region", { name: /^Changes of/ })).toHaveLength(1);
  });
});
