import { type CallFacts, getCallKind, getClass, getDuration, getWait, isCounted, isOpen } from "./call-facts";
import {
  DAY_MS,
  HOUR_MS,
  hasMinute,
  largest,
  MINUTE_MS,
  NO_BUCKETS,
  type StatisticChange,
  type StatisticKey,
} from "./count-facts";
import { DIMENSIONS, type Minutes, STORED_DIMENSIONS } from "./dimensions";
import { type BucketChanges, toBucket } from "./histogram";

/** The common fields of a group's rows, for any time. */
interface Group extends Omit<StatisticKey, "span" | "start"> {
  minutes: Minutes;
}

/** The figures of one call. */
interface Figures {
  seq: number;
  durationMs: number | null;
  bytes: number | null;
  duration: number | null;
  wait: number | null;
  size: number | null;
}

type RowsOfTime = Map<Group, StatisticChange>;

const addBucket = (counts: BucketChanges, bucket: number, by: number): BucketChanges => {
  const own = counts === NO_BUCKETS ? new Map<number, number>() : counts;
  return own.set(bucket, (own.get(bucket) ?? 0) + by);
};

function addBuckets(counts: BucketChanges, added: BucketChanges): BucketChanges {
  let own = counts;
  for (const [bucket, count] of added) own = addBucket(own, bucket, count);
  return own;
}

const getBucket = (value: number | null): number | null => (value === null ? null : toBucket(value));

/**
 * Adds up the calls of a rebuild by the rows of statistics that they are in. It takes a tenth of the time of `countFacts`, whose work is
 * that of each different call: which groups calls are in is found once for all that are alike, and days are the sums of their hours.
 */
export class RebuildTally {
  /** Groups by the fields that determine the groups of a call. */
  readonly #alike = new Map<string, readonly Group[]>();
  readonly #groups = new Map<string, Group>();
  readonly #minutes = new Map<number, RowsOfTime>();
  readonly #hours = new Map<number, RowsOfTime>();
  readonly #days = new Map<number, RowsOfTime>();
  #size = 0;
  #queue: StatisticChange[] = [];
  #written = 0;

  constructor(readonly now: number) {}

  /** Rows of statistics by minute and hour that were added and not taken. */
  get size(): number {
    return this.#size;
  }

  add(facts: readonly CallFacts[]): void {
    for (const each of facts) if (isCounted(each) && !isOpen(each)) this.#addCall(each);
  }

