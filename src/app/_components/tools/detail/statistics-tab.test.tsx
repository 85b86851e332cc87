// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import axe from "axe-core";
import { Suspense } from "react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ToolStatistics, ToolStats } from "@/lib/contract/execution";
import { StatisticsTab } from "./statistics-tab";

const FIGURES = { calls: 40, finished: 38, failed: 2, p50Ms: 12, p95Ms: 900 };
const STATS: ToolStats = {
  ...{ ...FIGURES, calls: 1_234, finished: 1_200, failed: 60, invalid: 34, rejected: 0, cancelled: 0, waiting: 0 },
  waits: { calls: 0, p50Ms: null, p95Ms: null },
};
const STATISTICS: ToolStatistics = {
  failureLimit: 500,
  since: 5,
  total: { ...FIGURES, key: null },
  failures: [{ kind: "failed", message: "City not found", calls: 2, latestId: "exec_1", latestAt: 9 }],
  latency: [
    { upToMs: 30, calls: 36, failed: 0 },
    { upToMs: null, calls: 2, failed: 2 },
  ],
  clients: [
    { ...FIGURES, key: "claude-code", source: null },
    { ...FIGURES, key: null, source: "console" },
  ],
  versions: [{ ...FIGURES, key: "9f2c41aa", number: 3, toolName: "get_weather" }],
};

it("a tool's statistics say their period, and each figure leads to the calls that it counts", async () => {
  const { container } = fakeApi({
    "executions.toolStatistics": () => STATISTICS,
    "executions.toolFigures": () => [{ toolName: "get_weather", calls: 84, finished: 80, failed: 4, lastUsedAt: 9 }],
  }).render(
    <Suspense>
      <StatisticsTab name="get_weather" stats={STATS} />
    </Suspense>,
  );
  await screen.findByText("84");
  const readFigure = (term: string) => {
    const link = screen.getByText(term).parentElement?.querySelector("a");
    return [link?.textContent, link?.getAttribute("href")];
  };
  expect(readFigure("Calls, all time")).toEqual(["1,234", "/executions?tool=get_weather"]);
  expect(readFigure("Calls, 7 days")).toEqual(["84", "/executions?tool=get_weather&range=7d"]);
  expect(readFigure("Failed, 7 days")[0]).toBe("5%");
  expect(screen.getByText(/cover the calls since/)).toBeDefined();
  const countsOf = (table: string) =>
    within(screen.getByRole("table", { name: table }))
      .getAllByRole("link", { name: /calls$/ })
      .map((link) => Object.fromEntries(new URL(link.getAttribute("href") ?? "", "http://x").searchParams));
  const counted = { tool: "get_weather", range: "custom", since: "5" };
  expect(countsOf("Failures by message")).toEqual([
    { ...counted, status: "failed,timed_out,interrupted", q: "City not found" },
  ]);
  expect(countsOf("Clients")).toEqual([
    { ...counted, client: "claude-code" },
    { ...counted, source: "console" },
  ]);
  expect(countsOf("Versions")).toEqual([{ ...counted, definition: "9f2c41aa" }]);
  expect(screen.getByRole("link", { name: "Version 3" })).toBeDefined();
  expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
});
