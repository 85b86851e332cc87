import { describe, expect, it } from "vitest";
import { DEFAULT_RESPONSE_LIMITS } from "../engine/agent/chat-ports";
import { limitBody } from "./limit-body";

const MIB = 1024 * 1024;
/** Bodies up to 4 MiB. */
const LIMITS = { ...DEFAULT_RESPONSE_LIMITS, maxResponseBytes: MIB };

/** Gives the chunk again and again; counts how often it was asked for. */
function endless(chunk: string): { body: ReadableStream<Uint8Array>; read: () => number; cancelled: () => boolean } {
  const bytes = new TextEncoder().encode(chunk);
  const state = { reads: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      state.reads += 1;
      controller.enqueue(bytes);
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return { body, read: () => state.reads, cancelled: () => state.cancelled };
}

const typed = (type: string) => ({ headers: { "content-type": type } });

describe("limitBody", () => {
  it.each(["application/json", "text/html", "text/event-stream", "application/x-ndjson"])(
    "fails and closes the connection where %s has no end",
    async (type) => {
      const { body, read, cancelled } = endless("x".repeat(MIB));
      const reading = limitBody(new Response(body, typed(type)), LIMITS).text();
      await expect(reading).rejects.toMatchObject({ kind: "response_too_large" });
      expect(read()).toBeLessThan(10);
      expect(cancelled()).toBe(true);
    },
  );

  it.each([
    ["text/event-stream", `data: ${"x".repeat(MIB)}\n\n`],
    ["text/event-stream", `data: ${"x".repeat(MIB)}\r\n\r\n`],
    ["text/event-stream", `data: ${"x".repeat(MIB)}\r\r`],
    ["Text/Event-Stream; charset=utf-8", `data: ${"x".repeat(MIB)}\n\n`],
    ["application/x-ndjson", `${"x".repeat(MIB)}\n`],
    ["application/x-ndjson", `${"x".repeat(MIB)}\r\n`],
  ])("a stream of %s may be longer than one event may be", async (type, event) => {
    const bytes = new TextEncoder().encode(event.repeat(12));
    const text = await limitBody(new Response(bytes, typed(type)), LIMITS).text();
    expect(text).toHaveLength(bytes.length);
  });

  it.each(["\n", "\r\n", "\r"])("many lines of one event count together where they end with %j", async (lineEnd) => {
    const { body } = endless(`data: ${"x".repeat(1000)}${lineEnd}`);
    const reading = limitBody(new Response(body, typed("text/event-stream")), LIMITS).text();
    await expect(reading).rejects.toMatchObject({ kind: "response_too_large" });
  });

  it.each([
    ["text/event-stream", "data: 1\n\ndata: 2\n\n"],
    ["application/x-ndjson", "1\n2\n"],
  ])("an event without an end is counted from where it began in a chunk of %s", async (type, whole) => {
    const begun = "x".repeat(MIB);
    const read = (tail: string) => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const text of [`${whole}${begun}`, begun, begun, tail])
            controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        },
      });
      return limitBody(new Response(body, typed(type)), LIMITS).text();
    };
    await expect(read("x".repeat(MIB))).resolves.toHaveLength(whole.length + 4 * MIB);
    await expect(read("x".repeat(MIB + 1))).rejects.toMatchObject({ kind: "response_too_large" });
  });

  it("a stream of small events has an end too", async () => {
    const { body } = endless(`: ping\n\n`.repeat(100_000));
    const reading = limitBody(new Response(body, typed("text/event-stream")), LIMITS);
    let bytes = 0;
    const drain = async () => {
      for await (const chunk of reading.body ?? []) bytes += chunk.byteLength;
    };
    await expect(drain()).rejects.toMatchObject({ kind: "response_too_large" });
    expect(bytes).toBeLessThanOrEqual(64 * MIB);
  });
});
