// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { OverviewStats } from "@/lib/contract/execution";
import { CallsChart, LatencyChart } from "./calls-chart";
import { NextSteps } from "./first-run";
import { PendingApprovals } from "./overview-view";

const day = (name: string, calls: number, p95Ms: number | null): OverviewStats["days"][number] => ({
  ...{ day: name, calls, finished: calls, failed: 1, invalid: 0, rejected: 0, cancelled: 0, waiting: 0 },
  ...{ p50Ms: p95Ms, p95Ms },
});
const DAYS = [day("2026-11-20", 80, 40), day("2026-11-21", 0, null)];
/** Tokyo is nine hours ahead. */
const SINCE = Date.UTC(2026, 10, 19, 15);

describe("charts by day", () => {
  it("have an axis, and each day is a link to its executions that says its figures", async () => {
    const { container } = fakeApi({}).render(
      <>
        <CallsChart days={DAYS} zone="Asia/Tokyo" />
        <LatencyChart days={DAYS} zone="Asia/Tokyo" />
      </>,
    );
    for (const value of ["100", "50", "0"]) expect(screen.getAllByText(value).length).toBeGreaterThan(0);
    expect(screen.getByText("25 ms")).toBeDefined();
    const calls = screen.getByRole("link", { name: "2026-11-20: 80 calls, 1 failed" });
    const path = `/executions?range=custom&since=${SINCE}&until=${SINCE + 86_399_999}`;
    expect(calls.getAttribute("href")).toBe(path);
    const latency = screen.getByRole("link", { name: "2026-11-20: p50 40 ms, p95 40 ms" });
    expect(latency.getAttribute("href")).toBe(`${path}&sort=-duration`);
    expect(screen.getByRole("link", { name: "2026-11-21: No call finished" })).toBeDefined();
    const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });
});

describe("panels of the overview", () => {
  it("list pending approvals, each a link to its decision, and nothing while there are none", async () => {
    const item = {
      ...{ executionId: "exec_abcdefgh12", toolName: "purge_files", argumentsText: '{"folder":"old"}' },
      ...{ source: "agent", client: null, runId: null, actor: { id: "a", name: "Ada" } },
      ...{ requestedAt: Date.now(), expiresAt: Date.now() + 60_000 },
    };
    fakeApi({ "approvals.list": () => ({ items: [item], nextCursor: null }) }).render(<PendingApprovals />);
    const link = await screen.findByRole("link", { name: /purge_files/ });
    expect(link.getAttribute("href")).toBe("/approvals?id=exec_abcdefgh12");
    expect(screen.getByRole("link", { name: "Open in Approvals" })).toBeDefined();
  });

  it("point to Playground and gateway until each was used", async () => {
    const api = fakeApi({
      "runs.list": () => ({ items: [], nextCursor: null }),
      "executions.list": () => ({ items: [{ id: "exec_abcdefgh12" }], nextCursor: null }),
    });
    api.render(<NextSteps />);
    expect((await screen.findByRole("link", { name: "Open the Playground" })).getAttribute("href")).toBe("/playground");
    await waitFor(() => expect(api.calls).toHaveLength(2));
    expect(screen.queryByRole("link", { name: "Connect a client" })).toBeNull();
  });
});
