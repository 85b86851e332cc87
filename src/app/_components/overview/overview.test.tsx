// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { DayCharts } from "@/app/_components/executions/summary/duration-charts";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { OverviewStats } from "@/lib/contract/execution";
import { FailingTools, PendingWork } from "./overview-view";
import { RecentChanges } from "./recent-changes";

const day = (name: string, calls: number, p95Ms: number | null): OverviewStats["days"][number] => ({
  day: name,
  calls,
  finished: calls,
  failed: 1,
  error: 1,
  timedOut: 0,
  interrupted: 0,
  invalid: 0,
  consoleInvalid: 0,
  rejected: 0,
  cancelled: 0,
  waiting: 0,
  running: 0,
  p50Ms: p95Ms,
  p95Ms,
  p99Ms: p95Ms,
});
const DAYS = [day("2026-11-20", 80, 40), { ...day("2026-11-21", 0, null), failed: 0 }];
/** Tokyo is nine hours ahead. */
const SINCE = Date.UTC(2026, 10, 19, 15);

describe("charts by day", () => {
  it("draw failures as a line on a scale of their own, however rare they are", () => {
    const { container } = fakeApi({}).render(
      <DayCharts days={[day("2026-11-20", 900, 40), day("2026-11-21", 800, 40)]} zone="UTC" />,
    );
    // One failure a day is the top of its scale.
    expect(container.querySelector('svg[role="img"] path')?.getAttribute("d")).toBe("M150 0L450 0");
    expect(screen.getByText("failed (right scale)")).toBeDefined();
    expect(screen.getAllByText("1").length).toBeGreaterThan(0);
  });

  it("have an axis and a table, in which each day is a link to its executions", async () => {
    const { container } = fakeApi({}).render(<DayCharts days={DAYS} zone="Asia/Tokyo" />);
    for (const value of ["100", "50", "0"]) expect(screen.getAllByText(value).length).toBeGreaterThan(0);
    expect(screen.getByText("25 ms")).toBeDefined();
    for (const button of screen.getAllByRole("button", { name: "View as table" })) fireEvent.click(button);
    const path = `/executions?range=custom&since=${SINCE}&until=${SINCE + 86_399_999}`;
    const calls = within(await screen.findByRole("table", { name: "Calls by day" }));
    expect(calls.getByRole("link", { name: "2026-11-20" }).getAttribute("href")).toBe(`${path}&kind=tool`);
    const cells = calls.getAllByRole("row").map((row) =>
      within(row)
        .queryAllByRole("cell")
        .map((cell) => cell.textContent),
    );
    expect(cells).toEqual([[], ["2026-11-20", "80", "79", "1", "0", "1.3%"], ["2026-11-21", "0", "0", "0", "0", "–"]]);
    const durations = within(screen.getByRole("table", { name: "Duration by day" }));
    expect(durations.getByRole("link", { name: "2026-11-20" }).getAttribute("href")).toBe(
      `${path}&sort=-duration&kind=tool`,
    );
    const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });
});

describe("panels of the overview", () => {
  it("list what waits for a user, each a link to its decision, and say when nothing does", async () => {
    const item = {
      executionId: "exec_abcdefgh12",
      toolName: "purge_files",
      argumentsText: '{"folder":"old"}',
      source: "agent",
      client: null,
      runId: null,
      actor: { id: "a", name: "Ada" },
      requestedAt: Date.now(),
      expiresAt: Date.now() + 60_000,
    };
    const waiting = (items: object[], count: number) =>
      fakeApi({
        "approvals.list": () => ({ items, nextCursor: null }),
        "executions.count": () => ({ count, more: false }),
      }).render(<PendingWork />);
    const { unmount } = waiting([item], 2);
    const link = await screen.findByRole("link", { name: /purge_files/ });
    expect(link.getAttribute("href")).toBe("/approvals?id=exec_abcdefgh12");
    expect(screen.getByRole("link", { name: "Open in Approvals" })).toBeDefined();
    const input = await screen.findByRole("link", { name: "2 calls waiting for input" });
    expect(input.getAttribute("href")).toBe("/executions?status=input");
    unmount();
    waiting([], 0);
    expect(await screen.findByText("No pending approvals.")).toBeDefined();
  });

  it("name the tools that fail most with the most frequent message and its share, and lead to no page that does not exist", async () => {
    const group = { kind: "error", latestId: "exec_1", latestAt: 9 } as const;
    const failures = [
      { ...group, message: "connection refused", calls: 30 },
      { ...group, message: "no such order", calls: 11, latestAt: 10 },
    ];
    const api = fakeApi({
      "executions.toolFailures": ({ name }: { name: string }) => ({
        failures: name === "list_orders" ? failures : [],
        read: 41,
        failureLimit: 500,
      }),
    });
    const failing = [
      { toolName: "list_orders", failed: 41, finished: 620 },
      { toolName: "deleted_tool", failed: 5, finished: 10 },
    ];
    const unknown = [{ toolName: "find-customer", calls: 2 }];
    api.render(<FailingTools stats={{ failing, unknown }} since={5} isKnown={(name) => name === "list_orders"} />);
    const reason = await screen.findByRole("link", { name: "connection refused 30 of 41" });
    const list = "/executions?range=custom&since=5";
    expect(reason.getAttribute("href")).toBe(`${list}&status=error&message=connection+refused&tool=list_orders`);
    expect(screen.getByRole("link", { name: "list_orders: 41 of 620 (6.6%)" }).getAttribute("href")).toBe(
      `${list}&status=failed&tool=list_orders`,
    );
    expect(screen.getByRole("link", { name: "list_orders" }).getAttribute("href")).toBe("/tools/list_orders");
    expect(screen.queryByRole("link", { name: "deleted_tool" })).toBeNull();
    expect(screen.getByRole("link", { name: "2 calls" }).getAttribute("href")).toBe(
      `${list}&status=failed&tool=find-customer`,
    );
  });

  it("list what users and servers changed, first what no user has decided, with a link to the review", async () => {
    const edited = (name: string, revision: number, at: number) => ({ name, lastEdit: { revision, by: "Ada", at } });
    const server = { name: "files", lastChange: { at: 30, breaking: 1, other: 1 }, heldCount: 2, appliedCount: 0 };
    const applied = { name: "crm", lastChange: { at: 1, breaking: 1, other: 0 }, heldCount: 0, appliedCount: 1 };
    const docs = { name: "docs", lastChange: { at: 25, breaking: 0, other: 1 }, heldCount: 0, appliedCount: 0 };
    fakeApi({ "servers.overview": () => ({ changed: [server, applied, docs] }) }).render(
      <RecentChanges
        tools={[edited("old", 3, 4), edited("made", 1, 10), edited("edited", 2, 20)]}
        since={5}
        days={7}
      />,
    );
    await screen.findByRole("link", { name: /^files/ });
    expect(screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
      [expect.stringMatching(/^files2 tool changes \(1 breaking\), 2 to approve/), "/servers/files/changes"],
      [expect.stringMatching(/^crm1 tool change \(1 breaking\), 1 in use without a review/), "/servers/crm/changes"],
      [expect.stringMatching(/^docs1 tool change/), "/servers/docs?tab=changes"],
      [expect.stringMatching(/^editededited by Ada/), "/tools/edited?tab=versions"],
      [expect.stringMatching(/^madecreated by Ada/), "/tools/made?tab=versions"],
    ]);
  });
});
