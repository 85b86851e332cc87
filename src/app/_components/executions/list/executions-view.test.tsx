// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { executionDetail, executionSummary } from "@/app/_components/executions/summary/execution.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ExecutionSummary } from "@/lib/contract/execution";
import { ExecutionsView } from "./executions-view";

const FIRST = executionSummary({ id: "exec_first0000", seq: 3 });
const SECOND = executionSummary({
  id: "exec_second000",
  seq: 2,
  toolName: "echo",
  status: "failed",
  errorPreview: "boom",
});
const THIRD = executionSummary({ id: "exec_third0000", seq: 1, source: "gateway", client: "Claude Code" });

function logbook(
  rows: ExecutionSummary[],
  search = "",
  nextCursor: number | null = null,
  held: { read?: Promise<void> } = {},
): FakeApi {
  return fakeApi(
    {
      "executions.list": async () => {
        await held.read;
        return { items: [...rows], nextCursor };
      },
      "executions.count": () => ({ count: rows.length, more: false }),
      "executions.facets": () => ({
        tools: ["echo", "get_weather"],
        actors: [{ id: "local-owner", name: "Local owner" }],
      }),
      "executions.get": ({ id }: { id: string }) => executionDetail({ ...rows.find((row) => row.id === id) }),
      "executions.setPinned": ({ id, pinned }: { id: string; pinned: boolean }) => ({ ...FIRST, id, pinned }),
    },
    search,
  );
}

async function show(api: FakeApi): Promise<void> {
  api.render(<ExecutionsView askedAt={0} />);
  await screen.findByRole("table");
  // The keys work once the effects of that render have run.
  await act(async () => undefined);
}

function rowOf(id: string): HTMLElement {
  const row = document.querySelector<HTMLElement>(`[data-execution="${id}"]`);
  if (!row) throw new Error(`no row ${id}`);
  return row;
}

function press(key: string): void {
  fireEvent.keyDown(document.activeElement ?? document.body, { key });
}

function listCalls(api: FakeApi): unknown[] {
  return api.calls.filter((call) => call.path === "executions.list").map((call) => call.input);
}

