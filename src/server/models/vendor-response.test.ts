import { describe, expect, it } from "vitest";
import { DEFAULT_RESPONSE_LIMITS } from "../engine/agent/chat-ports";
import { IncompleteResponseError } from "./vendor-error";
import { readJson, readStream } from "./vendor-response";

function createStream(chunks: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of chunks) controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

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

type Format = "events" | "lines";

/** Reads a stream to its end; returns the number of its events. */
async function drain(body: BodyInit, format: Format): Promise<number> {
  let events = 0;
  for await (const list of readStream(new Response(body), { format, limits: LIMITS }, () => true))
    events += list.length;
  return events;
}

describe("readStream and readJson", () => {
  it("fail and close the connection where a body has no end", async () => {
    for (const read of [readJson, ...(["events", "lines"] as const)]) {
      const { body, read: reads, cancelled } = endless("x".repeat(MIB));
      const reading = typeof read === "string" ? drain(body, read) : read(new Response(body), LIMITS);
      await expect(reading).rejects.toMatchObject({ kind: "response_too_large" });
      expect(reads()).toBeLessThan(10);
      expect(cancelled()).toBe(true);
    }
  });

  it.each<[Format, string]>([
    ["events", `data: ${"x".repeat(MIB)}\n\n`],
    ["events", `data: ${"x".repeat(MIB)}\r\n\r\n`],
    ["events", `data: ${"x".repeat(MIB)}\r\r`],
    ["lines", `${"x".repeat(MIB)}\n`],
    ["lines", `${"x".repeat(MIB)}\r\n`],
  ])("a stream of %s may be longer than one of them may be", async (format, event) => {
    expect(await drain(event.repeat(12), format)).toBe(12);
  });

  it.each(["\n", "\r\n", "\r"])("many lines of one event count together where they end with %j", async (lineEnd) => {
    const { body } = endless(`data: ${"x".repeat(1000)}${lineEnd}`);
    await expect(drain(body, "events")).rejects.toMatchObject({ kind: "response_too_large" });
  });

  it.each<[Format, string]>([
    ["events", "data: 1\n\ndata: 2\n\n"],
    ["lines", "1\n2\n"],
  ])("what has no end is counted from where it began in a chunk of %s", async (format, whole) => {
    const begun = "1".repeat(MIB);
    const read = (tail: string) => drain(createStream([`${whole}${begun}`, begun, begun, tail]), format);
    await expect(read("1".repeat(MIB))).resolves.toBeGreaterThanOrEqual(2);
    await expect(read("1".repeat(MIB + 1))).rejects.toMatchObject({ kind: "response_too_large" });
  });

  it("a stream of small events has an end too", async () => {
    const { body, read } = endless(`: ping\n\n`.repeat(100_000));
    await expect(drain(body, "events")).rejects.toMatchObject({ kind: "response_too_large" });
    expect(read()).toBeLessThan((65 * MIB) / 800_000);
  });
});

describe("readStream", () => {
  async function readLists(chunks: string[], format: Format = "events") {
    const lists: number[][] = [];
    try {
      const parse = ({ event, data }: { event: string | null; data: string | null }) =>
        event === "ping" ? null : (JSON.parse(data ?? "") as number);
      const response = new Response(createStream(chunks));
      for await (const list of readStream(response, { format, limits: LIMITS }, parse)) lists.push(list);
      return { lists, fault: null };
    } catch (fault) {
      return { lists, fault };
    }
  }

  it("gives the events of one chunk in one list, and one that two chunks share with the second", async () => {
    const { lists, fault } = await readLists(["data: 1\n\ndata: 2\n\nda", "ta: 3\n\n", "data: 4\n\n"]);
    expect(lists).toEqual([[1, 2], [3], [4]]);
    expect(fault).toBeNull();
  });

  it("gives no list for a chunk without an event to keep", async () => {
    expect((await readLists([": hello\n\n", "event: ping\ndata: {}\n\n", "data: 1\n\n"])).lists).toEqual([[1]]);
  });

  it("gives what came before an event that is refused, and then fails", async () => {
    const { lists, fault } = await readLists(["data: 1\n\ndata: broken\n\ndata: 2\n\n", "data: 3\n\n"]);
    expect(lists).toEqual([[1]]);
    expect(fault).toBeInstanceOf(SyntaxError);
  });

  it("takes a last line without its end, and tells one that is cut", async () => {
    expect((await readLists(["1\n", "2"], "lines")).lists).toEqual([[1], [2]]);
    expect((await readLists(['1\n{"a":'], "lines")).fault).toBeInstanceOf(IncompleteResponseError);
  });
});