  /** The next rows to write, at most so many; none where all are written. */
  next(most: number): readonly StatisticChange[] {
    if (this.#written === this.#queue.length) this.#fillQueue();
    return this.#queue.slice(this.#written, this.#written + most);
  }

  /** Drops rows that `next` returned, after they were written. */
  drop(rows: readonly StatisticChange[]): void {
    this.#written += rows.length;
    for (const row of rows) if (row.span === HOUR_MS / MINUTE_MS) this.#addToDay(row);
  }

  #fillQueue(): void {
    const times = this.#size > 0 ? [this.#minutes, this.#hours] : [this.#days];
    this.#queue = times.flatMap((rows) => listByGroup(rows.values()));
    if (this.#size === 0) this.#days.clear();
    this.#size = 0;
    this.#written = 0;
    // The number of names of tools and programs has no limit, so they are kept for one part of the calls only.
    for (const each of [this.#alike, this.#minutes, this.#hours]) each.clear();
    if (this.#queue.length === 0) this.#groups.clear();
  }

  #addCall(facts: CallFacts): void {
    const minute = Math.floor(facts.queuedAt / MINUTE_MS) * MINUTE_MS;
    const hour = Math.floor(minute / HOUR_MS) * HOUR_MS;
    const durationMs = getDuration(facts);
    const figures: Figures = {
      seq: facts.seq,
      durationMs,
      bytes: facts.storedBytes,
      duration: getBucket(durationMs),
      wait: getBucket(getWait(facts)),
      size: getBucket(facts.storedBytes),
    };
    for (const group of this.#findGroups(facts)) {
      addFigures(this.#findRow(this.#hours, HOUR_MS, hour, group), figures);
      if (hasMinute(group.minutes, minute, this.now)) {
        addFigures(this.#findRow(this.#minutes, MINUTE_MS, minute, group), figures);
      }
    }
  }

  #findGroups(facts: CallFacts): readonly Group[] {
    const key = JSON.stringify([
      facts.toolName,
      facts.actorId,
      facts.source,
      facts.serverName,
      facts.client,
      facts.toolset,
      facts.definitionHash,
      facts.implementationType,
      facts.status,
      facts.errorKind,
    ]);
    const known = this.#alike.get(key);
    if (known !== undefined) return known;
    const made = STORED_DIMENSIONS.flatMap((dimension): Group[] => {
      const { group, minutes } = DIMENSIONS[dimension];
      const found = group(facts);
      if (found === null) return [];
      const errorKind = facts.errorKind ?? "";
      const own = { dimension, ...found, kind: getCallKind(facts), class: getClass(facts), errorKind, minutes };
      return [this.#internGroup(own)];
    });
    this.#alike.set(key, made);
    return made;
  }

  #internGroup(group: Group): Group {
    const key = [group.dimension, group.value, group.detail, group.kind, group.class, group.errorKind].join("\0");
    const known = this.#groups.get(key) ?? group;
    this.#groups.set(key, known);
    return known;
  }

  #findRow(times: Map<number, RowsOfTime>, spanMs: number, start: number, group: Group): StatisticChange {
    let rows = times.get(start);
    if (rows === undefined) {
      rows = new Map();
      times.set(start, rows);
    }
    const known = rows.get(group);
    if (known !== undefined) return known;
    const made = createRow(group, spanMs, start);
    rows.set(group, made);
    if (times !== this.#days) this.#size += 1;
    return made;
  }

  #addToDay(row: StatisticChange): void {
    const day = this.#findRow(this.#days, DAY_MS, Math.floor(row.start / DAY_MS) * DAY_MS, this.#toGroup(row));
    day.calls += row.calls;
    day.firstSeq = Math.min(day.firstSeq, row.firstSeq);
    day.lastSeq = Math.max(day.lastSeq, row.lastSeq);
    day.longestMs = largest(day.longestMs, row.longestMs);
    day.largestBytes = largest(day.largestBytes, row.largestBytes);
    day.durations = addBuckets(day.durations, row.durations);
    day.waits = addBuckets(day.waits, row.waits);
    day.sizes = addBuckets(day.sizes, row.sizes);
  }

  #toGroup({ dimension, value, detail, kind, class: of, errorKind }: StatisticChange): Group {
    return this.#internGroup({ dimension, value, detail, kind, class: of, errorKind, minutes: "none" });
  }
}

/** Rows of a group are neighbors in the index of groups: in the order of time, a transaction would change a page of it for each row. */
function listByGroup(times: Iterable<RowsOfTime>): StatisticChange[] {
  const byGroup = new Map<Group, StatisticChange[]>();
  for (const rows of times) {
    for (const [group, row] of rows) {
      const known = byGroup.get(group);
      if (known === undefined) byGroup.set(group, [row]);
      else known.push(row);
    }
  }
  return [...byGroup.values()].flat();
}

function createRow(group: Group, spanMs: number, start: number): StatisticChange {
  return {
    span: spanMs / MINUTE_MS,
    dimension: group.dimension,
    start,
    value: group.value,
    detail: group.detail,
    kind: group.kind,
    class: group.class,
    errorKind: group.errorKind,
    calls: 0,
    firstSeq: Number.MAX_SAFE_INTEGER,
    lastSeq: 0,
    longestMs: null,
    largestBytes: null,
    durations: NO_BUCKETS,
    waits: NO_BUCKETS,
    sizes: NO_BUCKETS,
  };
}

function addFigures(row: StatisticChange, { seq, durationMs, bytes, duration, wait, size }: Figures): void {
  row.calls += 1;
  row.firstSeq = Math.min(row.firstSeq, seq);
  row.lastSeq = Math.max(row.lastSeq, seq);
  row.longestMs = largest(row.longestMs, durationMs);
  row.largestBytes = largest(row.largestBytes, bytes);
  if (duration !== null) row.durations = addBucket(row.durations, duration, 1);
  if (wait !== null) row.waits = addBucket(row.waits, wait, 1);
  if (size !== null) row.sizes = addBucket(row.sizes, size, 1);
}
