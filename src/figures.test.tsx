import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { createLoader } from "nuqs/server";
import { type ReactNode, Suspense } from "react";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { NewestCalls } from "./app/_components/clients/client-view";
import { EXECUTION_FILTERS, toFilter } from "./app/_components/executions/list/execution-filters";
import { DayCharts } from "./app/_components/executions/summary/duration-charts";
import { FailingTools, Figures } from "./app/_components/overview/overview-view";
import { Health } from "./app/_components/servers/detail/server-view";
import { ServersView } from "./app/_components/servers/list/servers-view";
import { serverSummary } from "./app/_components/servers/summary/server.test-support";
import { StatisticsTab } from "./app/_components/tools/detail/statistics-tab";
import { ToolsView } from "./app/_components/tools/list/tools-view";
import { type FakeProcedures, fakeApi } from "./app/_kit/fake-api.test-support";
import { toRangeEnds } from "./app/_kit/list/time-range";
import type { AlertRuleInput } from "./lib/contract/alert";
import { PROGRAM_SOURCES } from "./lib/contract/call-class";
import type { ToolSummary } from "./lib/contract/catalog-tool";
import type { ClientDetail } from "./lib/contract/client";
import type { ErrorKind, ExecutionSource, ExecutionStatus } from "./lib/contract/envelope";
import type { ExecutionFilter, ExecutionOutcome } from "./lib/contract/execution";
import { FACET_NAMES } from "./lib/contract/execution-facets";
import type { StatisticFigures } from "./lib/contract/statistics";
import { formatRate } from "./lib/format";
import { toAlertPath } from "./lib/format/alert-words";
import { anEnd, aStart } from "./server/calls/executions/execution.test-support";
import { createExecutionReads } from "./server/calls/executions/execution-reads";
import type { ExecutionStore } from "./server/calls/executions/execution-store";
import { createLiveJournal } from "./server/calls/executions/live-journal";
import type { ExecutionEnd, ExecutionStart } from "./server/engine/ports";
import { readSubjects } from "./server/features/alerts/alert-readings";
import { createHappenings } from "./server/features/webhooks/webhook-events";
import { useDatabase } from "./server/platform/db/contract/store-database.test-support";
import { describeOnBoth } from "./server/platform/db/store-databases.test-support";
import { CallMetrics } from "./server/platform/telemetry/call-metrics";

// The environment of Vitest with a DOM loads no modules of the server, so this file makes the DOM.
const restoreGlobals = await vi.hoisted(async () => {
  const { Window } = await import("happy-dom");
  const { populateGlobal } = await import("vitest/runtime");
  const { keys, originals } = populateGlobal(globalThis, new Window({ url: "http://localhost:3000" }), {
    bindFunctions: true,
  });
  return () => {
    for (const key of keys) Reflect.deleteProperty(globalThis, key);
    for (const [key, value] of originals) Reflect.set(globalThis, key, value);
  };
});
afterAll(restoreGlobals);

const DAY = 86_400_000;
const SOURCES: readonly ExecutionSource[] = [
  ...(["console", "agent", "gateway", "replay", "background", "api", "app"] as const),
  ...(["check", "import", "test"] as const),
];
const ENDINGS: readonly { status: ExecutionStatus; errorKind: ErrorKind | null }[] = [
  { status: "succeeded", errorKind: null },
  { status: "failed", errorKind: "tool_error" },
  { status: "failed", errorKind: "not_found" },
  { status: "failed", errorKind: "invalid_arguments" },
  { status: "failed", errorKind: "rejected" },
  { status: "failed", errorKind: "approval_expired" },
  { status: "failed", errorKind: "timeout" },
  { status: "failed", errorKind: "cancelled" },
  { status: "timed_out", errorKind: "timeout" },
  { status: "interrupted", errorKind: "interrupted" },
  { status: "cancelled", errorKind: "cancelled" },
  { status: "running", errorKind: null },
  { status: "waiting", errorKind: null },
];
const TOOLS = ["alpha", "beta", "gamma"] as const;
const SERVERS = ["files", "docs", null] as const;
const CLIENTS = ["claude/1.2", "cursor", null] as const;

