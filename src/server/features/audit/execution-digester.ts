import { setTimeout } from "node:timers/promises";
import type { Marks, StoredExecution } from "./execution-digest";
import type { ExecutionDigestStore } from "./execution-digest-store";

const HOUR_MS = 60 * 60_000;
/** After this time, executions that end at the last moment of an hour are in the database. */
const SETTLE_MS = 60_000;
/** A call that counts as interrupted may still get its real end from the process that ran it. */
const INTERRUPTED_MS = 24 * HOUR_MS;
/** Marks of one digest: 80 KB. */
const MAX_MARKS = 5_000;
/** Reading gives way to other work after this long, and as long again. */
const SLICE_MS = 8;
/** Rows that are read at once: each may hold a result of some megabytes. */
const ROWS_AT_ONCE = 20;

export interface ExecutionDigesterPorts {
  store: ExecutionDigestStore;
  marks: Marks;
  now(): number;
  /** Whether the server stops: the rest is marked after the next start. */
  isStopping(): boolean;
}

/** Marks the executions of hours that are over, in the background. */
export function createExecutionDigester({ store, marks, now, isStopping }: ExecutionDigesterPorts) {
  const hasEnded = ({ status, finishedAt, approval }: StoredExecution): boolean =>
    status !== "running" &&
    status !== "waiting" &&
    approval?.status !== "open" &&
    !(status === "interrupted" && (finishedAt ?? 0) > now() - INTERRUPTED_MS);

  /** @returns whether there is more to mark */
  async function digestPart(hour: number): Promise<boolean> {
    const newest = await store.newest();
    const { seq: follows, toSeq: from, open: left } = newest ?? { seq: 0, toSeq: 0, open: [] };
    const upTo = Math.max(from, await store.lastQueuedBefore(hour));
    if (upTo === from && (newest === null || newest.at >= hour || left.length === 0)) return false;
    const found: Buffer[] = [];
    const open: number[] = [];
    const giveWay = createSlices();
    for (let at = 0; at < left.length; at += ROWS_AT_ONCE) {
      // A call that was deleted before it was marked needs no mark.
      for (const row of await store.read(left.slice(at, at + ROWS_AT_ONCE))) {
        if (hasEnded(row) && found.length < MAX_MARKS) found.push(marks.mark(row));
        else open.push(row.seq);
        await giveWay();
        if (isStopping()) return false;
      }
    }
    open.sort((one, other) => one - other);
    let toSeq = from;
    while (toSeq < upTo && found.length < MAX_MARKS) {
      const rows = await store.readNext(toSeq, upTo, Math.min(ROWS_AT_ONCE, MAX_MARKS - found.length));
      for (const row of rows) {
        if (hasEnded(row)) found.push(marks.mark(row));
        else open.push(row.seq);
        await giveWay();
        if (isStopping()) return false;
      }
      toSeq = rows.at(-1)?.seq ?? upTo;
    }
    const isDone = toSeq >= upTo;
    if (found.length === 0 && toSeq === from) return false;
    const appended = await store.append(follows, {
      kind: "decided_hour",
      at: hour,
      actor: null,
      toSeq,
      open,
      marks: Buffer.concat(found),
    });
    return appended && !isDone;
  }

  return async function digestClosedHours(): Promise<void> {
    const hour = Math.floor((now() - SETTLE_MS) / HOUR_MS) * HOUR_MS;
    while (await digestPart(hour));
  };
}

function createSlices(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < SLICE_MS) return;
    await setTimeout(SLICE_MS);
    begun = performance.now();
  };
}
