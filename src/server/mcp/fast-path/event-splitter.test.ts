import { describe, expect, it } from "vitest";
import { EventSplitter, formatEvent, type StreamEvent } from "./event-splitter";

function split(chunks: Buffer[], splitter = new EventSplitter()): StreamEvent[] {
  const events: StreamEvent[] = [];
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const { event, end } = splitter.next(chunk, at);
      at = end;
      if (event !== null) events.push(event);
    }
  }
  return events;
}

const NONE = { data: null, event: null, id: null, retry: null };
const STREAM =
  '\uFEFF: hello\n\nid: 1\r\nretry: 50\r\ndata:\r\n\r\ndata: {"a":\ndata:"grüße"}\n\nevent: message\rdata: x\r\r';
const EVENTS = [
  { ...NONE, id: "1", retry: "50", data: "" },
  { ...NONE, data: '{"a":\n"grüße"}' },
  { ...NONE, event: "message", data: "x" },
];

describe("a stream of events", () => {
  it("is split at each kind of line break", () => {
    expect(split([Buffer.from(STREAM)])).toEqual(EVENTS);
  });

  it("is split the same way however its bytes are cut", () => {
    const bytes = Buffer.from(STREAM);
    for (const size of [1, 2, 3, 7]) {
      const chunks = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(split(chunks)).toEqual(EVENTS);
    }
  });

  it("counts the bytes of an event that does not end", () => {
    const splitter = new EventSplitter();
    expect(split([Buffer.from("data: 1\n\ndata: "), Buffer.from("x".repeat(100))], splitter)).toHaveLength(1);
    expect(splitter.pendingBytes).toBe(106);
    expect(split([Buffer.from("\n\n")], splitter)).toHaveLength(1);
    expect(splitter.pendingBytes).toBe(0);
  });

  it("gives no event for comments alone, nor for an event that the stream's end cuts off", () => {
    expect(split([Buffer.from(": keep-alive\n\nevent: ping\n\ndata: half\n")])).toEqual([]);
  });

  it("is the same stream when its events are written again", () => {
    expect(split([Buffer.from(EVENTS.map(formatEvent).join(""))])).toEqual(EVENTS);
  });
});
