import { expect, it } from "vitest";
import { createRandomIds, readContext } from "./trace-context";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

it("reads a context as peers write it, alike with and without a state", () => {
  const plain = readContext({ traceparent: `00-${TRACE}-${SPAN}-01` });
  expect(plain).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true });
  const { traceState, ...stated } = readContext({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: "a=1" }) ?? {};
  expect(stated).toEqual(plain);
  expect(traceState?.serialize()).toBe("a=1");
  expect(readContext({ traceparent: `01-${TRACE}-${SPAN}-01-more` })).toEqual(plain);
});

it.each([
  `00-${TRACE}-${SPAN}`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`.replace("0AF", "0AG"),
  `00-${TRACE}-${SPAN}-01-more`,
  7,
])("takes no context from %s", (traceparent) => {
  expect(readContext({ traceparent })).toBeUndefined();
});

it("takes no context that a carrier inherits", () => {
  expect(readContext(Object.create({ traceparent: `00-${TRACE}-${SPAN}-01` }))).toBeUndefined();
});

it("makes ids of the right length, none twice", () => {
  const ids = createRandomIds();
  const made = Array.from({ length: 2000 }, () => [ids.generateTraceId(), ids.generateSpanId()]);
  expect(made.every(([trace, span]) => /^[0-9a-f]{32}$/.test(trace ?? "") && /^[0-9a-f]{16}$/.test(span ?? ""))).toBe(
    true,
  );
  expect(new Set(made.flat()).size).toBe(4000);
});