/** Every status with every source, several times, at times that no period begins near to. */
function makeCalls(): { start: ExecutionStart; end: ExecutionEnd | null }[] {
  return SOURCES.flatMap((source, s) =>
    ENDINGS.flatMap(({ status, errorKind }, e) =>
      [0, 1].map((round) => {
        const at = s * 7 + e * 3 + round;
        const isUnknown = errorKind === "not_found";
        const start = aStart({
          source,
          toolName: isUnknown ? "no_such_tool" : (TOOLS[at % TOOLS.length] ?? "alpha"),
          ...(isUnknown ? { definition: null, implementationType: null } : {}),
          serverName: isUnknown ? null : (SERVERS[at % SERVERS.length] ?? null),
          client: source === "gateway" ? "claude/1.2" : (CLIENTS[at % CLIENTS.length] ?? null),
          toolset: at % 4 === 0 ? "support" : null,
          actor: { id: at % 2 === 0 ? "ada" : "bob", name: "User" },
          queuedAt: Date.now() - (at % 10) * DAY - (at % 10 === 0 ? 0 : 90 * 60_000),
          waiting: status === "waiting",
        });
        if (status === "running" || status === "waiting") return { start, end: null };
        const error = errorKind === null ? null : `The tool says ${errorKind}`;
        const runMs = status === "succeeded" || errorKind === "tool_error" ? 12 : null;
        return { start, end: anEnd(start, { status, errorKind, error, runMs, executionTimeMs: 12 }) };
      }),
    ),
  );
}

const readAddress = createLoader(EXECUTION_FILTERS.parsers);

/** The filter of the list that an address opens. */
function toListFilter(href: string): ExecutionFilter {
  const params = readAddress(new URL(href, "http://x").searchParams);
  return toFilter(params, toRangeEnds(params.range, Date.now(), "UTC"));
}

/** Reads the number in the text of a link: `12`, `3 errors`, `41 of 620 (6.6%)`, `No route 30 of 41`, `42.9%`. */
function readClaim(text: string): { count: number } | { rate: string } | null {
  const rate = /^[\d.]+%/.exec(text)?.[0];
  if (rate !== undefined) return { rate };
  if (/^[\d.,]+ ?(?:ms|s|min|h)\b/.test(text)) return null;
  const count = /^([\d,]+)/.exec(text)?.[1] ?? /([\d,]+) of [\d,]+$/.exec(text)?.[1];
  return count === undefined ? null : { count: Number(count.replaceAll(",", "")) };
}

