import { randomFillSync } from "node:crypto";
import type { IdGenerator } from "@opentelemetry/sdk-trace-base";

const POOL_BYTES = 8192;
const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

/** Ids of traces and spans from a pool of random bytes: the SDK puts each together from single random numbers. */
export function createRandomIds(): IdGenerator {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  const take = (bytes: number): string => {
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.toString("hex", used - bytes, used);
  };
  return { generateTraceId: () => take(TRACE_BYTES), generateSpanId: () => take(SPAN_BYTES) };
}
