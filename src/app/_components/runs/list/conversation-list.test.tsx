// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { runSummary } from "@/app/_components/runs/summary/run.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { RunSummary } from "@/lib/contract/run";
import { ConversationList } from "./conversation-list";

const ROWS = [
  runSummary({ id: "run_two00000", title: "second", startedAt: 3_000, status: "failed" }),
  runSummary({ id: "run_one00000", title: "first", startedAt: 1_000, source: "api" }),
];

async function show(rows: readonly RunSummary[], search = "", pathname = "/runs"): Promise<FakeApi> {
  const api = fakeApi(
    {
      "runs.list": () => ({ items: [...rows], nextCursor: null }),
    },
    search,
  );
  await act(async () => {
    api.render(
      <Suspense>
        <ConversationList pathname={pathname} />
      </Suspense>,
    );
  });
  return api;
}

const lists = (api: FakeApi) => api.calls.filter(({ path }) => path === "runs.list").map(({ input }) => input);
const titles = () => screen.queryAllByRole("link").map(({ textContent }) => textContent);

describe("the list of conversations", () => {
  it("AGT-08 shows runs newest first with their state, and axe finds nothing", async () => {
    await show(ROWS);
    const [, failed, fine] = await screen.findAllByRole("row");
    if (!failed || !fine) throw new Error("no rows");
    expect(titles()).toEqual(["second", "first"]);
    expect(failed.querySelector('[data-status="failed"]')).not.toBeNull();
    expect(fine.querySelector('[data-status="succeeded"]')).not.toBeNull();
    expect(fine.textContent).toContain("API");
    expect(await findViolations()).toEqual([]);
  });

  it("asks the server with the address' filters, keeps them when one is opened, and moves with j and k", async () => {
    const api = await show(ROWS, "?status=failed,waiting&provider=demo&model=rules&q=se");
    await screen.findAllByRole("row");
    expect(lists(api)[0]).toMatchObject({
      filter: { status: ["failed", "waiting"], provider: "demo", model: "rules", q: "se" },
    });
    expect(screen.getByRole("link", { name: "second" }).getAttribute("href")).toBe(
      "/runs/run_two00000?q=se&status=failed%2Cwaiting",
    );
    fireEvent.keyDown(document.body, { key: "j" });
    expect(document.activeElement?.textContent).toBe("second");
    fireEvent.keyDown(document.body, { key: "j" });
    expect(document.activeElement?.textContent).toBe("first");
    fireEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(lists(api).at(-1)).toMatchObject({ filter: {} }));
  });

  it("marks what is open, and leaves the settings of the next message to the Playground", async () => {
    const api = await show(ROWS, "?run=run_one00000&provider=demo&model=rules", "/playground");
    await screen.findAllByRole("row");
    expect(lists(api)[0]).toMatchObject({ filter: {} });
    const current = screen.getAllByRole("row").filter((row) => row.getAttribute("aria-current") === "page");
    expect(current.map(({ textContent }) => textContent)).toEqual([expect.stringContaining("first")]);
  });

  it("AGT-08 chooses the run to compare with where the address names one", async () => {
    await show(ROWS, "?left=run_one00000", "/runs/compare");
    expect((await screen.findByRole("link", { name: "second" })).getAttribute("href")).toBe(
      "/runs/compare?left=run_one00000&right=run_two00000",
    );
  });

  it("reads again when a run begins or changes", async () => {
    const rows: RunSummary[] = [];
    const api = await show(rows);
    await screen.findByText("No conversations yet");
    rows.push(...ROWS);
    act(() =>
      api.emit({ type: "run", run: { id: "run_two00000", status: "running", source: "agent", transcriptId: null } }),
    );
    expect(await screen.findByRole("link", { name: "second" })).toBeTruthy();
  });
});
