// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { runDetail, runReading } from "@/app/_components/runs/summary/run.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, type FakeProcedures, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { RunDetail } from "@/lib/contract/run";
import { buildMessagesBeforeStep } from "@/lib/run/build-messages";
import { answered, asked, called, DONE, returned, runLog, said } from "@/lib/run/run-log.test-support";
import { PlaygroundView } from "./playground-view";

const ID = "run_aaaaaaaa1";
const LOG = runLog(
  said("both"),
  asked(1),
  answered(1, "", [
    ["echo", "{}"],
    ["rm", "{}"],
  ]),
  called(1, 0, "echo"),
  called(1, 1, "rm", "{}", true),
  returned(1, 0, "echo", "one"),
  returned(1, 1, "rm", "two", 10),
  { type: "notice", step: 1, notice: "repeated_call", text: "The same call was made before." },
  asked(2),
  answered(2, "all done"),
  DONE,
);

function show(part: Partial<RunDetail> = {}, search = "", more: FakeProcedures = {}, events = LOG): FakeApi {
  const api = fakeApi(
    {
      "runs.get": () => runDetail([...(part.events ?? events)], part),
      ...runReading(() => events),
      "runs.rerun": () => ({ id: "run_copy00000" }),
      "runs.stop": () => ({ stopped: true }),
      "models.choices": () => ({ items: [{ provider: "demo", model: "rules", kind: "demo" }] }),
      "interactions.list": () => [],
      "tools.list": () => ({ items: [], nextCursor: null, matching: 0 }),
      "toolsets.list": () => [],
      ...more,
    },
    search,
  );
  api.render(<PlaygroundView runId={ID} initialSettingsText={null} />);
  return api;
}

describe("a long run", () => {
  const args = JSON.stringify({ text: "x".repeat(900_000), last: "the end" });
  const calls = Array.from({ length: 300 }, (_, at): [string, string] => ["echo", `{"at":${at}}`]);
  const log = runLog(
    said("much"),
    asked(1),
    answered(1, "", [...calls, ["big", args]]),
    ...calls.map(([name, text], at) => called(1, at, name, text)),
    called(1, 300, "big", args),
    ...calls.map(([name], at) => returned(1, at, name, `result ${at}`)),
    returned(1, 300, "big", "fits"),
    asked(2),
    answered(2, "all done"),
    DONE,
  );
  const paged = async (search = "") => {
    const { events } = await runReading(() => log)["runs.events"]({ id: ID, before: log.length });
    return show({ events, eventCount: log.length }, search, {}, log);
  };

  it("shows the newest events and loads earlier ones, and the rest of long arguments, on demand", async () => {
    await paged();
    await screen.findByText("all done");
    expect(screen.queryByText("much")).toBeNull();
    for (;;) {
      const more = screen.queryByRole<HTMLButtonElement>("button", { name: /^Load earlier events/ });
      if (more === null) break;
      const { textContent } = more;
      fireEvent.click(more);
      await waitFor(() =>
        expect(screen.queryByRole("button", { name: /^Load earlier events/ })?.textContent).not.toBe(textContent),
      );
      await waitFor(() => expect(screen.queryByRole("button", { name: "Loading…" })).toBeNull());
    }
    expect(screen.getByText("much")).toBeTruthy();
    expect(screen.getAllByRole("article")).toHaveLength(100);
    for (let clicks = 0; clicks < 3; clicks += 1) {
      const more = screen.queryByRole("button", { name: /^Show more/ });
      if (more !== null) fireEvent.click(more);
    }
    const card = screen.getByRole("article", { name: "Call of big" });
    fireEvent.click(within(card).getByRole("button", { expanded: false }));
    fireEvent.click(within(card).getByRole("button", { name: "Load all of the arguments" }));
    await waitFor(() => expect(within(card).queryByRole("button", { name: /^Load all/ })).toBeNull());
    expect(within(card).getByRole("region", { name: "Arguments" }).textContent).toContain("the end");
  }, 60_000);

  it("has its newest calls on the time axis, and the rest on demand", async () => {
    await paged("?view=timeline");
    await screen.findByRole("list", { name: /^Timeline/ });
    expect(screen.getByRole("button", { name: /^Load earlier events \(\d+ left\)$/ })).toBeTruthy();
  });
});

