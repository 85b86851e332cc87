import type { Role } from "../../../lib/contract/access";
import { isRecordedName } from "../../../lib/contract/agent-endpoint";
import { getKind } from "../../../lib/contract/execution-kind";
import { parseExactParts } from "../../../lib/json/exact-text";
import type { StoredFilter } from "../../calls/executions/execution-store";
import { findFirstAfter } from "../../engine/rules/call-counts";
import type { RuledCall } from "../../engine/rules/decide-call";
import { NOT_RECORDED } from "../../engine/rules/rule-ports";
import { TimeSlice } from "../../engine/time-slice";
import type { ReadParts, RecordedCall, RuleStore, SeqRange } from "./rule-store";

/** The ids of calls whose arguments a reader must not get. */
export type FindHidden = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

/** The reader of recorded calls; without these parts it may read every call. */
export interface CallReader {
  findHidden?: FindHidden | undefined;
  /** Leaves out calls that a filter would reveal by finding them. */
  readableBy?: StoredFilter["readableBy"];
}

export interface RecordedCallPorts {
  store: RuleStore;
  /** The role of a user now; null where it is not known. */
  readRole: (userId: string) => Role | null;
}

export interface CallWalk {
  filter: StoredFilter;
  since: number;
  until: number;
  /** The largest window that a condition counts calls in. */
  countMinutes: number;
  parts: ReadParts;
  maxCalls: number;
  /** Conditions that take long leave older calls out. */
  maxMs: number;
  reader: CallReader;
  signal?: AbortSignal | undefined;
}

/** @param cost US dollars; 0 where costs are not read */
type Visit = (call: RecordedCall, ruled: RuledCall, isHidden: boolean, cost: number) => void | Promise<void>;

const MINUTE_MS = 60_000;
/** Calls that one text search looks for. */
const FOUND_AT_ONCE = 5_000;
/** Numbers that are read at once: some milliseconds. */
const ROWS_AT_ONCE = 500;
/** Their results may be long. */
const RESULTS_AT_ONCE = 100;
/** Long arguments take longer to read: SQLite reads on this thread. */
const FEWEST_AT_ONCE = 25;
const SLOW_READ_MS = 12;
const QUICK_READ_MS = 5;
const TIMES_AT_ONCE = 5_000;
/** Calls of everyone that are counted for `count`; where there are more, it is not known. */
const MAX_TIMES = 500_000;

/** Visits recorded calls as rules read them, the newest first. @returns whether older ones were left out */
export async function walkCalls(
  { store, readRole }: RecordedCallPorts,
  walk: CallWalk,
  visit: Visit,
): Promise<boolean> {
  const { since, until, parts, reader, signal } = walk;
  const end = performance.now() + walk.maxMs;
  const counts = await readCounts(store, since, walk.countMinutes);
  const tags = createTags(store);
  const slice = new TimeSlice();
  const filter = { ...walk.filter, since, until, ...restrict(walk.filter, reader) };
  let visited = 0;
  const mayGoOn = (): boolean => visited < walk.maxCalls && performance.now() < end;
  const size = createPartSize(parts.results ? RESULTS_AT_ONCE : ROWS_AT_ONCE);
  for await (const { seqs, ...range } of listParts(store, filter, { until: end, size })) {
    signal?.throwIfAborted();
    if (!mayGoOn()) return true;
    const begun = performance.now();
    const calls = await store.readCalls(filter, { range, seqs, parts });
    size.note(performance.now() - begun);
    const ids = calls.map(({ id }) => id);
    const hidden = await reader.findHidden?.(ids);
    const costs = parts.costs ? await store.readCosts(ids) : null;
    await tags.read(calls);
    for (const call of calls) {
      signal?.throwIfAborted();
      if (!mayGoOn()) return true;
      visited += 1;
      const isHidden = hidden?.has(call.id) === true;
      const ruled = toStoredCall(call, {
        tags: tags.find(call),
        role: readRole(call.actorId),
        count: (minutes) => counts(call, minutes),
        isHidden,
      });
      await visit(call, ruled, isHidden, costs?.get(call.id) ?? 0);
      await slice.pause();
    }
    await slice.pause();
  }
  // A search that was cut off has no further results.
  return filter.q !== undefined && performance.now() >= end;
}

/** A filter that would reveal a hidden call by finding it leaves such calls out. */
function restrict(filter: StoredFilter, { readableBy }: CallReader): Pick<StoredFilter, "readableBy"> {
  const reveals = filter.q || filter.message || filter.rule || filter.size?.length;
  return reveals && readableBy !== undefined ? { readableBy } : {};
}

/** How many rows are read at once, by the time that the last read took. */
function createPartSize(most: number) {
  let rows = most;
  return {
    get rows(): number {
      return rows;
    },
    note(tookMs: number): void {
      if (tookMs > SLOW_READ_MS) rows = Math.max(Math.floor(rows / 2), FEWEST_AT_ONCE);
      else if (tookMs < QUICK_READ_MS) rows = Math.min(rows * 2, most);
    },
  };
}

