// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { runSummary } from "@/app/_components/runs/summary/run.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { RunSummary } from "@/lib/contract/run";
import { RunsView } from "./runs-view";

const ROWS = [
  runSummary({ id: "run_two00000", title: "second", toolCalls: 3, failedToolCalls: 1, cost: 0.0123, status: "failed" }),
  runSummary({ id: "run_one00000", title: "first", usage: { inputTokens: 1_200, outputTokens: 34 } }),
];

async function show(rows: readonly RunSummary[], search = ""): Promise<FakeApi> {
  const api = fakeApi(
    {
      "runs.list": () => ({ items: [...rows], nextCursor: null }),
      "models.choices": () => ({ items: [{ provider: "demo", model: "rules", kind: "demo", check: null }] }),
    },
    search,
  );
  await act(async () => {
    api.render(
      <Suspense>
        <RunsView />
      </Suspense>,
    );
  });
  return api;
}

const lists = (api: FakeApi) => api.calls.filter(({ path }) => path === "runs.list").map(({ input }) => input);

describe("the list of runs", () => {
  it("shows state, title, calls, tokens and cost of each, and axe finds nothing", async () => {
    await show(ROWS);
    const [, failed, fine] = await screen.findAllByRole("row");
    if (!failed || !fine) throw new Error("no rows");
    expect(screen.getByRole("columnheader", { name: "Started" }).getAttribute("aria-sort")).toBe("descending");
    expect(failed.textContent).toContain("3 (1 failed)");
    expect(failed.textContent).toContain("$0.012");
    expect(failed.querySelector('[data-status="failed"]')).not.toBeNull();
    expect(fine.textContent).toContain("1.2k");
    expect(within(fine).getByRole("link", { name: "first" }).getAttribute("href")).toBe("/runs/run_one00000");
    const found = await axe.run(document.body, {
      rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
    });
    expect(found.violations.map(({ id }) => id)).toEqual([]);
  });

  it("shows active time, which runs on for a run that is running", async () => {
    const activeSince = Date.now() - 8_000;
    await show([
      runSummary({ status: "running", activeMs: 2, activeSince }),
      runSummary({ id: "run_b", activeMs: 700 }),
    ]);
    const [, live, ended] = await screen.findAllByRole("row");
    expect(live?.textContent).toMatch(/(7\.[5-9]|8|8\.\d|9|9\.\d|\d{2,}) s/);
    expect(ended?.textContent).toContain("700 ms");
  });

  it("asks the server with the address' filters, and moves with j and k", async () => {
    const api = await show(ROWS, "?status=failed,waiting&provider=demo&model=rules&q=se");
    await screen.findAllByRole("row");
    expect(lists(api)[0]).toMatchObject({
      filter: { status: ["failed", "waiting"], provider: "demo", model: "rules", q: "se" },
    });
    fireEvent.keyDown(document.body, { key: "j" });
    expect(document.activeElement?.textContent).toBe("second");
    fireEvent.keyDown(document.body, { key: "j" });
    expect(document.activeElement?.textContent).toBe("first");
    fireEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(lists(api).at(-1)).toMatchObject({ filter: {} }));
  });

  it("reads again when a run begins or changes, and leads to the playground where there is none", async () => {
    const rows: RunSummary[] = [];
    const api = await show(rows);
    expect((await screen.findByRole("link", { name: "Open the Playground" })).getAttribute("href")).toBe("/playground");
    rows.push(...ROWS);
    act(() =>
      api.emit({ type: "run", run: { id: "run_two00000", status: "running", source: "agent", transcriptId: null } }),
    );
    expect(await screen.findByRole("link", { name: "second" })).toBeTruthy();
  });
});
