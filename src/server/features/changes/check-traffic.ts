import { setImmediate } from "node:timers/promises";
import { isPlainObject } from "../../../lib/contract/json";
import { equalJson } from "../../../lib/json/equal-json";
import type {
  ChangedEntries,
  CheckCalls,
  CheckedCall,
  RecordedCall,
  TrafficChecker,
} from "../../engine/changes/traffic-ports";
import type { CallHead, TrafficPart, TrafficStore } from "./traffic-store";
import { type CheckedTraffic, TrafficTally } from "./traffic-tally";

/** Rows that one statement reads: a few milliseconds. */
const HEADS_AT_ONCE = 400;
/** Texts that are read and sent to the thread at once. */
const MAX_BATCH_BYTES = 384 * 1024;
const MAX_BATCH_CALLS = 400;
/** Longer texts are not checked. */
const MAX_CALL_BYTES = 1024 * 1024;
/** Calls of tests and evals are numerous and alike. */
const MAX_SUITE_CALLS = 2_000;
/** Calls in a row that are older than the window: rows are about in order of time. */
const OLD_IN_A_ROW = 400;

export interface TrafficWindow {
  /** The newest calls of each tool at most. */
  calls: number;
  /** Epoch milliseconds; null for all time. */
  since: number | null;
}

interface TrafficRequest {
  /** The server's name of the tool, and its name in executions. */
  tool: string;
  catalogName: string;
  entries: ChangedEntries;
  window: TrafficWindow;
  signal?: AbortSignal | undefined;
}

interface TrafficPorts {
  store: TrafficStore;
  checker: Pick<TrafficChecker, "prepare">;
  now: () => number;
}

export type CheckTraffic = (request: TrafficRequest) => Promise<CheckedTraffic>;

/** Checks the recorded calls of one tool by a change of it, and makes no call. The next batch is read while one is checked. */
export function createTrafficChecks({ store, checker, now }: TrafficPorts): CheckTraffic {
  return async ({ tool, catalogName, entries, window, signal }) => {
    const to = now();
    const checkCalls = checker.prepare(toSchemas(entries));
    const withResults = showsResults(entries);
    const checkPart = async (part: TrafficPart, calls: number): Promise<CheckedTraffic> => {
      const tally = new TrafficTally();
      const read = { store, catalogName, part, withResults };
      const complete = await checkWindow(read, { calls, since: window.since }, checkCalls, tally, signal);
      return tally.toVerdict({ tool, from: window.since ?? 0, to, complete });
    };
    const clients = await checkPart("clients", window.calls);
    const suites = await checkPart("suites", Math.min(window.calls, MAX_SUITE_CALLS));
    const { total, broken } = suites.verdict;
    return {
      verdict: { ...clients.verdict, suites: { total, broken } },
      brokenIds: [...clients.brokenIds, ...suites.brokenIds],
    };
  };
}

interface ReadTraffic {
  store: TrafficStore;
  catalogName: string;
  part: TrafficPart;
  withResults: boolean;
}

/** @returns whether every call of the window was checked */
async function checkWindow(
  read: ReadTraffic,
  window: TrafficWindow,
  checkCalls: CheckCalls,
  tally: TrafficTally,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let pending: Promise<void> = Promise.resolve();
  let complete = true;
  for await (const { heads, isLast } of readWindow(read, window)) {
    signal?.throwIfAborted();
    complete = isLast;
    for (const batch of takeBatches(heads)) {
      const calls = await readCalls(read, batch);
      await pending;
      pending = checkBatch(checkCalls, calls, tally);
      // SQLite answers synchronously, so other requests run in between.
      await setImmediate();
    }
  }
  await pending;
  return complete;
}

/** The parts of entries that decide; a description may be a megabyte. */
function toSchemas({ before, after }: ChangedEntries): ChangedEntries {
  const pick = (entry: unknown) =>
    isPlainObject(entry) ? { inputSchema: entry.inputSchema, outputSchema: entry.outputSchema } : entry;
  return { before: pick(before), after: pick(after) };
}

function showsResults({ before, after }: ChangedEntries): boolean {
  if (!isPlainObject(before) || !isPlainObject(before.outputSchema) || !isPlainObject(after)) return false;
  return !equalJson(before.outputSchema, after.outputSchema);
}

async function* readWindow(
  { store, catalogName, part }: ReadTraffic,
  { calls, since }: TrafficWindow,
): AsyncGenerator<{ heads: CallHead[]; isLast: boolean }> {
  let below = Number.MAX_SAFE_INTEGER;
  let left = calls;
  let old = 0;
  for (;;) {
    const read = await store.heads(catalogName, part, below, HEADS_AT_ONCE);
    const within = read.filter(({ queuedAt }) => since === null || queuedAt >= since);
    old = within.length === 0 ? old + read.length : 0;
    const heads = within.slice(0, left);
    left -= heads.length;
    const ended = read.length < HEADS_AT_ONCE || old >= OLD_IN_A_ROW;
    yield { heads, isLast: ended && heads.length === within.length };
    if (ended || left <= 0) return;
    below = read.at(-1)?.seq ?? 0;
  }
}

/** Few calls with long texts are a separate batch. */
function* takeBatches(heads: readonly CallHead[]): Generator<CallHead[]> {
  let batch: CallHead[] = [];
  let bytes = 0;
  for (const head of heads) {
    if (batch.length === MAX_BATCH_CALLS || (batch.length > 0 && bytes + head.bytes > MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(head);
    bytes += head.bytes;
  }
  if (batch.length > 0) yield batch;
}

interface ReadCall {
  head: CallHead;
  /** Null for a call that is too long to check, or was deleted since the list was read. */
  call: RecordedCall | null;
  isCut: boolean;
}

async function readCalls(
  { store, catalogName, part, withResults }: ReadTraffic,
  batch: readonly CallHead[],
): Promise<ReadCall[]> {
  const first = batch[0];
  const last = batch.at(-1);
  if (first === undefined || last === undefined) return [];
  if (batch.length === 1 && first.bytes > MAX_CALL_BYTES) return [{ head: first, call: null, isCut: withResults }];
  const texts = await store.texts(catalogName, part, { first: first.seq, last: last.seq }, withResults);
  const bySeq = new Map(texts.map((text) => [text.seq, text]));
  return batch.flatMap((head) => {
    const text = bySeq.get(head.seq);
    if (text === undefined) return [];
    const { argumentsText, resultText } = text;
    const wasRefused = head.errorKind === "invalid_arguments" || head.errorKind === "malformed_arguments";
    const isCut = withResults && Number(head.resultTruncated) === 1;
    return [{ head, call: { argumentsText, resultText, wasRefused }, isCut }];
  });
}

async function checkBatch(checkCalls: CheckCalls, read: readonly ReadCall[], tally: TrafficTally): Promise<void> {
  const calls = read.flatMap(({ call }) => call ?? []);
  const checked = calls.length === 0 ? [] : await checkCalls(calls);
  let next = 0;
  for (const { head, call, isCut } of read) {
    const verdict = call === null || checked === "undecidable" ? UNDECIDABLE : (checked[next++] ?? null);
    tally.add(head, verdict);
    if (isCut) tally.addCutResult();
  }
}

const UNDECIDABLE: CheckedCall = { class: "undecidable", reasons: [], ignored: [], fields: null };
