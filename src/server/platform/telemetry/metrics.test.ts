import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Principal } from "../../../lib/contract/access";
import { createHostPolicy } from "../../../lib/http-guard/host-policy";
import type { ExecutionEnd, ExecutionJournal, ExecutionStart } from "../../engine/ports";
import { AppError } from "../shared/app-error";
import { CallMetrics } from "./call-metrics";
import { createMetricsEndpoint } from "./metrics-endpoint";
import { createMetricsPage, type ServerGauges } from "./metrics-page";

const GAUGES: ServerGauges = {
  version: "1.2.3",
  servers: [
    { name: "files", status: "connected" },
    { name: 'odd"name\\', status: "failed" },
    { name: "off", status: "disabled" },
  ],
  gatewaySessions: 3,
  liveStreams: 1,
  activeRuns: 2,
  pendingApprovals: 4,
  pendingInteractions: 0,
  jobs: [
    { kind: "retention.sweep", waiting: 1, running: 0, nextRunAt: 8.64e15, failures: [] },
    {
      kind: "webhooks.deliver",
      waiting: 3,
      running: 2,
      nextRunAt: 1,
      failures: [{ key: "msg_1", at: 1, attempts: 2, error: "away", retryAt: 2 }],
    },
  ],
  databaseBytes: 4096,
  copies: 1,
  instanceLagMs: null,
  freeDiskBytes: null,
  isRefusing: false,
};
const journal: ExecutionJournal = {
  begin: async () => undefined,
  proceed: async () => true,
  finish: async () => undefined,
  record: async () => undefined,
};

const startOf = (toolName: string, more: Partial<ExecutionStart> = {}): ExecutionStart =>
  ({ id: toolName, toolName, definition: {}, source: "gateway", ...more }) as ExecutionStart;
const endOf = (more: Partial<ExecutionEnd> = {}): ExecutionEnd =>
  ({ status: "succeeded", startedAt: 1, executionTimeMs: 30, ...more }) as ExecutionEnd;
const render = async (calls: CallMetrics): Promise<string> =>
  (await createMetricsPage(calls, async () => GAUGES)()).text;

describe("the metrics", () => {
  it("count calls by tool, source and status, and measure them", async () => {
    const calls = new CallMetrics();
    const watched = calls.watch(journal);
    for (const ms of [30, 30, 700]) {
      await watched.begin(startOf("echo"));
      expect(calls.running).toBe(1);
      await watched.finish(startOf("echo"), endOf({ executionTimeMs: ms }));
    }
    await watched.record(startOf("echo"), endOf({ status: "cancelled", startedAt: null }));
    const text = await render(calls);
    expect(text).toContain('toolroom_calls_total{tool="echo",source="gateway",status="succeeded",failed="false"} 3\n');
    expect(text).toContain('toolroom_calls_total{tool="echo",source="gateway",status="cancelled",failed="false"} 1\n');
    expect(text).toContain('toolroom_call_duration_seconds_bucket{tool="echo",le="0.05"} 2\n');
    expect(text).toContain('toolroom_call_duration_seconds_bucket{tool="echo",le="1"} 3\n');
    expect(text).toContain('toolroom_call_duration_seconds_bucket{tool="echo",le="+Inf"} 3\n');
    expect(text).toContain('toolroom_call_duration_seconds_count{tool="echo"} 3\n');
    expect(text).toMatch(/toolroom_call_duration_seconds_sum\{tool="echo"\} 0\.76/);
    expect(text).toContain('toolroom_journal_commit_duration_seconds_count{step="finish"} 3\n');
    expect(text).toContain("toolroom_calls_running 0\n");
    expect(text).toContain("# TYPE toolroom_call_duration_seconds histogram\n");
  });

  it("say what waits, runs, fails and is overdue of each kind of job", async () => {
    const text = await render(new CallMetrics());
    expect(text).toContain('toolroom_jobs_waiting{kind="webhooks.deliver"} 3\n');
    expect(text).toContain('toolroom_jobs_running{kind="webhooks.deliver"} 2\n');
    expect(text).toContain('toolroom_jobs_failing{kind="webhooks.deliver"} 1\n');
    expect(text).toContain('toolroom_jobs_failing{kind="retention.sweep"} 0\n');
    expect(text).toContain('toolroom_jobs_overdue_seconds{kind="retention.sweep"} 0\n');
    expect(text).toMatch(/toolroom_jobs_overdue_seconds\{kind="webhooks.deliver"\} [1-9]/);
  });

  it("name 100 tools at most, and no tool that does not exist", async () => {
    const calls = new CallMetrics();
    const watched = calls.watch(journal);
    await watched.record(startOf("x".repeat(200), { definition: null }), endOf({ status: "failed", startedAt: null }));
    for (let index = 0; index < 150; index += 1) await watched.finish(startOf(`tool_${index}`), endOf());
    const tools = new Set(calls.calls().map(({ labels }) => labels?.tool));
    expect(tools.size).toBe(101);
    const failed = calls.calls().find(({ labels }) => labels?.failed === "true");
    expect(failed?.labels).toEqual({ tool: "other", source: "gateway", status: "error", failed: "true" });
  });

  it("show rows that are not durable yet, and how long the oldest waits", async () => {
    const calls = new CallMetrics();
    let commit = (): void => undefined;
    const slow = { ...journal, begin: () => new Promise<void>((resolve) => (commit = resolve)) };
    const begun = calls.watch(slow).begin(startOf("echo"));
    expect(calls.pendingRows).toBe(1);
    expect(calls.lagSeconds).toBeGreaterThanOrEqual(0);
    commit();
    await begun;
    expect([calls.pendingRows, calls.lagSeconds]).toEqual([0, 0]);
    const failing = { ...journal, begin: () => Promise.reject(new Error("disk")) };
    await expect(calls.watch(failing).begin(startOf("echo"))).rejects.toThrow("disk");
    expect(calls.pendingRows).toBe(0);
  });

  it("escape what servers are called, and leave out what is unknown", async () => {
    const text = await render(new CallMetrics());
    expect(text).toContain('toolroom_server_connected{server="files"} 1\n');
    expect(text).toContain('toolroom_server_connected{server="odd\\"name\\\\"} 0\n');
    expect(text).not.toContain('server="off"');
    expect(text).toContain('toolroom_servers{status="disabled"} 1\n');
    expect(text).toContain('toolroom_build_info{version="1.2.3"} 1\n');
    expect(text).not.toMatch(/^toolroom_disk_free_bytes/m);
    expect(text).toContain("process_resident_memory_bytes ");
  });

  it("are the ones that the dashboard and the documentation name", async () => {
    const calls = new CallMetrics();
    const watched = calls.watch(journal);
    await watched.begin(startOf("echo"));
    await watched.finish(startOf("echo"), endOf());
    const text = await render(calls);
    const known = new Set(Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name ?? ""));
    const toMetric = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, "");
    const namesIn = (source: string): string[] =>
      Array.from(source.matchAll(/\b(?:toolroom|process|nodejs)_[a-z0-9_]+\b/g), ([name]) => name);
    const { panels } = JSON.parse(readFileSync("docs/grafana-dashboard.json", "utf8")) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(10);
    for (const expression of expressions) expect(namesIn(expression)).not.toEqual([]);
    const inDashboard = expressions.flatMap(namesIn);
    expect(inDashboard.filter((name) => !known.has(name) && !known.has(toMetric(name)))).toEqual([]);
    const documented = new Set(namesIn(readFileSync("docs/operations.md", "utf8")));
    expect([...known].filter((name) => name.startsWith("toolroom_") && !documented.has(name))).toEqual([]);
  });
});

