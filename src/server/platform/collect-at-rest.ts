import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const CHECK_MS = 5_000;
/** The event loop is busy for less than this part of a check's time when nothing but timers runs. */
const REST_UTILIZATION = 0.05;
/** The number of consecutive checks at rest before a collection. */
const RESTING_CHECKS = 2;
/** A heap that grew by less is left alone: a collection stops the process for about 1 ms per MB that stays. */
const WORTH_BYTES = 32 * 1024 * 1024;

export interface RestReadings {
  /** The busy part of the event loop's time since the last reading, 0 to 1. */
  utilization(): number;
  /** The memory that the JavaScript heap has reserved, in bytes. */
  heapBytes(): number;
  collect(): void;
}

/**
 * Collects garbage once the server rests after work. V8 collects as it allocates, so memory of a finished load would
 * stay reserved for as long as little is allocated: 414 MB after 35,000 calls, a minute later 417.
 * @returns a function that stops it
 */
export function collectAtRest({ utilization, heapBytes, collect }: RestReadings = createReadings()): () => void {
  let restingChecks = 0;
  let collectedBytes = 0;
  let again = false;
  const timer = setInterval(() => {
    restingChecks = utilization() < REST_UTILIZATION ? restingChecks + 1 : 0;
    if (restingChecks < RESTING_CHECKS) return;
    const hasGrown = heapBytes() >= collectedBytes + WORTH_BYTES;
    if (!hasGrown && !again) return;
    collect();
    collectedBytes = heapBytes();
    // V8 keeps many pages that a collection has emptied until the next one: 151 MB of heap for 99 in use, then 102.
    again = hasGrown;
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/** The percent by which the heap may outgrow what a collection left. V8's own limit, up to 300, let 70 MB grow to 300. */
const HEAP_GROWTH_PERCENT = 60;

/** Limits how far the heaps of this process and of its later threads grow between collections. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}

/** The readings of this process. */
export function createReadings(): RestReadings {
  // The flag counts for contexts that are made after it, so the function stays out of the reach of other code.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  let last = performance.eventLoopUtilization();
  return {
    utilization: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    heapBytes: () => process.memoryUsage().heapTotal,
    collect,
  };
}