interface CallPart extends SeqRange {
  /** Limits the calls to these, where a text was searched for. */
  seqs?: readonly number[];
}

/** The parts in which calls are read, from new to old: by their numbers, or as a text search finds them until a moment. */
async function* listParts(
  store: RuleStore,
  filter: StoredFilter,
  { until, size }: { until: number; size: { readonly rows: number } },
): AsyncGenerator<CallPart> {
  const { above: oldest, upTo: newest } = await store.findRange(filter.since ?? 0);
  const text = filter.q?.trim() ?? "";
  if (text === "") {
    for (let upTo = newest; upTo > oldest; ) {
      const above = Math.max(upTo - size.rows, oldest);
      yield { above, upTo };
      upTo = above;
    }
    return;
  }
  const search = (upTo: number): Promise<number[]> =>
    store.searchCalls(filter, { range: { above: oldest, upTo }, limit: FOUND_AT_ONCE, until });
  for (let upTo = newest, searched = search(newest); ; ) {
    const found = await searched;
    const next = found.length < FOUND_AT_ONCE ? null : (found.at(-1) ?? 0) - 1;
    // A database server continues the search while these are evaluated.
    if (next !== null) searched = search(next);
    searched.catch(() => undefined);
    for (let at = 0; at < found.length; ) {
      const seqs = found.slice(at, at + size.rows);
      yield { above: oldest, upTo, seqs };
      at += seqs.length;
    }
    if (next === null || next <= oldest) return;
    upTo = next;
  }
}

/** A recorded call as rules read it. */
export function toStoredCall(
  call: RecordedCall,
  known: Pick<RuledCall, "tags" | "role" | "count"> & { isHidden: boolean },
): RuledCall {
  const { argumentsText } = call;
  let args: unknown = NOT_RECORDED;
  let isRead = known.isHidden || argumentsText === null;
  return {
    toolName: call.toolName,
    serverName: call.serverName,
    toolset: call.toolset,
    tags: known.tags,
    actor: { id: call.actorId, name: call.actorName },
    role: known.role,
    tokenId: call.tokenId,
    client: call.client,
    source: call.source,
    stored: true,
    kind: isRecordedName(call.toolName, call.serverName) ? "agent" : getKind(call),
    canWait: true,
    at: call.queuedAt,
    readArguments() {
      if (!isRead) {
        args = parseStored(argumentsText ?? "");
        isRead = true;
      }
      return args;
    },
    count: known.count,
  };
}

function parseStored(text: string): unknown {
  try {
    return parseExactParts(text);
  } catch {
    return NOT_RECORDED;
  }
}

function createTags(store: RuleStore) {
  const known = new Map<string, readonly string[]>();
  return {
    async read(calls: readonly RecordedCall[]): Promise<void> {
      const hashes = new Set(calls.flatMap(({ definitionHash }) => definitionHash ?? []));
      const missing = [...hashes].filter((hash) => !known.has(hash));
      if (missing.length === 0) return;
      for (const [hash, tags] of await store.readTags(missing)) known.set(hash, tags);
    },
    find: ({ definitionHash }: RecordedCall): readonly string[] => known.get(definitionHash ?? "") ?? [],
  };
}

type Count = (call: RecordedCall, minutes: number) => number | null;

/** The calls before each call, by caller and tool, from the execution log. */
async function readCounts(store: RuleStore, since: number, minutes: number): Promise<Count> {
  if (minutes === 0) return () => null;
  const range = await store.findRange(since - minutes * MINUTE_MS);
  if (range.upTo - range.above > MAX_TIMES) return () => null;
  const byKey = new Map<string, { seqs: number[]; times: number[] }>();
  const toKey = ({ actorId, toolName }: { actorId: string; toolName: string }) => `${actorId}\n${toolName}`;
  const slice = new TimeSlice();
  for (let { above } = range; above < range.upTo; above += TIMES_AT_ONCE) {
    const part: SeqRange = { above, upTo: Math.min(above + TIMES_AT_ONCE, range.upTo) };
    for (const call of await store.readTimes(part)) {
      const key = toKey(call);
      const known = byKey.get(key) ?? { seqs: [], times: [] };
      byKey.set(key, known);
      known.seqs.push(call.seq);
      known.times.push(call.queuedAt);
    }
    await slice.pause();
  }
  return (call, window) => {
    const { seqs, times } = byKey.get(toKey(call)) ?? { seqs: [], times: [] };
    const first = findFirstAfter(times, call.queuedAt - window * MINUTE_MS);
    return Math.max(findFirstAfter(seqs, call.seq - 1) - first, 0);
  };
}
