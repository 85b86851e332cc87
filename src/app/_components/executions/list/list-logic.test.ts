import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toComparePath, toggleSelected } from "@/app/_components/executions/summary/comparison";
import { formatExecutionOrigin } from "@/app/_components/executions/summary/execution-origin";
import { toRangeEnds } from "@/app/_kit/list/time-range";
import { createThrottle } from "@/app/_live/throttle";
import type { ExecutionFilter } from "@/lib/contract/execution";
import { EXECUTION_FILTERS, type FilterParams, toFilter, toListInput } from "./execution-filters";
import { matchesFilter } from "./live-match";

const { isFiltered } = EXECUTION_FILTERS;

const OPEN = { since: null, until: null };

const NO_PARAMS: FilterParams = {
  tool: [],
  kind: [],
  status: [],
  source: [],
  actor: "",
  client: "",
  range: null,
  since: null,
  until: null,
  sort: null,
  pinned: false,
  run: "",
  definition: "",
  toolset: "",
  rule: "",
  server: "",
  change: "",
  lensFailed: false,
  message: "",
  errorKind: [],
  tag: [],
  duration: [],
  size: [],
  minCost: "",
  q: "",
};

describe("execution filters", () => {
  it("ask for everything while nothing is chosen", () => {
    expect(toFilter(NO_PARAMS, OPEN)).toEqual({});
    expect(isFiltered(NO_PARAMS)).toBe(false);
  });

  it("carry every choice to the server", () => {
    const params: FilterParams = {
      tool: ["a", "b"],
      kind: ["resource"],
      status: ["failed"],
      source: ["gateway"],
      actor: "local-owner",
      client: "claude-code",
      range: "1h",
      since: 5,
      until: 6,
      sort: null,
      pinned: true,
      run: "run_1",
      definition: "a1b2",
      change: "c3d4",
      toolset: "support",
      rule: "rule_1",
      server: "files",
      lensFailed: true,
      message: "City not found",
      errorKind: ["tool_error"],
      tag: ["weather"],
      duration: ["from_1s"],
      size: ["none"],
      minCost: "0.1",
      q: " Oslo ",
    };
    expect(toFilter(params, toRangeEnds("1h", 10_020_000, "UTC"))).toEqual({
      tool: ["a", "b"],
      kind: ["resource"],
      status: ["failed"],
      source: ["gateway"],
      actor: "local-owner",
      client: "claude-code",
      minCost: 0.1,
      pinned: true,
      definition: "a1b2",
      change: "c3d4",
      toolset: "support",
      rule: "rule_1",
      server: "files",
      message: "City not found",
      lensFailed: true,
      errorKind: ["tool_error"],
      tag: ["weather"],
      duration: ["from_1s"],
      size: ["none"],
      runId: "run_1",
      q: "Oslo",
      since: 6_420_000,
    });
    expect(isFiltered(params)).toBe(true);
  });

  it("take both ends of a custom range, either of which may be open, and neither of another range", () => {
    const custom: FilterParams = { ...NO_PARAMS, range: "custom", since: 5, until: 6 };
    expect(toFilter(custom, OPEN)).toEqual({ since: 5, until: 6 });
    expect(toFilter({ ...custom, since: null }, OPEN)).toEqual({ until: 6 });
    expect(isFiltered({ ...custom, since: null, until: null })).toBe(false);
  });

  it("say in which order the rows are asked for, which is no filter", () => {
    expect(toListInput(NO_PARAMS, OPEN).order).toBeUndefined();
    expect(toListInput({ ...NO_PARAMS, sort: "-duration" }, OPEN).order).toEqual({ by: "duration", descending: true });
    expect(toListInput({ ...NO_PARAMS, sort: "size" }, OPEN).order).toEqual({ by: "size", descending: false });
    expect(isFiltered({ ...NO_PARAMS, sort: "size" })).toBe(false);
  });

  it("leave out a text that is too short to be searched, and cut what the server would refuse", () => {
    expect(toFilter({ ...NO_PARAMS, q: "os" }, OPEN)).toEqual({});
    expect(toFilter({ ...NO_PARAMS, q: "x".repeat(900) }, OPEN).q).toHaveLength(200);
    expect(toFilter({ ...NO_PARAMS, tool: Array.from({ length: 80 }, (_, at) => `t${at}`) }, OPEN).tool).toHaveLength(
      50,
    );
  });

  it("ignore a status that does not exist in the address", () => {
    expect(EXECUTION_FILTERS.parsers.status.parse("failed,exploded,succeeded")).toEqual(["failed", "succeeded"]);
  });
});