describeOnBoth("figures", (createDatabase) => {
  const database = useDatabase(createDatabase);
  const metrics = new CallMetrics();
  const told: string[] = [];
  let store: ExecutionStore;
  let reads: ReturnType<typeof createExecutionReads>;

  beforeEach(async () => {
    store = database().executions({ instanceId: "inst_a" });
    const limits = { maxModelChars: 1_000 } as Parameters<typeof createExecutionReads>[0]["limits"];
    reads = createExecutionReads({ store, limits, currentHash: () => null });
    told.length = 0;
    const toHappenings = createHappenings(() => null, Date.now);
    const journal = metrics.watch(
      createLiveJournal(store, (event) => {
        for (const { event: name, data } of toHappenings(event)) told.push(`${name} ${data.execution}`);
      }),
    );
    for (const { start, end } of makeCalls()) await (end === null ? journal.begin(start) : journal.record(start, end));
  });
  afterEach(async () => {
    cleanup();
    await store.close();
  });

  async function count(filter: ExecutionFilter, status?: ExecutionOutcome[]): Promise<number> {
    const found = await reads.contents.count({ ...filter, ...(status && { status }) });
    expect(found.more).toBe(false);
    return found.count;
  }

  async function expectClaim(claim: { count: number } | { rate: string }, href: string, where: string): Promise<void> {
    const filter = toListFilter(href);
    const listed = await count(filter);
    if ("count" in claim) expect(claim.count, `${where}: ${href}`).toBe(listed);
    else expect(claim.rate, `${where}: ${href}`).toBe(formatRate(listed, await count(filter, ["succeeded", "failed"])));
  }

  /** Compares each figure with the list that its link opens. @returns how many there are */
  async function checkLinks(where: string): Promise<number> {
    let checked = 0;
    for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href^="/executions?"]')) {
      if (link.closest("tr th, tr") !== null && /^\d{4}-/.test(link.textContent)) continue;
      const claim = readClaim(link.textContent.trim());
      if (claim === null) continue;
      await expectClaim(claim, link.getAttribute("href") ?? "", `${where}, ${link.textContent}`);
      checked += 1;
    }
    return checked;
  }

  /** Compares the rows of a chart's table with the list of their time. */
  async function checkChart(title: string): Promise<number> {
    const section = screen.getByRole("region", { name: title });
    const button = section.querySelector<HTMLButtonElement>('button[aria-label="View as table"], button');
    if (button !== null) fireEvent.click(button);
    const table = await screen.findByRole("table", { name: title });
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent ?? "");
    const rows = [...table.querySelectorAll("tbody tr")];
    for (const row of rows) {
      const href = row.querySelector("a")?.getAttribute("href") ?? "";
      const cells = [...row.querySelectorAll("th, td")].map((cell) => cell.textContent ?? "");
      const filter = toListFilter(href);
      const read = (head: string): string => cells[heads.indexOf(head)] ?? "";
      expect([Number(read("Calls")), Number(read("Failed"))], `${title} ${href}`).toEqual([
        await count(filter),
        await count(filter, ["failed"]),
      ]);
      expect(read("Failure rate")).toBe(
        formatRate(await count(filter, ["failed"]), await count(filter, ["succeeded", "failed"])),
      );
    }
    return rows.length;
  }

  function show(element: ReactNode, procedures: FakeProcedures = {}, search = ""): void {
    cleanup();
    fakeApi(
      {
        "executions.toolFigures": ({ days }: { days: number }) => reads.toolFigures(days),
        "executions.serverFigures": ({ days }: { days: number }) => reads.serverFigures(days),
        "executions.toolStatistics": ({ name, ...period }: { name: string; days: number | null; zone: string }) =>
          reads.contents.toolStatistics(name, period),
        "executions.toolFailures": ({ name, since }: { name: string; since: number }) =>
          reads.contents.toolFailures(name, since),
        "executions.count": ({ filter }: { filter: ExecutionFilter }) => reads.contents.count(filter),
        "executions.list": ({ filter }: { filter: ExecutionFilter }) => reads.contents.list(filter, undefined, 8),
        "executions.timeline": ({ filter, zone }: { filter: ExecutionFilter; zone: string }) =>
          reads.contents.timeline(filter, zone),
        ...procedures,
      },
      search,
    ).render(<Suspense>{element}</Suspense>);
  }

  it("of the overview are those of the lists that their links open", async () => {
    const stats = await reads.overview(7, "UTC");
    const since = Date.parse(`${stats.days[0]?.day}T00:00:00Z`);
    show(
      <>
        <Figures totals={stats.totals} days={7} since={since} />
        <FailingTools stats={stats} since={since} isKnown={() => true} />
        <DayCharts days={stats.days} zone="UTC" />
      </>,
    );
    await waitFor(() => expect(screen.getAllByText(/^The tool says/)).toHaveLength(stats.failing.length));
    expect(stats.failing.map(({ toolName }) => toolName)).toContain("no_such_tool");
    expect(await checkLinks("overview")).toBeGreaterThan(15);
    expect(await checkChart("Calls by day")).toBe(7);
    const unlisted = stats.totals.failed - stats.failing.reduce((sum, { failed }) => sum + failed, 0);
    expect(unlisted).toBe(0);
  });

  it.each(["today", "7d", "30d", "all"])("of a tool's statistics are those of the lists, %s", async (period) => {
    for (const name of [...TOOLS, "no_such_tool"]) {
      show(<StatisticsTab name={name} stats={await reads.toolStats(name)} />, {}, `?period=${period}`);
      await screen.findByRole("table", { name: "Failures by message" });
      await waitFor(() => expect(screen.getByRole("region", { name: "Calls over time" })).toBeDefined());
      expect(await checkLinks(`${name}, ${period}`)).toBeGreaterThan(5);
    }
  });

  it("of the lists of tools and servers, and of a server's and a client's page are those of the lists", async () => {
    const facts = { tags: [], quality: [], annotations: {}, approval: { required: false }, updatedAt: null };
    const tools = TOOLS.map(
      (name) => ({ ...facts, name, description: "", implementationType: "mock" }) as unknown as ToolSummary,
    );
    show(<ToolsView />, {
      "tools.list": async () => {
        const figures = new Map((await reads.toolFigures(7, TOOLS)).map((each) => [each.toolName, each]));
        const items = tools.map((tool) => ({ ...tool, figures: figures.get(tool.name) ?? null }));
        return { items, nextCursor: null, matching: items.length, total: items.length };
      },
      "tools.facets": () => ({ types: [], servers: [], tags: [] }),
      "tools.problems": () => ({ items: [], count: 0 }),
      "tools.favorites": () => [],
    });
    await waitFor(() => expect(document.querySelectorAll('a[href*="status=failed"]')).toHaveLength(TOOLS.length));
    expect(await checkLinks("tools")).toBe(2 * TOOLS.length);
    show(<ServersView />, {
      "servers.page": () => {
        const items = ["files", "docs"].map((name) => serverSummary({ name }));
        return { items, nextCursor: null, matching: 2, total: 2, attention: 0, changed: false };
      },
    });
    await waitFor(() => expect(document.querySelectorAll('a[href*="status=failed"]')).toHaveLength(2));
    expect(await checkLinks("servers")).toBe(4);
    show(<Health name="files" />);
    await waitFor(() => expect(document.querySelector('a[href*="status=failed"]')).not.toBeNull());
    expect(await checkLinks("server")).toBe(2);
    show(<NewestCalls client={{ name: "claude", user: { id: "ada", name: "Ada" } } as unknown as ClientDetail} />);
    await waitFor(() => expect(document.querySelector('a[href*="status=failed"]')).not.toBeNull());
    expect(await checkLinks("client")).toBe(1);
  });

  it("of facets and charts are those of the lists with their value", async () => {
    let checked = 0;
    for (const filter of [{}, { tool: ["alpha"] }, { source: ["console" as const] }, { status: ["failed" as const] }]) {
      const facets = await reads.contents.facetCounts(filter);
      for (const name of FACET_NAMES) {
        for (const { value, count: calls } of facets[name].values) {
          const isList = ["server", "toolset", "client", "actor"].includes(name) ? value : [value];
          const listed = await count({ ...filter, [name]: isList });
          expect(calls, `${name} ${value} of ${JSON.stringify(filter)}`).toBe(listed);
          checked += 1;
        }
      }
      const { points } = await reads.contents.timeline(filter, "UTC");
      const sum = (read: (point: (typeof points)[number]) => number) =>
        points.reduce((all, each) => all + read(each), 0);
      const isFailed = "status" in filter;
      expect(sum(({ calls }) => calls)).toBe(await count(filter));
      expect(sum(({ failed }) => failed)).toBe(await count(filter, ["failed"]));
      expect(sum((each) => each.error + each.timedOut + each.interrupted + each.invalid)).toBe(
        sum(({ failed }) => failed),
      );
      if (!isFailed) expect(sum(({ rejected }) => rejected)).toBe(await count(filter, ["rejected"]));
    }
    expect(checked).toBeGreaterThan(80);
  });

  /** Each figure of statistics with the status and sources of its list. */
  const LISTED: readonly [keyof StatisticFigures, ExecutionOutcome[], ExecutionSource[]?][] = [
    ["failed", ["failed"]],
    ["finished", ["succeeded", "failed"]],
    ["error", ["error"]],
    ["timedOut", ["timed_out"]],
    ["interrupted", ["interrupted"]],
    ["invalid", ["invalid"], [...PROGRAM_SOURCES]],
    ["consoleInvalid", ["invalid"], ["console", "replay"]],
    ["rejected", ["rejected"]],
    ["cancelled", ["cancelled"]],
    ["waiting", ["waiting"]],
    ["running", ["running"]],
  ];

  it("of the REST API and `toolroom stats`, by each dimension, are those of the lists", async () => {
    for (const by of ["tool", "server", "client", "actor", "toolset"] as const) {
      const { groups } = await store.statistics.groups({ since: 0, by });
      expect(groups.length).toBeGreaterThan(0);
      for (const { value, ...figures } of groups) {
        const filter = by === "tool" ? { tool: [value] } : { [by]: value };
        for (const [figure, status, source] of LISTED) {
          const listed = await count({ ...filter, ...(source && { source }) }, status);
          expect(figures[figure], `${figure} of ${by} ${value}`).toBe(listed);
        }
      }
    }
  });

  it("of alerts, webhooks and metrics are those of the lists", async () => {
    const now = Date.now();
    const rule: AlertRuleInput = {
      name: "Failures",
      kind: "failure_rate",
      tool: "alpha",
      server: null,
      each: null,
      threshold: 20,
      windowMinutes: 1_440,
      minCalls: 1,
      enabled: true,
      notify: "viewer",
      webhooks: true,
    };
    const ports = {
      statistics: store.statistics,
      servers: () => [],
      waiting: async () => [],
      limits: async () => [],
      hasTool: () => true,
      outages: async () => [],
      now: () => now,
    };
    const reading = [...((await readSubjects(rule, ports)) ?? new Map()).values()][0];
    const path = toAlertPath({ ...rule, client: null, firedAt: now, resolvedAt: null });
    const failed = await count(toListFilter(path));
    const finished = await count(toListFilter(path), ["succeeded", "failed"]);
    expect(reading?.value).toBe((100 * failed) / finished);
    expect(failed).toBeGreaterThan(0);

    const failures = (await store.list({ status: ["failed"] }, { limit: 200 })).items.map(({ id }) => id);
    const events = told.filter((event) => event.startsWith("execution.failed "));
    expect(events.map((event) => event.slice("execution.failed ".length)).sort()).toEqual(failures.sort());
  });
});

