import type { JobQueue } from "../../../lib/contract/job";
import type { CallMetrics, Sample } from "./call-metrics";

/** The facts that are read for each request. */
export interface ServerGauges {
  version: string;
  /** The connection's status of each MCP server. */
  servers: readonly { name: string; status: string }[];
  gatewaySessions: number;
  liveStreams: number;
  activeRuns: number;
  pendingApprovals: number;
  pendingInteractions: number;
  /** Living instances of the server, this one included. */
  copies: number;
  /** Null where there is one process. */
  instanceLagMs: number | null;
  databaseBytes: number | null;
  freeDiskBytes: number | null;
  isRefusing: boolean;
  /** The jobs; with PostgreSQL those of all instances of the server, so each of them reports the same. */
  jobs: readonly Pick<JobQueue, "kind" | "waiting" | "running" | "nextRunAt" | "failures">[];
}

const MAX_SERVERS = 100;
type Read = (calls: CallMetrics, gauges: ServerGauges, name: string) => Sample[];
const perKind = ({ jobs }: ServerGauges, read: (queue: ServerGauges["jobs"][number]) => number): Sample[] =>
  jobs.map((queue) => ({ labels: { kind: queue.kind }, value: read(queue) }));
const one = (value: number | null): Sample[] => (value === null ? [] : [{ value }]);

