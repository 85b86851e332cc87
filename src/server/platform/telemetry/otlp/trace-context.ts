import { randomFillSync } from "node:crypto";
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type TextMapGetter,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import type { IdGenerator } from "@opentelemetry/sdk-trace-base";
import { isPlainObject } from "../../../../lib/contract/json";

/** Version 00 of a `traceparent`, with ids that are not all zeros. */
const PLAIN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const POOL_BYTES = 8192;
const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
const propagator = new W3CTraceContextPropagator();

/** Values that are no text, and keys that the object inherits, count as absent. */
const getter: TextMapGetter<Record<string, unknown>> = {
  keys: Object.keys,
  get(carrier, key) {
    const value = Object.hasOwn(carrier, key) ? carrier[key] : undefined;
    return typeof value === "string" ? value : undefined;
  },
};

/** The context of a peer in `_meta` or in headers; undefined where there is none, or a malformed one. */
export function readContext(carrier: unknown): SpanContext | undefined {
  if (!isPlainObject(carrier) || typeof carrier.traceparent !== "string") return undefined;
  // A context as most peers write it: the propagator takes as long as the start of a span.
  const plain = carrier.tracestate === undefined ? PLAIN.exec(carrier.traceparent) : null;
  if (plain !== null && Object.hasOwn(carrier, "traceparent")) {
    const [, traceId = "", spanId = "", flags = ""] = plain;
    return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  }
  const found = trace.getSpanContext(propagator.extract(ROOT_CONTEXT, carrier, getter));
  return found !== undefined && isSpanContextValid(found) ? found : undefined;
}

/** The parent that is handed to `startSpan`: no context manager is registered, which would slow every promise down. */
export function toParent(spanContext: SpanContext | undefined): Context {
  return spanContext === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext);
}

/** `_meta` with the context of this span in place of the caller's. */
export function withContext(meta: unknown, span: Span): Record<string, unknown> {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const { tracestate: _, ...kept } = isPlainObject(meta) ? meta : {};
  const state = traceState?.serialize() ?? "";
  return {
    ...kept,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    ...(state === "" ? {} : { tracestate: state }),
  };
}

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
