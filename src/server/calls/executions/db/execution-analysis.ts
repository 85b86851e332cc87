import { type CallClass, classifyCall, isFailedClass } from "../../../../lib/contract/call-class";
import type { ExecutionStatus } from "../../../../lib/contract/envelope";
import {
  type ExecutionTimeline,
  type FacetCounts,
  SIZE_BUCKETS,
  type TimelinePoint,
  toFacetCounts,
} from "../../../../lib/contract/execution-facets";
import { getKind } from "../../../../lib/contract/execution-kind";
import { LONGEST_TIME_MS, listTimeSteps } from "../../../../lib/format/time-steps";
import type { Clock } from "../../../engine/ports";
import type { SqliteDatabase } from "../../../platform/db/database";
import type { ExecutionAnalysis, StoredFacet, StoredFilter } from "../execution-store";
import { createCallScan } from "./call-scan";
import { DURATION_SQL } from "./execution-statements";
import { DURATION_BUCKET, toBucketName } from "./unindexed-conditions";

interface FacetRow {
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
  /** Names of the duration's and the size's buckets. */
  duration: string;
  size: string;
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
  duration: DURATION_BUCKET,
  size: toBucketName('"storedBytes"', SIZE_BUCKETS),
};

interface Facet {
  columns: readonly (keyof FacetRow)[];
  read: (row: FacetRow) => string | null;
}

const getClass = ({ status, ...call }: Pick<FacetRow, "status" | "errorKind" | "source">) =>
  classifyCall({ ...call, status: status as ExecutionStatus });

const FACETS: Readonly<Record<StoredFacet, Facet>> = {
  // The name that the caller used counts as a name of the tool too: see `addNames`.
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
  duration: { columns: ["duration"], read: ({ duration }) => duration },
  size: { columns: ["size"], read: ({ size }) => size },
};

/** The values of each facet with their calls. */
class FacetTally {
  readonly #counts: readonly [StoredFacet, Map<string, number>][];

  constructor(facets: readonly StoredFacet[]) {
    this.#counts = facets.map((facet) => [facet, new Map()]);
  }

  add(row: FacetRow, calls: number): void {
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

export function createExecutionAnalysis({ raw }: SqliteDatabase, clock: Clock): ExecutionAnalysis {
  const scanCalls = createCallScan(raw);
  return {
    async facetCounts(filter, facets, effort) {
      const names = [...new Set(facets.flatMap((facet) => FACETS[facet].columns))];
      // Calls with the same values are one text: a row of objects takes several times as long.
      const columns = `json_array(${names.map((name) => FACET_COLUMNS[name]).join(", ")})`;
      const alike = new Map<string, number>();
      const visit = (rows: readonly string[]): void => {
        for (const row of rows) alike.set(row, (alike.get(row) ?? 0) + 1);
      };
      const isWhole = await scanCalls<string>(filter, { columns, shape: "values", visit }, effort);
      const tally = new FacetTally(facets);
      for (const [text, calls] of alike) {
        const values: unknown[] = JSON.parse(text);
        tally.add(Object.fromEntries(names.map((name, at) => [name, values[at]])) as unknown as FacetRow, calls);
      }
      return tally.result(isWhole);
    },

    async timeline(filter, zone, effort) {
      const columns = `"queuedAt", json_array(status, "errorKind", source), ${DURATION_SQL}`;
      const found: TimelineRow[] = [];
      const times = { first: Number.POSITIVE_INFINITY, last: 0 };
      const visit = (rows: readonly TimelineRow[]): void => {
        for (const row of rows) {
          found.push(row);
          times.first = Math.min(times.first, row[0]);
          times.last = Math.max(times.last, row[0]);
        }
      };
      const isWhole = await scanCalls<TimelineRow>(filter, { columns, shape: "lists", visit }, effort);
      const tally = createTimelineTally(toSteps(filter, isWhole, times, zone, clock.now()));
      for (const row of found) tally.add(row);
      return tally.result(!isWhole);
    },
  };
}

/** `alike` is the JSON of the fields that determine a call's class. */
type TimelineRow = readonly [queuedAt: number, alike: string, durationMs: number | null];

function parseClass(alike: string): CallClass {
  const [status, errorKind, source] = JSON.parse(alike) as [string, string | null, string];
  return getClass({ status, errorKind, source });
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
  const classes = new Map<string, CallClass>();

  function findClass(alike: string): CallClass {
    const known = classes.get(alike) ?? parseClass(alike);
    classes.set(alike, known);
    return known;
  }

  function add([queuedAt, alike, durationMs]: TimelineRow): void {
    const step = steps[findStep(starts, queuedAt)];
    if (step === undefined || queuedAt >= end) return;
    const of = findClass(alike);
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
