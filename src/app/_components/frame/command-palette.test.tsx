// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { executionSummary } from "@/app/_components/executions/summary/execution.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import { CommandPalette } from "./command-palette";

const EXECUTION = executionSummary({ id: "exec_abcdefgh12" });
const WEATHER = { name: "get_weather", title: null, description: "", tags: [], enabled: true };
const RUN = { id: "run_abcdefgh12", title: "Plan a trip to Oslo", status: "succeeded" };

function palette(): FakeApi {
  return fakeApi({
    "tools.suggest": ({ search }: { search: string }) => (search === "wthr" ? [WEATHER] : []),
    "servers.list": () => ({
      items: [{ name: "files", title: null, transport: "stdio", target: "npx files", state: { status: "connected" } }],
      problems: [],
    }),
    "executions.list": ({ filter }: { filter: { q?: string } }) => ({
      items: filter.q === EXECUTION.id ? [EXECUTION] : [],
      nextCursor: null,
    }),
    "toolsets.list": () => [{ name: "support", title: "Customers", description: "", toolCount: 3 }],
    "runs.get": ({ id }: { id: string }) => {
      if (id !== RUN.id) throw new Error("not found");
      return RUN;
    },
    "runs.list": ({ filter }: { filter: { q?: string } }) => ({
      items: RUN.title.toLowerCase().includes(filter.q ?? "") ? [RUN] : [],
      nextCursor: null,
    }),
  });
}

async function choose(search: string, option: RegExp): Promise<FakeApi> {
  const api = palette();
  api.render(<CommandPalette onClose={() => undefined} onShortcuts={() => undefined} />);
  fireEvent.change(screen.getByRole("combobox"), { target: { value: search } });
  fireEvent.click(await screen.findByRole("option", { name: option }));
  return api;
}

function PageWithPalette() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <input aria-label="City" onKeyDown={({ key }) => key === "F1" && setIsOpen(true)} />
      {isOpen && <CommandPalette onClose={() => setIsOpen(false)} onShortcuts={() => undefined} />}
    </>
  );
}

describe("the command palette", () => {
  it.each([
    ["an execution by its exact id", ` ${EXECUTION.id}`, /^exec_abcdefgh12/, `/executions/${EXECUTION.id}`],
    ["a run by its exact id", RUN.id, /^run_abcdefgh12/, `/runs/${RUN.id}`],
    ["a run by its title", "trip to", /Plan a trip/, `/runs/${RUN.id}`],
    ["a tool that the server finds", "wthr", /^get_weather/, "/tools/get_weather"],
    ["a server", "fil", /^files/, "/servers/files"],
    ["a toolset by its title", "custom", /^support/, "/toolsets/support"],
    ["the form of a new toolset", "new toolset", /^New toolset/, "/toolsets/new"],
    ["a section of Settings", "max_stored", /Limits in force/, "/settings/installation#limits-in-force"],
    ["an action", "mcp.json", /Import an mcp.json/, "/servers/new?tab=paste"],
    ["the search in executions", "oslo & bergen", /Search executions for/, "/executions?q=oslo%20%26%20bergen"],
  ])("opens %s", async (_what, search, option, href) => {
    const api = await choose(search, option);
    expect(api.visited).toEqual([href]);
  });

  it("opens nothing for an id that does not exist, and offers to search for it", async () => {
    const api = palette();
    api.render(<CommandPalette onClose={() => undefined} onShortcuts={() => undefined} />);
    fireEvent.change(screen.getByRole("combobox"), { target: { value: "run_zzzzzzzz99" } });
    await screen.findByRole("option", { name: /Search executions/ });
    await waitFor(() => expect(api.calls.some(({ path }) => path === "runs.get")).toBe(true));
    expect(screen.getAllByRole("option")).toHaveLength(1);
  });

  it("gives the focus back to the field in which it was opened", async () => {
    const api = palette();
    api.render(<PageWithPalette />);
    const city = screen.getByRole("textbox", { name: "City" });
    city.focus();
    fireEvent.keyDown(city, { key: "F1" });
    const search = await screen.findByRole("combobox");
    await waitFor(() => expect(document.activeElement).toBe(search));
    fireEvent.keyDown(search, { key: "Escape" });
    await waitFor(() => expect(document.activeElement).toBe(city));
  });
});