/** Every metric of Toolroom's own; those of the process are prom-client's. */
const METRICS: readonly { name: string; type: "counter" | "gauge" | "histogram"; help: string; read: Read }[] = [
  {
    name: "toolroom_calls_total",
    type: "counter",
    help: "Calls that ended, by tool, source and status; failed is true for the errors of a failure rate. Tools beyond the first 100 count as 'other'.",
    read: (calls) => calls.calls(),
  },
  {
    name: "toolroom_call_duration_seconds",
    type: "histogram",
    help: "Validation and run of calls whose tool ran, by tool.",
    read: (calls, _gauges, name) => calls.durations(name),
  },
  {
    name: "toolroom_calls_running",
    type: "gauge",
    help: "Calls in progress, without those that wait for approval.",
    read: ({ running }) => one(running),
  },
  {
    name: "toolroom_journal_commit_duration_seconds",
    type: "histogram",
    help: "Time until a row of the execution log is durable, by step.",
    read: (calls, _gauges, name) => calls.commits(name),
  },
  {
    name: "toolroom_journal_pending_rows",
    type: "gauge",
    help: "Rows of the execution log that are not durable yet.",
    read: ({ pendingRows }) => one(pendingRows),
  },
  {
    name: "toolroom_journal_lag_seconds",
    type: "gauge",
    help: "Time that the oldest row of the execution log has waited to be durable.",
    read: ({ lagSeconds }) => one(lagSeconds),
  },
  {
    name: "toolroom_approvals_pending",
    type: "gauge",
    help: "Calls that wait for approval.",
    read: (_calls, { pendingApprovals }) => one(pendingApprovals),
  },
  {
    name: "toolroom_interactions_pending",
    type: "gauge",
    help: "Requests of MCP servers that wait for input in the console.",
    read: (_calls, { pendingInteractions }) => one(pendingInteractions),
  },
  {
    name: "toolroom_runs_active",
    type: "gauge",
    help: "Runs with an active turn.",
    read: (_calls, { activeRuns }) => one(activeRuns),
  },
  {
    name: "toolroom_servers",
    type: "gauge",
    help: "MCP and API servers by the status of their connection.",
    read: (_calls, { servers }) => {
      const counts = new Map<string, number>();
      for (const { status } of servers) counts.set(status, (counts.get(status) ?? 0) + 1);
      return Array.from(counts, ([status, value]) => ({ labels: { status }, value }));
    },
  },
  {
    name: "toolroom_server_connected",
    type: "gauge",
    help: "1 while a server is connected, else 0. Disabled servers and those beyond the first 100 are left out.",
    read: (_calls, { servers }) =>
      servers
        .filter(({ status }) => status !== "disabled")
        .slice(0, MAX_SERVERS)
        .map(({ name: server, status }) => ({ labels: { server }, value: status === "connected" ? 1 : 0 })),
  },
  {
    name: "toolroom_gateway_sessions",
    type: "gauge",
    help: "Sessions of MCP clients in memory.",
    read: (_calls, { gatewaySessions }) => one(gatewaySessions),
  },
  {
    name: "toolroom_live_streams",
    type: "gauge",
    help: "Open pages that receive live events.",
    read: (_calls, { liveStreams }) => one(liveStreams),
  },
  {
    name: "toolroom_copies",
    type: "gauge",
    help: "Living copies of the server on its database, this one included.",
    read: (_calls, { copies }) => one(copies),
  },
  {
    name: "toolroom_copy_lag_seconds",
    type: "gauge",
    help: "Time until what another copy last said was read here.",
    read: (_calls, { instanceLagMs }) => one(instanceLagMs === null ? null : instanceLagMs / 1_000),
  },
  {
    name: "toolroom_jobs_waiting",
    type: "gauge",
    help: "Jobs that wait for their time or for a worker, by kind.",
    read: (_calls, gauges) => perKind(gauges, ({ waiting }) => waiting),
  },
  {
    name: "toolroom_jobs_running",
    type: "gauge",
    help: "Jobs in progress, by kind.",
    read: (_calls, gauges) => perKind(gauges, ({ running }) => running),
  },
  {
    name: "toolroom_jobs_failing",
    type: "gauge",
    help: "Jobs whose last run failed and that are retried, by kind; at most 20 of each.",
    read: (_calls, gauges) => perKind(gauges, ({ failures }) => failures.length),
  },
  {
    name: "toolroom_jobs_overdue_seconds",
    type: "gauge",
    help: "Time that the first waiting job is overdue, by kind.",
    read: (_calls, gauges) =>
      perKind(gauges, ({ nextRunAt }) => (nextRunAt === null ? 0 : Math.max(0, (Date.now() - nextRunAt) / 1000))),
  },
  {
    name: "toolroom_database_size_bytes",
    type: "gauge",
    help: "Size of the database file.",
    read: (_calls, { databaseBytes }) => one(databaseBytes),
  },
  {
    name: "toolroom_disk_free_bytes",
    type: "gauge",
    help: "Free space of the disk with the database.",
    read: (_calls, { freeDiskBytes }) => one(freeDiskBytes),
  },
  {
    name: "toolroom_refusing_calls",
    type: "gauge",
    help: "1 while calls are refused, because the database or its disk has a problem.",
    read: (_calls, { isRefusing }) => one(isRefusing ? 1 : 0),
  },
  {
    name: "toolroom_build_info",
    type: "gauge",
    help: "1, with the version as a label.",
    read: (_calls, { version }) => [{ labels: { version }, value: 1 }],
  },
];

/** Renders the metrics in Prometheus' text format. prom-client is loaded by the first request, and measures the process from then on. */
export function createMetricsPage(calls: CallMetrics, readGauges: () => Promise<ServerGauges>) {
  let gauges: Promise<ServerGauges> | null = null;
  async function createRegistry() {
    const { collectDefaultMetrics, Registry } = await import("prom-client");
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    for (const { name, type, help, read } of METRICS) {
      const get = async () => ({ name, type, help, values: read(calls, await (gauges ?? readGauges()), name) });
      // The counts cannot be set in prom-client's own histogram.
      registry.registerMetric({ name, help, get } as never);
    }
    return registry;
  }
  let registry: ReturnType<typeof createRegistry> | null = null;
  return async (): Promise<{ text: string; type: string }> => {
    registry ??= createRegistry();
    const opened = await registry;
    gauges = readGauges();
    const text = await opened.metrics();
    return { text, type: opened.contentType };
  };
}