describe("the execution list", () => {
  it("EXE-06 shows each call with state, tool, origin, arguments and time, and axe finds nothing", async () => {
    const api = logbook([FIRST, SECOND, THIRD]);
    await show(api);
    const row = within(rowOf(SECOND.id));
    expect(row.getByText("failed").getAttribute("data-status")).toBe("failed");
    expect(row.getByRole("link").textContent).toBe("echo");
    expect(row.getAllByText("boom")[0]).toBeDefined();
    expect(row.getByText("0.41 ms")).toBeDefined();
    expect(within(rowOf(THIRD.id)).getByText("gateway · Claude Code")).toBeDefined();
    expect(await findViolations()).toEqual([]);
  });

  it("is walked with j and k, opened with Enter", async () => {
    const api = logbook([FIRST, SECOND, THIRD]);
    await show(api);
    press("j");
    expect(document.activeElement).toBe(rowOf(FIRST.id));
    press("j");
    press("j");
    press("j");
    expect(document.activeElement).toBe(rowOf(THIRD.id));
    press("k");
    press("Enter");
    expect(api.visited).toEqual([`/executions/${SECOND.id}`]);
  });

  it("compares two calls that were selected with x, the older on the left", async () => {
    const api = logbook([FIRST, SECOND, THIRD]);
    await show(api);
    press("j");
    press("x");
    press("c");
    expect(api.visited).toEqual([]);
    press("j");
    press("x");
    await screen.findByRole("link", { name: "Compare" });
    press("c");
    expect(api.visited).toEqual([`/compare?left=${SECOND.id}&right=${FIRST.id}`]);
    expect(api.searches.at(-1)).toContain("selected=");
  });

  it("opens a drawer for the row that is clicked or peeked at, and keeps it in the address", async () => {
    const api = logbook([FIRST, SECOND]);
    await show(api);
    fireEvent.click(within(rowOf(SECOND.id)).getAllByText("boom")[0] ?? document.body);
    const drawer = await screen.findByRole("dialog");
    await within(drawer).findByRole("region", { name: "Result" });
    await waitFor(() => expect(api.searches.at(-1)).toBe(`?peek=${SECOND.id}`));
    fireEvent.click(within(drawer).getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("moves on in the drawer with j and k, and gives the focus back to the row of the last call", async () => {
    const api = logbook([FIRST, SECOND, THIRD]);
    await show(api);
    press("j");
    press(" ");
    const drawer = await screen.findByRole("dialog");
    await within(drawer).findByRole("region", { name: "Result" });
    fireEvent.keyDown(drawer, { key: "k" });
    fireEvent.keyDown(drawer, { key: "j" });
    await within(drawer).findByText(SECOND.id);
    fireEvent.click(within(drawer).getByRole("button", { name: "Next execution" }));
    await within(drawer).findByText(THIRD.id);
    fireEvent.keyDown(drawer, { key: "j" });
    expect(api.searches.at(-1)).toBe(`?peek=${THIRD.id}`);
    expect(api.histories).toEqual(["push", "replace", "replace"]);
    fireEvent.click(within(drawer).getByRole("button", { name: "Close" }));
    await waitFor(() => expect(document.activeElement).toBe(rowOf(THIRD.id)));
  });

  it("shows the drawer beside the list where there is room: it opens by a click anywhere, follows the keys, and Escape closes it", async () => {
    const wide = { matches: true, addEventListener: () => undefined, removeEventListener: () => undefined };
    const media = vi.spyOn(window, "matchMedia").mockReturnValue(wide as never);
    const ofRun = { ...SECOND, runId: "run_1", runTitle: "Plan a trip" };
    const api = logbook([FIRST, ofRun, THIRD]);
    await show(api);
    // A real click, unlike Enter on the link, has a count.
    fireEvent.click(within(rowOf(FIRST.id)).getByRole("link"), { detail: 1 });
    const drawer = await screen.findByRole("region", { name: "get_weather" });
    await within(drawer).findByRole("region", { name: "Result" });
    expect(api.visited).toEqual([]);
    expect(screen.queryByRole("dialog")).toBeNull();
    act(() => rowOf(FIRST.id).focus());
    press("j");
    const next = await screen.findByRole("region", { name: "echo" });
    expect((await within(next).findByRole("link", { name: "Plan a trip" })).getAttribute("href")).toBe("/runs/run_1");
    const edit = within(next).getByRole("link", { name: "Edit and replay" });
    expect(edit.getAttribute("href")).toBe(`/executions/${SECOND.id}?tab=edit`);
    fireEvent.click(within(next).getByRole("button", { name: "Next execution" }));
    await waitFor(() => expect(api.searches.at(-1)).toBe(`?peek=${THIRD.id}`));
    press("Escape");
    await waitFor(() => expect(document.activeElement).toBe(rowOf(THIRD.id)));
    expect(api.searches.at(-1)).toBe("");
    expect(screen.queryByRole("region", { name: "Result" })).toBeNull();
    media.mockRestore();
  });

  it("marks what a search found, in errors and arguments, in any case", async () => {
    const found = { ...SECOND, errorPreview: "No city OSLO", argumentsPreview: '{"a":"Oslo","b":"oslo"}' };
    await show(logbook([found], "?q=oslo"));
    const marks = [...rowOf(SECOND.id).querySelectorAll("mark")].map((mark) => mark.textContent);
    // A row has the line of a phone and the column of wider pages.
    expect(marks).toEqual(["OSLO", "Oslo", "oslo", "OSLO", "Oslo", "oslo"]);
  });

  it("pins at once and takes the pin back when the server refuses", async () => {
    const api = logbook([FIRST]);
    await show(api);
    fireEvent.click(within(rowOf(FIRST.id)).getByRole("button", { name: "Pin" }));
    await within(rowOf(FIRST.id)).findByRole("button", { name: "Unpin" });
    expect(api.calls.at(-1)).toEqual({ path: "executions.setPinned", input: { id: FIRST.id, pinned: true } });
    cleanup();

    const refusing = fakeApi({
      "executions.list": () => ({ items: [FIRST], nextCursor: null }),
      "executions.facets": () => ({ tools: [], actors: [] }),
      "executions.setPinned": () => Promise.reject(new Error("read-only")),
    });
    await show(refusing);
    fireEvent.click(within(rowOf(FIRST.id)).getByRole("button", { name: "Pin" }));
    await screen.findByText("Could not pin: read-only");
    expect(within(rowOf(FIRST.id)).getByRole("button", { name: "Pin" })).toBeDefined();
  });

  it("asks for what the address says", async () => {
    const api = logbook([FIRST], "?tool=echo&status=failed&q=Oslo&pinned=true&range=1h");
    api.render(<ExecutionsView askedAt={10_000_000} />);
    await screen.findByRole("table");
    expect(listCalls(api)[0]).toMatchObject({
      filter: { tool: ["echo"], status: ["failed"], q: "Oslo", pinned: true, since: 6_360_000 },
    });
  });

  it("leads with the error of a failed row, and names its reason", async () => {
    const rejected = executionSummary({ ...SECOND, errorKind: "rejected", argumentsPreview: '{"a":1}' });
    await show(logbook([rejected]));
    expect(rowOf(rejected.id).textContent).toContain('boom {"a":1}');
    expect(within(rowOf(rejected.id)).getByText("rejected").getAttribute("data-status")).toBe("cancelled");
  });

  it("shows the size that is stored, with the size of the whole result as its title", async () => {
    const cut = executionSummary({ storedBytes: 1_048_576, resultBytes: 5_242_880 });
    await show(logbook([cut]));
    expect(within(rowOf(cut.id)).getByText("1 MiB").title).toBe("1 MiB stored of 5 MiB");
  });

  it("shows callers only where there are several, and the title of a run instead of its id", async () => {
    const ofRun = executionSummary({ source: "agent", runId: "run_118", runTitle: "Plan a trip" });
    await show(logbook([ofRun], "?run=run_118"));
    expect(within(rowOf(ofRun.id)).getByText("agent · Plan a trip")).toBeDefined();
    await screen.findByRole("button", { name: /^Run Plan a trip/ });
    expect(screen.queryByRole("columnheader", { name: "Caller" })).toBeNull();
  });

  it("says how many calls match, and that there may be more", async () => {
    const api = fakeApi(
      {
        "executions.list": () => ({ items: [FIRST], nextCursor: null }),
        "executions.facets": () => ({ tools: [], actors: [] }),
        "executions.count": () => ({ count: 10_000, more: true }),
      },
      "?status=succeeded",
    );
    api.render(<ExecutionsView askedAt={0} />);
    await screen.findByText("10,000+ matches");
  });

  it("counts all matches in the background where the first count stopped early", async () => {
    const api = fakeApi(
      {
        "executions.list": () => ({ items: [FIRST], nextCursor: null }),
        "executions.facets": () => ({ tools: [], actors: [] }),
        "executions.count": ({ thorough }: { thorough?: boolean }) =>
          thorough ? { count: 123_456, more: false } : { count: 4_000, more: true },
      },
      "?status=succeeded",
    );
    api.render(<ExecutionsView askedAt={0} />);
    await screen.findByText("123,456 matches");
  });

  it("sorts by duration and size, slowest and largest first, and back to the newest", async () => {
    const api = logbook([FIRST, SECOND]);
    await show(api);
    const press3 = async (order: unknown, ariaSort: string | null) => {
      const addresses = api.searches.length;
      fireEvent.click(screen.getByRole("button", { name: "Duration" }));
      await waitFor(() => expect(listCalls(api).at(-1)).toMatchObject({ filter: {}, limit: 50 }));
      // An address that is still being written would come back over the next choice.
      await waitFor(() => expect(api.searches.length).toBeGreaterThan(addresses));
      await waitFor(() =>
        expect(screen.getByRole("columnheader", { name: "Duration" }).getAttribute("aria-sort")).toBe(ariaSort),
      );
      if (order) expect(listCalls(api).at(-1)).toMatchObject({ order });
    };
    await press3({ by: "duration", descending: true }, "descending");
    await press3({ by: "duration", descending: false }, "ascending");
    await press3(null, null);
    expect(api.searches.at(-1)).toBe("");
  });

  it("loads older calls while newest first, more in another order, and says among which matches it sorted", async () => {
    const page = { items: [FIRST], nextCursor: 1, newestOnly: 10_000 };
    const api = fakeApi({
      "executions.list": ({ order }: { order?: unknown }) => (order ? page : { items: [FIRST], nextCursor: 1 }),
      "executions.facets": () => ({ tools: [], actors: [] }),
      "executions.count": () => ({ count: 1, more: false }),
    });
    await show(api);
    expect(screen.getByRole("button", { name: "Load older" })).toBeDefined();
    fireEvent.change(screen.getByRole("combobox", { name: "Sort" }), { target: { value: "-size" } });
    expect(await screen.findByRole("button", { name: "Load more" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "Load older" })).toBeNull();
    expect(screen.getByText(/^Sorted among the newest 10,000 matches/)).toBeDefined();
  });

  it("isolates the direction of errors and arguments, which others write", async () => {
    await show(logbook([{ ...SECOND, errorPreview: "העיר לא נמצאה", argumentsPreview: '{"עיר":"חיפה"}' }]));
    const row = within(rowOf(SECOND.id));
    expect(row.getAllByText("העיר לא נמצאה").map(({ tagName }) => tagName)).toEqual(["BDI", "BDI"]);
    expect(row.getAllByText('{"עיר":"חיפה"}').map(({ dir }) => dir)).toEqual(["ltr", "ltr"]);
  });

  async function enterDate(label: string, text: string): Promise<void> {
    fireEvent.click(await screen.findByRole("button", { name: new RegExp(`^${label}`) }));
    const field = within(await screen.findByRole("dialog", { name: label })).getByRole("textbox");
    fireEvent.change(field, { target: { value: text } });
    fireEvent.submit(field);
    await waitFor(() => expect(screen.queryByRole("dialog", { name: label })).toBeNull());
  }

  it("filters by a custom time range, and by the reason of a failure", async () => {
    const api = logbook([FIRST]);
    await show(api);
    fireEvent.change(screen.getByRole("combobox", { name: "Time range" }), { target: { value: "custom" } });
    await enterDate("From", "2026-11-20 10:00");
    await enterDate("To", "2026-11-20 12:30");
    const [since, until] = ["2026-11-20T10:00", "2026-11-20T12:30"].map((text) => new Date(text).getTime());
    await waitFor(() => expect(listCalls(api).at(-1)).toMatchObject({ filter: { since, until } }));
    fireEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    fireEvent.click(screen.getByRole("button", { name: "Filter" }));
    fireEvent.click(await screen.findByRole("button", { name: "Status" }));
    fireEvent.click(await screen.findByRole("checkbox", { name: "Invalid" }));
    await waitFor(() => expect(listCalls(api).at(-1)).toMatchObject({ filter: { status: ["invalid"] } }));
  });

  it("adds each filter to the browser's history, but a search only once", async () => {
    const api = logbook([FIRST]);
    await show(api);
    fireEvent.click(screen.getByRole("button", { name: "Filter" }));
    fireEvent.click(await screen.findByRole("button", { name: "Pinned" }));
    await waitFor(() => expect(api.histories.at(-1)).toBe("push"));
    const search = screen.getByRole("searchbox");
    for (const [text, history] of [
      ["oslo", "push"],
      ["oslo weather", "replace"],
    ] as const) {
      fireEvent.change(search, { target: { value: text } });
      fireEvent.keyDown(search, { key: "Enter" });
      await waitFor(() => expect(api.searches.at(-1)).toContain(text.split(" ").at(-1)));
      expect(api.histories.at(-1)).toBe(history);
    }
  });

  it("says how to get a first execution, and how to see more when nothing matches", async () => {
    const api = logbook([]);
    api.render(<ExecutionsView askedAt={0} />);
    expect((await screen.findByRole("link", { name: "Choose a tool to run" })).getAttribute("href")).toBe("/tools");
    cleanup();
    const filtered = logbook([], "?status=failed");
    filtered.render(<ExecutionsView askedAt={0} />);
    await screen.findByText("No matching executions");
    fireEvent.click(screen.getAllByRole("button", { name: "Clear filters" })[0] ?? document.body);
    await screen.findByText("No executions yet");
  });

  it("says why it cannot be read, and reads again when asked", async () => {
    let broken = true;
    const api = fakeApi({
      "executions.list": () =>
        broken ? Promise.reject(new Error("the disk is full")) : { items: [FIRST], nextCursor: null },
      "executions.facets": () => ({ tools: [], actors: [] }),
    });
    api.render(<ExecutionsView askedAt={0} />);
    await screen.findByText("the disk is full");
    broken = false;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByRole("table");
  });
});

describe("the live tail", () => {
  const started = (id: string) =>
    ({
      type: "execution",
      execution: { id, toolName: "echo", status: "running", source: "console", parentId: null },
    }) as const;

  it("shows a new call as it comes while the newest page is in sight", async () => {
    const rows = [FIRST];
    const api = logbook(rows);
    await show(api);
    rows.unshift(SECOND);
    act(() => api.emit(started(SECOND.id)));
    await waitFor(() => expect(rowOf(SECOND.id)).toBeDefined());
  });

  it("moves nothing while paused, counts what is new and shows it when asked", async () => {
    const rows = [FIRST];
    const api = logbook(rows);
    await show(api);
    fireEvent.click(screen.getByRole("button", { name: "Pause" }));
    rows.unshift(SECOND);
    act(() => {
      api.emit(started(SECOND.id));
      api.emit(started(SECOND.id));
      api.emit(started("exec_fourth000"));
    });
    fireEvent.click(await screen.findByRole("button", { name: "2 new — show" }));
    await waitFor(() => expect(rowOf(SECOND.id)).toBeDefined());
    expect(screen.queryByRole("button", { name: /new — show/ })).toBeNull();
  });

  it("shows nothing that a read brings which was under way when it was paused", async () => {
    const rows = [FIRST];
    let release = (): void => undefined;
    const held: { read?: Promise<void> } = {};
    const api = logbook(rows, "", null, held);
    await show(api);
    held.read = new Promise((resolve) => {
      release = resolve;
    });
    const reads = listCalls(api).length;
    act(() => api.emit(started(FIRST.id)));
    await waitFor(() => expect(listCalls(api)).toHaveLength(reads + 1));
    fireEvent.click(screen.getByRole("button", { name: "Pause" }));
    rows.unshift(SECOND);
    act(() => api.emit(started(SECOND.id)));
    await screen.findByRole("button", { name: "1 new — show" });
    await act(async () => release());
    // A row is visible before its details are read.
    rows[1] = { ...FIRST, status: "failed" };
    act(() => api.emit(started(FIRST.id)));
    await waitFor(() => expect(within(rowOf(FIRST.id)).getByText("failed")).toBeDefined());
    expect(document.querySelector(`[data-execution="${SECOND.id}"]`)).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "1 new — show" }));
    await waitFor(() => expect(rowOf(SECOND.id)).toBeDefined());
  });

  it("brings a row that ended up to date while paused, without moving the others", async () => {
    const running = executionSummary({ id: "exec_running00", status: "running", durationMs: null });
    const rows = [running, FIRST];
    const api = logbook(rows);
    await show(api);
    fireEvent.click(screen.getByRole("button", { name: "Pause" }));
    rows[0] = { ...running, status: "succeeded", durationMs: 12 };
    const reads = listCalls(api).length;
    act(() =>
      api.emit({
        type: "execution",
        execution: { id: running.id, toolName: "x", status: "succeeded", source: "console", parentId: null },
      }),
    );
    await waitFor(() => expect(within(rowOf(running.id)).getByText("succeeded")).toBeDefined());
    expect(listCalls(api)).toHaveLength(reads);
  });
});