describe("a run", () => {
  it("shows the talk with its calls, notices and figures, and axe finds nothing", async () => {
    show({ parentId: "run_parent000", parentStep: 2, children: [{ id: "run_child0000", title: "c", parentStep: 1 }] });
    await screen.findByText("all done");
    expect(screen.getAllByRole("article").map((card) => card.getAttribute("aria-label"))).toEqual([
      "Call of echo",
      "Call of rm",
    ]);
    expect(screen.getByText("The same call was made before.")).toBeTruthy();
    expect(screen.getByRole("link", { name: "run_parent000" }).getAttribute("href")).toBe("/runs/run_parent000");
    expect(screen.getByRole("textbox", { name: "Message to the model" })).toBeTruthy();
    expect(await findViolations()).toEqual([]);
  });

  it("shows active time that runs on while a response streams", async () => {
    const now = Date.now();
    const events = runLog({ ...said("x"), at: now - 8_002 }, { ...asked(1), at: now - 8_000 });
    show({ status: "running", activeMs: 2, activeSince: now - 8_000, startedAt: now - 8_002 }, "", {}, events);
    const active = await screen.findByTitle(/^Active time/);
    expect(active.textContent).toMatch(/^(7\.[5-9]|8|8\.\d|9|9\.\d|\d{2,}) s active$/);
  });

  it("shows the same active time and calls in header, footer and timeline, waiting apart", async () => {
    const figures = { activeMs: 2_200, modelCalls: 2, toolCalls: 1 };
    const log = runLog(
      { ...said("x"), at: 0 },
      { ...asked(1), at: 0 },
      { ...answered(1, "", [["rm", "{}"]]), at: 1_000 },
      { ...called(1, 0, "rm", "{}", true), at: 1_000 },
      { ...returned(1, 0, "rm", "gone", 200), at: 61_200 },
      { ...asked(2), at: 61_200 },
      { ...answered(2, "all done"), at: 62_200 },
      { ...DONE, at: 62_200 },
    );
    show({ ...figures, eventCount: log.length }, "", {}, log);
    await screen.findByText("all done");
    expect(screen.getByTitle(/^Active time/).textContent).toBe("2.2 s active");
    expect(
      screen.getByText(/^2\.2 s active · 1 min waiting for approval · 2 model calls · 1 tool call · /),
    ).toBeTruthy();
    cleanup();
    show({ ...figures, eventCount: log.length }, "?view=timeline", {}, log);
    await screen.findByRole("list", { name: /^Timeline: 3 calls in 1 min 2 s/ });
    expect(screen.getAllByText("2.2 s active")).toHaveLength(2);
    expect(screen.getByText("1 min waiting for approval")).toBeTruthy();
  });

  it("shows a rerun's own figures, and what its log took over from the original run", async () => {
    const rerun = { parentId: "run_parent000", parentStep: 2, startedAt: 1_000_000 };
    const log = runLog(
      said("first"),
      asked(1),
      answered(1, "", [["echo", "{}"]]),
      called(1, 0, "echo"),
      returned(1, 0, "echo", "1"),
      said("second"),
      { ...asked(2), at: 1_000_000 },
      { ...answered(2, "all done"), at: 1_000_700 },
      { ...DONE, at: 1_000_700 },
    );
    const takenOver = { modelCalls: 1, toolCalls: 1 };
    show({ ...rerun, takenOver, activeMs: 700, modelCalls: 1, eventCount: log.length }, "", {}, log);
    await screen.findByText("all done");
    expect(screen.getByText(/with 1 model call and 1 tool call copied from it/)).toBeTruthy();
    const [copied, own] = screen.getAllByRole("region", { name: /^Turn/ });
    expect(copied?.textContent).toContain("copied from the original run");
    expect(copied?.dataset.status).toBe("succeeded");
    expect(own?.textContent).toContain("700 ms active · 1 model call · ");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("AGT-02 lays calls on a time axis, each a link with its times in words, and axe finds nothing", async () => {
    show({}, "?view=timeline");
    const list = await screen.findByRole("list", { name: /^Timeline: 4 calls/ });
    const links = within(list).getAllByRole("link");
    expect(links.map((link) => link.textContent)).toEqual([
      expect.stringMatching(/^Model rules, step 1, succeeded/),
      expect.stringMatching(/^Tool echo, step 1, succeeded/),
      expect.stringMatching(/^Tool rm, step 1, succeeded.*190 ms waiting for approval/),
      expect.stringMatching(/^Model rules, step 2, succeeded/),
    ]);
    expect(links[0]?.getAttribute("href")).toBe(`/runs/${ID}#step-1`);
    expect(links[1]?.getAttribute("href")).toBe("/executions/exec_c10");
    fireEvent.focus(links[2] as HTMLElement);
    expect(screen.getByText("waited for approval").nextElementSibling?.textContent).toBe("190 ms");
    expect(document.querySelector("[style]")).toBeNull();
    expect(await findViolations()).toEqual([]);
  });

  it("copies the very messages that a step was sent, whole", async () => {
    let written: ClipboardItem[] = [];
    const write = vi.spyOn(navigator.clipboard, "write").mockImplementation(async (items) => {
      written = items;
    });
    show();
    fireEvent.click(await screen.findByRole("button", { name: "Step 2" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Copy messages as JSON" }));
    await screen.findByText("Copied the messages as JSON");
    const text = await (await written[0]?.getType("text/plain"))?.text();
    expect(JSON.parse(text ?? "")).toEqual(buildMessagesBeforeStep(LOG, 2));
    write.mockRestore();
  });

  it("repeats from a step with recorded or live results, and goes to the new run", async () => {
    const api = show();
    fireEvent.click(await screen.findByRole("button", { name: "Step 2" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Rerun from here…" }));
    const dialog = await screen.findByRole("dialog", { name: "Rerun from step 2" });
    fireEvent.click(within(dialog).getByRole("radio", { name: /Call the tools again/ }));
    fireEvent.click(within(dialog).getByRole("button", { name: "Start" }));
    await waitFor(() => expect(api.visited).toEqual(["/runs/run_copy00000"]));
    expect(api.calls.find(({ path }) => path === "runs.rerun")?.input).toEqual({
      id: ID,
      fromStep: 2,
      results: "live",
    });
  });

  it("ends the turn of a run whose process died, and offers to resume it", async () => {
    const api = show(
      { status: "interrupted", resumable: true },
      "",
      { "runs.resume": () => ({ id: ID }) },
      LOG.slice(0, 4),
    );
    const card = await screen.findByRole("article", { name: "Call of echo" });
    expect(card.dataset.status).toBe("failed");
    expect(screen.getByRole("article", { name: "Call of rm" }).textContent).toContain("not run");
    const buttons = screen.getAllByRole("button", { name: "Resume" });
    fireEvent.click(buttons[0] as HTMLElement);
    await waitFor(() => expect(api.calls.some(({ path }) => path === "runs.resume")).toBe(true));
  });

  it("AGT-05 shows the request at its call, and that the call runs once it is approved", async () => {
    const api = show(
      { status: "waiting", waiting: 1 },
      "",
      { "approvals.get": () => Promise.reject(new Error("asked elsewhere")) },
      LOG.slice(0, 5),
    );
    const card = await screen.findByRole("article", { name: "Call of rm" });
    expect(card.dataset.status).toBe("waiting");
    await waitFor(() =>
      expect(api.calls.find(({ path }) => path === "approvals.get")?.input).toEqual({ executionId: "exec_c11" }),
    );
    act(() =>
      api.emit({
        type: "execution",
        execution: { id: "exec_c11", toolName: "rm", status: "running", source: "agent", parentId: null },
      }),
    );
    await waitFor(() => expect(card.dataset.status).toBe("running"));
  });

  it("says why a run cannot be read, and reads it again", async () => {
    let refused = true;
    show({}, "", {
      "runs.get": () => {
        if (refused) throw new Error("the database is away");
        return runDetail(LOG);
      },
    });
    expect((await screen.findByRole("alert")).textContent).toContain("the database is away");
    refused = false;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("all done");
  });
});
