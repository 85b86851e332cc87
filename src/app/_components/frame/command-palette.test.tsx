// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { executionSummary } from "@/app/_components/executions/summary/execution.test-support";
import { type FakeApi, type FakeProcedures, fakeApi } from "@/app/_kit/fake-api.test-support";
import { CommandPalette } from "./command-palette";

const EXECUTION = executionSummary({ id: "exec_abcdefgh12" });
const WEATHER = { name: "get_weather", title: null, description: "", tags: [], enabled: true };
const FILES = { name: "files", title: null, transport: "stdio", target: "npx files", status: "connected" };
const RUN = { id: "run_abcdefgh12", title: "Plan a trip to Oslo", status: "succeeded" };

function palette(more: FakeProcedures = {}): FakeApi {
  return fakeApi({
    "tools.suggest": ({ search }: { search: string }) => (search === "wthr" ? [WEATHER] : []),
    "servers.suggest": ({ search }: { search: string }) => (search === "fil" ? [FILES] : []),
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
    ...more,
  });
}

/** Answers that a test sends when it likes. */
function createAnswers<Input, Output>(answer: (input: Input) => Output) {
  const waiting: (() => void)[] = [];
  return {
    procedure: (input: Input): Promise<Output> => new Promise((resolve) => waiting.push(() => resolve(answer(input)))),
    sendAll(): void {
      for (const send of waiting.splice(0)) send();
    },
  };
}

function openPalette(more: FakeProcedures) {
  const api = palette(more);
  let isClosed = false;
  api.render(
    <CommandPalette
      onClose={() => {
        isClosed = true;
      }}
      onShortcuts={() => undefined}
    />,
  );
  const search = screen.getByRole("combobox");
  const type = (value: string) => fireEvent.change(search, { target: { value } });
  const isAsked = (text: string) =>
    api.calls.some(({ path, input }) => path === "tools.suggest" && (input as { search: string }).search === text);
  const press = (key: string) => fireEvent.keyDown(search, { key });
  return { api, type, press, enter: () => press("Enter"), isClosed: () => isClosed, isAsked };
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

  it("keeps an Enter that is pressed before the answer, and opens the first result when it comes", async () => {
    const tools = createAnswers(({ search }: { search: string }) => (search === "wthr" ? [WEATHER] : []));
    const { api, type, enter, isClosed, isAsked } = openPalette({ "tools.suggest": tools.procedure });
    type("wthr");
    enter();
    // The pause after typing is over with Enter.
    await waitFor(() => expect(isAsked("wthr")).toBe(true));
    await screen.findByText("Opening the first result…");
    expect([api.visited, isClosed()]).toEqual([[], false]);
    tools.sendAll();
    await waitFor(() => expect(api.visited).toEqual(["/tools/get_weather"]));
    expect(isClosed()).toBe(true);
  });

  it("opens the tool that a slow answer brings, not the server that was found before", async () => {
    const tools = createAnswers(() => [{ ...WEATHER, name: "quux_weather" }]);
    const { api, type, enter, isAsked } = openPalette({
      "tools.suggest": tools.procedure,
      "servers.suggest": () => [{ ...FILES, name: "quux" }],
    });
    type("quux");
    enter();
    await waitFor(() => expect(isAsked("quux")).toBe(true));
    await screen.findByText("Opening the first result…");
    await waitFor(() => expect(api.calls.some(({ path }) => path === "runs.list")).toBe(true));
    expect(api.visited).toEqual([]);
    tools.sendAll();
    await waitFor(() => expect(api.visited).toEqual(["/tools/quux_weather"]));
  });

  it("Enter does not open what an earlier text found, unless arrow keys chose it", async () => {
    const stale = { ...WEATHER, name: "old_weather" };
    const tools = createAnswers(({ search }: { search: string }) => (search === "wthr" ? [WEATHER] : [stale]));
    const { api, type, enter, press } = openPalette({ "tools.suggest": tools.procedure });
    await waitFor(() => expect(api.calls.some(({ path }) => path === "tools.suggest")).toBe(true));
    tools.sendAll();
    await screen.findByRole("option", { name: /^old_weather/ });
    type("wthr");
    // The letters are in its name, in this order.
    await screen.findByRole("option", { name: /^old_weather/ });
    enter();
    await screen.findByText("Opening the first result…");
    await waitFor(() => expect(api.calls.filter(({ path }) => path === "tools.suggest")).toHaveLength(2));
    tools.sendAll();
    await waitFor(() => expect(api.visited).toEqual(["/tools/get_weather"]));
    type("old");
    press("ArrowDown");
    enter();
    await waitFor(() => expect(api.visited).toHaveLength(2));
  });

  it("a kept Enter is cancelled by typing, and an Enter without a result opens the search in executions", async () => {
    const tools = createAnswers(({ search }: { search: string }) => (search === "wthr" ? [WEATHER] : []));
    const { api, type, enter, isAsked } = openPalette({ "tools.suggest": tools.procedure });
    type("wthr");
    enter();
    await waitFor(() => expect(isAsked("wthr")).toBe(true));
    type("wthrqqq");
    tools.sendAll();
    await waitFor(() => expect(isAsked("wthrqqq")).toBe(true));
    expect(api.visited).toEqual([]);
    enter();
    tools.sendAll();
    await waitFor(() => expect(api.visited).toEqual(["/executions?q=wthrqqq"]));
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
