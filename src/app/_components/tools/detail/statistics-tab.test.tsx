// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { Suspense } from "react";
import { expect, it } from "vitest";
import { OVERVIEW_DAYS } from "@/app/_components/overview/overview-queries";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ToolStatistics, ToolStats } from "@/lib/contract/execution";
import { StatisticsTab } from "./statistics-tab";

const FIGURES = {
  calls: 40,
  finished: 38,
  failed: 3,
  error: 2,
  timedOut: 0,
  interrupted: 0,
  invalid: 1,
  p50Ms: 12,
  p95Ms: 900,
};
const STATS: ToolStats = {
  ...FIGURES,
  consoleInvalid: 2,
  rejected: 0,
  cancelled: 0,
  waiting: 0,
  running: 0,
  p99Ms: 900,
  waits: { calls: 0, p50Ms: null, p95Ms: null },
};
const STATISTICS: ToolStatistics = {
  failureLimit: 500,
  read: 3,
  since: 5,
  total: STATS,
  failures: [
    { kind: "error", message: "City not found", calls: 2, latestId: "exec_1", latestAt: 9 },
    { kind: "invalid", message: null, calls: 1, latestId: "exec_2", latestAt: 8 },
  ],
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

it("a tool's statistics have a period in the address, and each figure leads to the calls that it counts", async () => {
  const asked: unknown[] = [];
  const api = fakeApi({
    "executions.toolStatistics": (input: unknown) => {
      asked.push(input);
      return STATISTICS;
    },
  });
  const { container } = api.render(
    <Suspense>
      <StatisticsTab name="get_weather" stats={STATS} />
    </Suspense>,
  );
  await screen.findByText("p50 duration");
  expect(asked).toMatchObject([{ name: "get_weather", days: OVERVIEW_DAYS }]);
  const readFigure = (term: string) => {
    const link = screen.getByText(term, { selector: "dt" }).parentElement?.querySelector("a");
    return [link?.textContent, link?.getAttribute("href")];
  };
  const list = "/executions?tool=get_weather&range=custom&since=5";
  expect(readFigure("Calls")).toEqual(["40", list]);
  expect(readFigure("Failed")).toEqual(["7.9%", `${list}&status=failed`]);
  expect(screen.getByRole("link", { name: "2 errors" }).getAttribute("href")).toBe(`${list}&status=error`);
  const countsOf = (table: string, name: RegExp) =>
    within(screen.getByRole("table", { name: table }))
      .getAllByRole("link", { name })
      .map((link) => Object.fromEntries(new URL(link.getAttribute("href") ?? "", "http://x").searchParams));
  const counted = { tool: "get_weather", range: "custom", since: "5" };
  expect(countsOf("Failures by message", /calls?$/)).toEqual([
    { ...counted, status: "error", message: "City not found" },
    { ...counted, status: "invalid", source: "agent,gateway,background,api,app" },
  ]);
  expect(countsOf("Clients", /calls$/)).toEqual([
    { ...counted, client: "claude-code" },
    { ...counted, source: "console", client: "(none)" },
  ]);
  expect(countsOf("Versions", /calls$/)).toEqual([{ ...counted, definition: "9f2c41aa" }]);
  expect(countsOf("Versions", /%$/)).toEqual([{ ...counted, definition: "9f2c41aa", status: "failed" }]);
  expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
  fireEvent.click(screen.getByRole("radio", { name: "All time" }));
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ name: "get_weather", days: null }));
});
