import { describe, expect, it } from "vitest";
import { readEventLists } from "./event-lists";

async function readLists(chunks: string[]): Promise<{ lists: number[][]; fault: unknown }> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of chunks) controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
  const lists: number[][] = [];
  try {
    const parse = ({ event, data }: { event: string | null; data: string | null }) =>
      event === "ping" ? null : (JSON.parse(data ?? "") as number);
    for await (const list of readEventLists(new Response(body), parse)) lists.push(list);
    return { lists, fault: null };
  } catch (fault) {
    return { lists, fault };
  }
}

describe("readEventLists", () => {
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
});