describe("their address", () => {
  const reader = (token: Principal["token"]): Principal => ({ id: "ada", name: "Ada", role: "viewer", token });
  const tokens: Record<string, Principal> = {
    whole: reader({ id: "1", scopes: ["read"], tools: null, servers: null }),
    limited: reader({ id: "2", scopes: ["read"], tools: ["echo"], servers: null }),
    empty: reader({ id: "3", scopes: [], tools: null, servers: null }),
  };
  const access = {
    accounts: true,
    async enter(headers: { get(name: string): string | null }): Promise<Principal | null> {
      const token = headers.get("authorization")?.slice("Bearer ".length) ?? null;
      if (token === "wrong") throw new AppError("UNAUTHENTICATED", "This token is unknown");
      if (token === "busy") {
        throw new AppError("TOO_MANY_REQUESTS", "Too many requests", [], { retryAfterSeconds: 7 });
      }
      return token === null ? null : (tokens[token] ?? null);
    },
  };
  const hostPolicy = createHostPolicy();
  let url = "";
  let isOpen = false;
  const server = createServer((request, response) => {
    const endpoint = createMetricsEndpoint({
      render: createMetricsPage(new CallMetrics(), async () => GAUGES),
      access: isOpen ? { ...access, accounts: false } : access,
      hostPolicy,
      onError: (error) => {
        throw error;
      },
    });
    void endpoint.handle(request, response);
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const read = (token?: string) =>
    fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

  it("wants a token that may read everything, once there are accounts", async () => {
    isOpen = false;
    const whole = await read("whole");
    expect([whole.status, whole.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
    expect(await whole.text()).toContain("toolroom_build_info");
    expect((await read()).status).toBe(401);
    expect((await read()).headers.get("www-authenticate")).toBe("Bearer");
    expect((await read("wrong")).status).toBe(401);
    expect((await read("limited")).status).toBe(403);
    expect(await (await read("empty")).text()).toContain("scope read");
    expect([(await read("busy")).status, (await read("busy")).headers.get("retry-after")]).toEqual([429, "7"]);
  });

  it("is open without accounts", async () => {
    isOpen = true;
    expect((await read()).status).toBe(200);
  });
});
