import { classifyCall, isFailedClass, toOutcomeCounts } from "../../../../lib/contract/call-class";
import type { ExecutionStatus } from "../../../../lib/contract/envelope";
import {
  DURATION_BUCKETS,
  type ExecutionTimeline,
  type FacetCounts,
  findBucket,
  SIZE_BUCKETS,
  type TimelinePoint,
} from "../../../../lib/contract/execution-facets";
import { getKind } from "../../../../lib/contract/execution-kind";
import { LONGEST_TIME_MS, listTimeSteps } from "../../../../lib/format/time-steps";
import type { Clock } from "../../../engine/ports";
import type { SqliteDatabase } from "../../../platform/db/database";
import type { ExecutionAnalysis, StoredFacet, StoredFilter } from "../execution-store";
import { createCallScan } from "./call-scan";
import { DURATION_SQL } from "./execution-statements";

export interface FacetRow {
  toolName: string;
  calledAs: string | null;
  implementationType: string | null;
  serverName: string | null;
  toolset: string | null;
  client: string | null;
  actorId: string;
  status: string;
  source: string;
  errorKind: string | null;
  durationMs: number | null;
  storedBytes: number | null;
}

/** Read from its own index, as lists do: the column is behind long results. */
const CALLED_AS = `(SELECT c."calledAs" FROM "Execution" c INDEXED BY "Execution_called_names"
    WHERE c.seq = "Execution".seq AND c."calledAs" IS NOT NULL)`;
const FACET_COLUMNS: Record<keyof FacetRow, string> = {
  toolName: '"toolName"',
  calledAs: CALLED_AS,
  implementationType: '"implementationType"',
  source: "source",
  serverName: '"serverName"',
  toolset: "toolset",
  client: "client",
  actorId: '"actorId"',
  status: "status",
  errorKind: '"errorKind"',
  durationMs: DURATION_SQL,
  storedBytes: '"storedBytes"',
};

interface Facet {
  columns: readonly (keyof FacetRow)[];
  read: (row: FacetRow) => string | null;
}

const getClass = ({ status, ...call }: Pick<FacetRow, "status" | "errorKind" | "source">) =>
  classifyCall({ ...call, status: status as ExecutionStatus });

const FACETS: Readonly<Record<StoredFacet, Facet>> = {
  // The name that the caller used counts too: see `addNames`.
  tool: { columns: ["toolName", "calledAs"], read: ({ toolName }) => toolName },
  ownTool: { columns: ["toolName"], read: ({ toolName }) => toolName },
  server: { columns: ["serverName"], read: ({ serverName }) => serverName },
  toolset: { columns: ["toolset"], read: ({ toolset }) => toolset },
  client: { columns: ["client"], read: ({ client }) => client && (client.split("/", 1)[0] ?? client) },
  actor: { columns: ["actorId"], read: ({ actorId }) => actorId },
  status: { columns: ["status", "errorKind", "source"], read: getClass },
  source: { columns: ["source"], read: ({ source }) => source },
  kind: { columns: ["implementationType"], read: getKind },
  errorKind: { columns: ["errorKind"], read: ({ errorKind }) => errorKind },
  duration: { columns: ["durationMs"], read: ({ durationMs }) => findBucket(DURATION_BUCKETS, durationMs) },
  size: { columns: ["storedBytes"], read: ({ storedBytes }) => findBucket(SIZE_BUCKETS, storedBytes) },
};

/** The values of each facet with their calls. */
class FacetTally {
  readonly #counts: readonly [StoredFacet, Map<string, number>][];

  constructor(facets: readonly StoredFacet[]) {
    this.#counts = facets.map((facet) => [facet, new Map()]);
  }

  add(row: FacetRow, calls = 1): void {
    for (const [facet, counts] of this.#counts) {
      const value = FACETS[facet].read(row);
      if (value === null) continue;
      counts.set(value, (counts.get(value) ?? 0) + calls);
      const { calledAs } = row;
      if (facet !== "tool" || calledAs === null || calledAs === value) continue;
      counts.set(calledAs, (counts.get(calledAs) ?? 0) + calls);
    }
  }