describe("matchesFilter", () => {
  const event = {
    id: "exec_1",
    toolName: "a",
    status: "failed",
    errorKind: "tool_error",
    source: "agent",
    parentId: null,
  } as const;

  it("tells calls that belong in the list from those that do not", () => {
    expect(matchesFilter({}, event)).toBe(true);
    const classes: ExecutionFilter["status"] = ["failed", "invalid", "rejected"];
    expect(matchesFilter({ tool: ["a"], status: classes, source: ["agent"] }, event)).toBe(true);
    expect(matchesFilter({ status: ["timed_out"] }, { ...event, status: "timed_out" })).toBe(true);
    expect(matchesFilter({ status: ["failed"] }, { ...event, status: "timed_out" })).toBe(true);
    expect(matchesFilter({ status: ["failed"] }, event)).toBe(true);
    expect(matchesFilter({ status: ["invalid"] }, event)).toBe(false);
    const invalid = { ...event, errorKind: "invalid_arguments" } as const;
    expect(matchesFilter({ status: ["failed"] }, invalid)).toBe(true);
    expect(matchesFilter({ status: ["failed"] }, { ...invalid, source: "console" })).toBe(false);
    expect(matchesFilter({ status: ["invalid"] }, { ...invalid, source: "console" })).toBe(true);
    expect(matchesFilter({ status: ["rejected"] }, { ...event, errorKind: "rejected" })).toBe(true);
    expect(matchesFilter({ tool: ["b"] }, event)).toBe(false);
    expect(matchesFilter({ status: ["succeeded"] }, event)).toBe(false);
    expect(matchesFilter({ source: ["console"] }, event)).toBe(false);
    expect(matchesFilter({ pinned: true }, event)).toBe(false);
    expect(matchesFilter({ until: 1_000 }, event)).toBe(false);
  });

  it("takes calls of evals only where they are asked for, by source or by run", () => {
    const check = { ...event, source: "check" } as const;
    expect(matchesFilter({}, check)).toBe(false);
    expect(matchesFilter({ source: ["check"] }, check)).toBe(true);
    expect(matchesFilter({ runId: "run_1" }, check)).toBeNull();
  });

  it("does not pretend to know what only the server can tell", () => {
    expect(matchesFilter({ q: "Oslo" }, event)).toBeNull();
    expect(matchesFilter({ status: ["rejected"] }, { ...event, status: "succeeded" })).toBe(false);
    expect(matchesFilter({ status: ["input"] }, { ...event, status: "running" })).toBeNull();
    expect(matchesFilter({ status: ["input"] }, { ...event, status: "waiting" })).toBe(false);
    expect(matchesFilter({ actor: "x" }, event)).toBeNull();
    expect(matchesFilter({ q: "Oslo", tool: ["b"] }, event)).toBe(false);
  });
});

describe("the selection for a comparison", () => {
  const rows = [
    { id: "new", seq: 3 },
    { id: "middle", seq: 2 },
    { id: "old", seq: 1 },
  ];

  it("holds calls in the order of their recording", () => {
    expect(toggleSelected(["new"], "old", rows)).toEqual(["old", "new"]);
    expect(toggleSelected(["old", "new"], "middle", rows)).toEqual(["old", "middle", "new"]);
    expect(toggleSelected(["old", "new"], "old", rows)).toEqual(["new"]);
  });

  it("leads to the comparison only when there are two", () => {
    expect(toComparePath(["old"])).toBeNull();
    expect(toComparePath(["old", "new"])).toBe("/compare?left=old&right=new");
  });
});

describe("formatExecutionOrigin", () => {
  it("says from where a call came", () => {
    const call = { source: "console", client: null, parentId: null, runId: null, runTitle: null } as const;
    expect(formatExecutionOrigin(call)).toBe("console");
    expect(formatExecutionOrigin({ ...call, source: "gateway", client: "Claude Code" })).toBe("gateway · Claude Code");
    expect(formatExecutionOrigin({ ...call, source: "agent", runId: "run_118" })).toBe("agent · run_118");
    expect(formatExecutionOrigin({ ...call, source: "agent", runId: "run_118", runTitle: "Plan a trip" })).toBe(
      "agent · Plan a trip",
    );
    expect(formatExecutionOrigin({ ...call, source: "replay", parentId: "exec_9QkZZZZZZZZ" })).toBe(
      "replay of …ZZZZZZ",
    );
    expect(formatExecutionOrigin({ ...call, source: "background" })).toBe("background");
    expect(formatExecutionOrigin({ ...call, source: "api" })).toBe("API");
  });
});

describe("createThrottle", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("never runs twice at a time and runs once more for calls during a run", async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const throttle = createThrottle(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      runs += 1;
      running -= 1;
    }, 1);
    for (let at = 0; at < 10; at += 1) throttle.fire();
    await vi.advanceTimersByTimeAsync(100);
    expect({ most, runs }).toEqual({ most: 1, runs: 2 });
  });

  it("runs again after a failed run, and stops when cancelled", async () => {
    let runs = 0;
    const throttle = createThrottle(async () => {
      runs += 1;
      throw new Error("offline");
    }, 1);
    throttle.fire();
    await vi.advanceTimersByTimeAsync(20);
    throttle.fire();
    await vi.advanceTimersByTimeAsync(20);
    throttle.cancel();
    throttle.fire();
    await vi.advanceTimersByTimeAsync(20);
    expect(runs).toBe(2);
  });
});
