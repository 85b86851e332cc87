const MINUTE_MS = 60_000;
/** Callers and tools; the one that was not called for longest is forgotten first, and read again when it is called. */
const MAX_KEYS = 10_000;
/** The limit of counted calls of one caller and tool. */
export const MAX_COUNTED_CALLS = 10_000;
/** Calls that run, or wait for a decision about edited arguments. */
const MAX_NOTED_IDS = 10_000;

/** The call whose predecessors are counted. */
export interface CountingCall {
  executionId: string;
  actorId: string;
  toolName: string;
  /** Epoch milliseconds. */
  at: number;
}

/** The calls in the minutes before one call; calls at its own moment count too. */
export type CountCalls = (minutes: number) => number;

/** Calls of the execution log. */
export interface CountedCallReader {
  /** Whether other processes make calls too, so that each call reads them. */
  readonly isShared: boolean;
  /** The newest calls of the caller and the tool after a moment and until the call, without the call itself: ascending, at most `MAX_COUNTED_CALLS`. */
  readTimes(call: CountingCall, after: number): Promise<number[]>;
}

/** Calls by caller and tool in the last minutes, for `count`. */
export interface CallCounts {
  /** @param minutes the largest window that a rule in whose scope the call is asks for; without a promise where nothing has to be read */
  open(call: CountingCall, minutes: number): CountCalls | Promise<CountCalls>;
  /** Counts a call that has been decided, once. @param minutes the largest window of all rules */
  note(call: CountingCall, minutes: number): void;
  /** Called when no rule counts calls: they are no longer noted. */
  forget(): void;
}

/** The calls of one caller and tool. */
interface KnownCalls {
  /** Ascending epoch milliseconds. */
  times: number[];
  /** The time since which all calls are known. */
  since: number;
}

const toKey = ({ actorId, toolName }: CountingCall): string => `${actorId}\n${toolName}`;

/** @param reader absent where calls are not stored */
export function createCallCounts(reader?: CountedCallReader): CallCounts {
  const known = new Map<string, KnownCalls>();
  const reading = new Map<string, Promise<void>>();
  const notedAt = new Map<string, number>();

  /** The calls that this process has seen; null where it does not know all of the window. */
  function find(call: CountingCall, after: number): KnownCalls | null {
    const calls = known.get(toKey(call));
    return calls === undefined || calls.since > after ? null : calls;
  }

  function keep(key: string, calls: KnownCalls): void {
    known.delete(key);
    known.set(key, calls);
    if (known.size > MAX_KEYS) known.delete(known.keys().next().value as string);
  }

  /** Adds stored calls to the known ones, which stay since the newest may not be stored yet. */
  async function fill(call: CountingCall, after: number, { readTimes }: CountedCallReader): Promise<void> {
    const key = toKey(call);
    // Reads later calls too: from then on, all of them are known.
    const times = await readTimes({ ...call, at: Number.MAX_SAFE_INTEGER }, after);
    const calls = known.get(key);
    if (calls === undefined) keep(key, { times, since: after });
    else {
      const { since } = calls;
      const newer = calls.times.filter((at) => at > since);
      keep(key, {
        times: mergeTimes(
          times.filter((at) => at <= since),
          newer,
        ),
        since: after,
      });
    }
  }

  async function openFilled(call: CountingCall, after: number, from: CountedCallReader): Promise<CountCalls> {
    const key = toKey(call);
    // Calls at the same moment wait for one read.
    while (find(call, after) === null) {
      const current = reading.get(key);
      if (current !== undefined) {
        await current;
        continue;
      }
      const read = fill(call, after, from).finally(() => reading.delete(key));
      reading.set(key, read);
      await read;
    }
    return count(call);
  }

  /** Calls of this process that are not stored yet are in memory, those of the others in the log: neither has fewer than there are of its own. */
  async function openShared(call: CountingCall, after: number, from: CountedCallReader): Promise<CountCalls> {
    if (!known.has(toKey(call))) keep(toKey(call), { times: [], since: call.at });
    const times = await from.readTimes(call, after);
    const own = count(call);
    return (minutes) => Math.max(countWithin(times, call.at, minutes), own(minutes));
  }

  /** A call does not count itself: not when it is decided again, and not for what is evaluated after it was noted. */
  const count =
    (call: CountingCall): CountCalls =>
    (minutes) => {
      const all = countWithin(known.get(toKey(call))?.times ?? [], call.at, minutes);
      const own = notedAt.get(call.executionId);
      const isOwnIn = own !== undefined && own <= call.at && own > call.at - minutes * MINUTE_MS;
      return isOwnIn ? Math.max(all - 1, 0) : all;
    };

  return {
    forget() {
      if (known.size > 0) known.clear();
      if (notedAt.size > 0) notedAt.clear();
    },

    open(call, minutes) {
      const after = call.at - minutes * MINUTE_MS;
      if (reader?.isShared === true) return openShared(call, after, reader);
      if (find(call, after) !== null) return count(call);
      if (reader !== undefined) return openFilled(call, after, reader);
      keep(toKey(call), { times: known.get(toKey(call))?.times ?? [], since: after });
      return count(call);
    },

    note(call, minutes) {
      const key = toKey(call);
      const calls = known.get(key);
      // A call of a caller and a tool that no rule counts: it is read once one does.
      if (calls === undefined || notedAt.has(call.executionId)) return;
      const { times } = calls;
      const { at, executionId } = call;
      notedAt.set(executionId, at);
      if (notedAt.size > MAX_NOTED_IDS) notedAt.delete(notedAt.keys().next().value as string);
      keep(key, calls);
      times.push(at);
      if (times.length > 1 && at < (times[times.length - 2] ?? at)) times.sort((left, right) => left - right);
      const first = findFirstAfter(times, at - minutes * MINUTE_MS);
      // Dropped in larger parts, since each drop moves all others.
      if (first > times.length / 2 || times.length > MAX_COUNTED_CALLS) {
        times.splice(0, Math.max(first, times.length - MAX_COUNTED_CALLS));
        calls.since = Math.max(calls.since, at - minutes * MINUTE_MS);
      }
    },
  };
}

function mergeTimes(left: readonly number[], right: readonly number[]): number[] {
  return [...left, ...right].sort((one, other) => one - other).slice(-MAX_COUNTED_CALLS);
}

/** Counts ascending times in the minutes before a moment; those of the moment itself count. */
function countWithin(times: readonly number[], at: number, minutes: number): number {
  return findFirstAfter(times, at) - findFirstAfter(times, at - minutes * MINUTE_MS);
}

/** The position of the first time after a moment. */
export function findFirstAfter(times: readonly number[], moment: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) > moment) high = middle;
    else low = middle + 1;
  }
  return low;
}