  result(isWhole: boolean): ReadonlyMap<StoredFacet, FacetCounts> {
    return new Map(this.#counts.map(([facet, counts]) => [facet, toFacetCounts(facet, counts, isWhole)]));
  }
}

/** @param counts those of the facet `status` are by class */
export function toFacetCounts(facet: StoredFacet, counts: ReadonlyMap<string, number>, isWhole: boolean): FacetCounts {
  const values = [...(facet === "status" ? toOutcomeCounts(counts) : counts)].map(([value, count]) => ({
    value,
    count,
  }));
  values.sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1));
  return { values, more: !isWhole };
}

export function createExecutionAnalysis({ raw }: SqliteDatabase, clock: Clock): ExecutionAnalysis {
  const scanCalls = createCallScan(raw);
  return {
    async facetCounts(filter, facets) {
      const columns = new Set(facets.flatMap((facet) => FACETS[facet].columns));
      const tally = new FacetTally(facets);
      const select = [...columns].map((column) => `${FACET_COLUMNS[column]} AS "${column}"`).join(", ");
      const isWhole = await scanCalls<FacetRow>(filter, select, (rows) => {
        for (const row of rows) tally.add(row);
      });
      return tally.result(isWhole);
    },

    async timeline(filter, zone) {
      const columns = `"queuedAt", status, "errorKind", source, ${DURATION_SQL} AS "durationMs"`;
      const found: TimelineRow[] = [];
      const isWhole = await scanCalls<TimelineRow>(filter, columns, (rows) => {
        for (const row of rows) found.push(row);
      });
      const times = { first: Number.POSITIVE_INFINITY, last: 0 };
      for (const { queuedAt } of found) {
        times.first = Math.min(times.first, queuedAt);
        times.last = Math.max(times.last, queuedAt);
      }
      const tally = createTimelineTally(toSteps(filter, isWhole, times, zone, clock.now()));
      for (const row of found) tally.add(row);
      return tally.result(!isWhole);
    },
  };
}

export interface TimelineRow {
  queuedAt: number;
  status: string;
  errorKind: string | null;
  source: string;
  durationMs: number | null;
}

type Steps = ReturnType<typeof listTimeSteps>;

/** Returns steps from the start of the filter's range to its end or now. They start at the first call read if not all were, or the range is longer than `LONGEST_TIME_MS`. */
export function toSteps(
  { since, until }: StoredFilter,
  isWhole: boolean,
  { first, last }: { first: number; last: number },
  zone: string,
  now: number,
): Steps {
  if (last === 0) return { starts: [], end: 0 };
  const end = Math.max(Math.min(until ?? now, now), last);
  const from = isWhole && since !== undefined && end - since <= LONGEST_TIME_MS ? since : first;
  return listTimeSteps(from, end, zone);
}

/** The nearest-rank percentile of values in ascending order; null for none. */
function percentile(ascending: readonly number[], share: number): number | null {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? null;
}

export const NO_CALLS = {
  calls: 0,
  succeeded: 0,
  failed: 0,
  error: 0,
  timedOut: 0,
  interrupted: 0,
  invalid: 0,
  consoleInvalid: 0,
  rejected: 0,
  cancelled: 0,
  open: 0,
};

/** Calls by step of time and class. */
function createTimelineTally({ starts, end }: Steps) {
  const steps = starts.map((at) => ({ at, ...NO_CALLS, durations: [] as number[] }));

  function add({ queuedAt, durationMs, ...call }: TimelineRow): void {
    const step = steps[findStep(starts, queuedAt)];
    if (step === undefined || queuedAt >= end) return;
    const of = getClass(call);
    step.calls += 1;
    step[of === "running" || of === "waiting" ? "open" : of] += 1;
    if (isFailedClass(of)) step.failed += 1;
    if ((of === "succeeded" || isFailedClass(of)) && durationMs !== null) step.durations.push(durationMs);
  }

  const toPoint = ({ durations, ...counts }: (typeof steps)[number]): TimelinePoint => {
    durations.sort((left, right) => left - right);
    const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => percentile(durations, share));
    return { ...counts, p50Ms: p50Ms ?? null, p95Ms: p95Ms ?? null, p99Ms: p99Ms ?? null };
  };
  const result = (more: boolean): ExecutionTimeline => ({ points: steps.map(toPoint), end, more });
  return { add, result };
}

/** The last step that begins at an instant or before it; -1 for none. */
function findStep(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
