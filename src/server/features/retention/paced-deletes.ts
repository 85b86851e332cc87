import { setTimeout } from "node:timers/promises";

/** A batch that took longer is followed by smaller ones: writes of calls wait behind it. */
const TARGET_MS = 20;
/**
 * The cost of a row in a batch. Removing search text takes time by its length, and the entries of a row in the indexes
 * about as much as this many bytes of it. A row that costs more is a batch of its own.
 */
const ROW_COST = 512;
const FIRST_COST = 16 * 1024;
const LEAST_COST = 1024;
const MOST_COST = 1024 * 1024;
const MOST_ROWS = 5_000;
/** The pause after a batch, as a multiple of its time. */
const PAUSE = 2;
const LONGEST_PAUSE_MS = 200;

/** Deletes rows in batches whose size follows the time that they take, with pauses in between. */
export function createPacedDeletes<Row extends { bytes: number }>(
  remove: (rows: readonly Row[]) => Promise<void>,
): (rows: readonly Row[], signal: AbortSignal) => Promise<void> {
  let mostCost = FIRST_COST;

  function takeBatch(rows: readonly Row[], from: number): Row[] {
    let cost = 0;
    const batch: Row[] = [];
    for (const row of rows.slice(from, from + MOST_ROWS)) {
      cost += ROW_COST + row.bytes;
      if (batch.length > 0 && cost > mostCost) break;
      batch.push(row);
    }
    return batch;
  }

  return async (rows, signal) => {
    for (let from = 0; from < rows.length && !signal.aborted; ) {
      const batch = takeBatch(rows, from);
      const begun = performance.now();
      await remove(batch);
      const tookMs = performance.now() - begun;
      from += batch.length;
      if (tookMs < TARGET_MS / 2) mostCost = Math.min(mostCost * 2, MOST_COST);
      else if (tookMs > TARGET_MS) mostCost = Math.max(LEAST_COST, mostCost >> 1);
      await setTimeout(Math.min(tookMs * PAUSE, LONGEST_PAUSE_MS));
    }
  };
}