it("of metrics have the same classes: failed is true for what a failure rate counts", () => {
  const metrics = new CallMetrics();
  const journal = {
    begin: async () => undefined,
    proceed: async () => true,
    finish: async () => undefined,
    record: async () => undefined,
  };
  const watched = metrics.watch(journal);
  const calls = makeCalls().flatMap(({ start, end }) => (end === null ? [] : [{ start, end }]));
  for (const { start, end } of calls) void watched.record(start, end);
  const sum = (isWanted: (labels: Record<string, string>) => boolean) =>
    metrics.calls().reduce((all, { labels = {}, value }) => all + (isWanted(labels) ? value : 0), 0);
  const isProgram = (source: string) => PROGRAM_SOURCES.some((each) => each === source);
  const isError = ({ start, end }: (typeof calls)[number]) =>
    ["timed_out", "interrupted"].includes(end.status) ||
    (end.status === "failed" &&
      !["rejected", "approval_expired"].includes(end.errorKind ?? "") &&
      (end.errorKind !== "invalid_arguments" || !["console", "replay"].includes(start.source)));
  expect(sum(({ failed }) => failed === "true")).toBe(calls.filter(isError).length);
  expect(sum(({ failed, status, source = "" }) => failed === "true" && status === "invalid" && isProgram(source))).toBe(
    calls.filter(({ start, end }) => end.errorKind === "invalid_arguments" && isProgram(start.source)).length,
  );
});
