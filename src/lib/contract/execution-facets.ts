import { type CallClass, toOutcomeCounts } from "./call-class";

/** The lower bound of a bucket; its upper bound is that of the next one. The last bucket has no upper bound. */
type Buckets<Name extends string> = Readonly<Record<Name, number>>;

/** The values of the filters `client` and `definition` for calls that have none. */
export const NO_CLIENT = "(none)";
export const NO_DEFINITION = "none";

/** Ranges of the duration in milliseconds. */
export const DURATION_BUCKETS = {
  under_10ms: 0,
  from_10ms: 10,
  from_100ms: 100,
  from_1s: 1_000,
  from_10s: 10_000,
  from_60s: 60_000,
} as const satisfies Buckets<string>;
export type DurationBucket = keyof typeof DURATION_BUCKETS | "none";
/** `none` means that the tool did not run. */
export const DURATION_NAMES = [
  "under_10ms",
  "from_10ms",
  "from_100ms",
  "from_1s",
  "from_10s",
  "from_60s",
  "none",
] as const;

/** Ranges of the stored result in bytes. */
export const SIZE_BUCKETS = {
  under_1kib: 0,
  from_1kib: 1_024,
  from_10kib: 10_240,
  from_100kib: 102_400,
  from_1mib: 1_048_576,
} as const satisfies Buckets<string>;
export type SizeBucket = keyof typeof SIZE_BUCKETS | "none";
/** `none` means that there is no result. */
export const SIZE_NAMES = ["under_1kib", "from_1kib", "from_10kib", "from_100kib", "from_1mib", "none"] as const;

/** The ends of a bucket: from the first one on, and below the second one, which is infinite for the last. */
export function getBucketEnds(buckets: Buckets<string>, name: string): readonly [from: number, below: number] {
  const names = Object.keys(buckets);
  const next = names[names.indexOf(name) + 1];
  return [buckets[name] ?? 0, next === undefined ? Number.POSITIVE_INFINITY : (buckets[next] ?? 0)];
}

export function findBucket<Name extends string>(buckets: Buckets<Name>, value: number | null): Name | "none" {
  if (value === null) return "none";
  const names = Object.keys(buckets) as Name[];
  return names.findLast((name) => value >= buckets[name]) ?? names[0] ?? "none";
}

/** The dimensions by which the calls of a list are counted. The names are those of the filters. */
export const FACET_NAMES = [
  ...(["tool", "server", "toolset", "client", "actor", "status", "source", "kind"] as const),
  ...(["errorKind", "tag", "duration", "size"] as const),
] as const;
export type FacetName = (typeof FACET_NAMES)[number];

export interface FacetValue {
  value: string;
  count: number;
}

/** How many calls have each value, under every other filter of the list. */
export interface FacetCounts {
  /** Values with most calls first; calls without a value are left out. */
  values: FacetValue[];
  /** Counting stopped before the oldest call: each value has at least its count. */
  more: boolean;
}

/** @param counts those of the facet `status` are by class */
export function toFacetCounts(
  facet: FacetName | "ownTool",
  counts: ReadonlyMap<string, number>,
  isWhole: boolean,
): FacetCounts {
  const values = [...(facet === "status" ? toOutcomeCounts(counts) : counts)].map(([value, count]) => ({
    value,
    count,
  }));
  values.sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1));
  return { values, more: !isWhole };
}

export type ExecutionFacets = Record<FacetName, FacetCounts>;

/** The calls of one step of time by class. Percentiles are of the durations of finished calls. */
export interface TimelinePoint extends Record<Exclude<CallClass, "running" | "waiting">, number> {
  /** The first instant of the step, epoch milliseconds. */
  at: number;
  calls: number;
  /** The sum of `FAILED_CLASSES`. */
  failed: number;
  /** Running, or waiting for a user. */
  open: number;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
}

/** The calls of a list over time, in at most 60 steps. */
export interface ExecutionTimeline {
  /** Oldest first, without gaps. None where no call matches. */
  points: TimelinePoint[];
  /** The end of the last step, exclusive. */
  end: number;
  /** Counting stopped early: older calls exist that no step contains. */
  more: boolean;
}
