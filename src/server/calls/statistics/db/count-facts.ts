import { type CallFacts, getCallKind, getClass, getDuration, getWait } from "./call-facts";
import { DIMENSIONS, type Minutes, STORED_DIMENSIONS, type StoredDimension } from "./dimensions";
import { type BucketChanges, changeBucket } from "./histogram";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Older minutes are not written where they are kept for two days only, and younger ones than these are read. */
const WRITTEN_MINUTES_MS = 2 * DAY_MS;
export const READ_MINUTES_MS = 26 * HOUR_MS;
export const KEPT_MINUTES_MS = WRITTEN_MINUTES_MS + 2 * HOUR_MS;

/** Returns true if rows by minute are written for a minute. */
export const hasMinute = (minutes: Minutes, minute: number, now: number): boolean =>
  minutes === "kept" || (minutes === "recent" && minute >= now - WRITTEN_MINUTES_MS);

/** Shared by all rows without such a figure; never changed. */
export const NO_BUCKETS: BucketChanges = new Map();

/** A call that was added to the log (1), or taken from it (-1). */
export interface FactChange {
  facts: CallFacts;
  sign: 1 | -1;
}

/** The values that calls of one row of statistics share. */
export interface StatisticKey {
  /** Minutes of the time that it covers. */
  span: number;
  dimension: StoredDimension;
  /** Epoch milliseconds: where its time begins. */
  start: number;
  value: string;
  detail: string;
  kind: string;
  class: string;
  errorKind: string;
}

/** A change of a row of statistics. */
export interface StatisticChange extends StatisticKey {
  calls: number;
  firstSeq: number;
  lastSeq: number;
  longestMs: number | null;
  largestBytes: number | null;
  durations: BucketChanges;
  waits: BucketChanges;
  sizes: BucketChanges;
}

type Sums = Omit<StatisticChange, keyof StatisticKey>;

const createSums = (seq: number): Sums => ({
  calls: 0,
  firstSeq: seq,
  lastSeq: seq,
  longestMs: null,
  largestBytes: null,
  durations: new Map(),
  waits: new Map(),
  sizes: new Map(),
});

export const largest = (one: number | null, other: number | null): number | null =>
  one === null || (other !== null && other > one) ? other : one;

/** Calls that are in the same row of every dimension. */
interface Profile extends Sums {
  facts: CallFacts;
  minute: number;
}

/** Rows of statistics by their keys. */
export type ChangedRows = Map<string, StatisticChange>;

/** Adds calls up to what each row of statistics changes by. Its cost is that of the different calls, not of all. */
export function countFacts(changes: Iterable<FactChange>, now: number): StatisticChange[] {
  const rows: ChangedRows = new Map();
  const profiles = new Profiles();
  for (const { facts, sign } of changes) profiles.add(facts, sign);
  profiles.addTo(rows, now);
  return [...rows.values()];
}

/** Sums of calls with equal facts. */
export class Profiles {
  /** Profiles by tool and user: comparing the few that remain takes less time than making one key of all texts. */
  readonly #known = new Map<string, Map<string, Profile[]>>();

  add(facts: CallFacts, sign: 1 | -1): void {
    const profile = this.#find(facts, Math.floor(facts.queuedAt / MINUTE_MS) * MINUTE_MS);
    profile.calls += sign;
    const duration = getDuration(facts);
    const wait = getWait(facts);
    profile.firstSeq = Math.min(profile.firstSeq, facts.seq);
    profile.lastSeq = Math.max(profile.lastSeq, facts.seq);
    profile.longestMs = largest(profile.longestMs, duration);
    profile.largestBytes = largest(profile.largestBytes, facts.storedBytes);
    if (duration !== null) changeBucket(profile.durations, duration, sign);
    if (wait !== null) changeBucket(profile.waits, wait, sign);
    if (facts.storedBytes !== null) changeBucket(profile.sizes, facts.storedBytes, sign);
  }

  addTo(rows: ChangedRows, now: number): void {
    for (const byUser of this.#known.values()) {
      for (const profiles of byUser.values()) for (const profile of profiles) addProfile(rows, profile, now);
    }
  }

  #find(facts: CallFacts, minute: number): Profile {
    const known = this.#known.get(facts.toolName)?.get(facts.actorId) ?? this.#addUser(facts);
    for (const profile of known) if (profile.minute === minute && areAlike(profile.facts, facts)) return profile;
    const made = { facts, minute, ...createSums(facts.seq) };
    known.push(made);
    return made;
  }

  #addUser({ toolName, actorId }: CallFacts): Profile[] {
    const byUser = this.#known.get(toolName) ?? new Map<string, Profile[]>();
    const profiles: Profile[] = [];
    this.#known.set(toolName, byUser.set(actorId, profiles));
    return profiles;
  }
}

/** Whether two calls of a tool, a user and a minute are in the same row of every dimension. */
const areAlike = (one: CallFacts, other: CallFacts): boolean =>
  one.status === other.status &&
  one.source === other.source &&
  one.serverName === other.serverName &&
  one.client === other.client &&
  one.toolset === other.toolset &&
  one.definitionHash === other.definitionHash &&
  one.errorKind === other.errorKind &&
  one.implementationType === other.implementationType;

function addProfile(rows: ChangedRows, profile: Profile, now: number): void {
  const { facts, minute } = profile;
  const kind = getCallKind(facts);
  const of = getClass(facts);
  const errorKind = facts.errorKind ?? "";
  const ending = `\0${kind}\0${of}\0${errorKind}`;
  for (const dimension of STORED_DIMENSIONS) {
    const { group, minutes } = DIMENSIONS[dimension];
    const found = group(facts);
    if (found === null) continue;
    const { value, detail } = found;
    for (const span of hasMinute(minutes, minute, now) ? [MINUTE_MS, HOUR_MS, DAY_MS] : [HOUR_MS, DAY_MS]) {
      const start = Math.floor(minute / span) * span;
      const key = `${span}\0${start}\0${dimension}\0${value}\0${detail}${ending}`;
      let row = rows.get(key);
      if (row === undefined) {
        const identity = { span: span / MINUTE_MS, dimension, start, value, detail, kind, class: of, errorKind };
        row = { ...identity, ...createSums(profile.firstSeq) };
        rows.set(key, row);
      }
      addSums(row, profile);
    }
  }
}

function addSums(row: Sums, sums: Sums): void {
  row.calls += sums.calls;
  row.firstSeq = Math.min(row.firstSeq, sums.firstSeq);
  row.lastSeq = Math.max(row.lastSeq, sums.lastSeq);
  row.longestMs = largest(row.longestMs, sums.longestMs);
  row.largestBytes = largest(row.largestBytes, sums.largestBytes);
  for (const [from, to] of [
    [sums.durations, row.durations],
    [sums.waits, row.waits],
    [sums.sizes, row.sizes],
  ] as const) {
    for (const [bucket, count] of from) to.set(bucket, (to.get(bucket) ?? 0) + count);
  }
}
