import { afterEach, describe, expect, it } from "vitest";
import type { LiveEvent } from "../../../lib/contract/live-event";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { EventBus, EventBusLimits } from "./live-event-bus";

const event = (id: string, status: "running" | "succeeded" = "running"): LiveEvent => ({
  type: "execution",
  execution: { id, toolName: "t", status, source: "console", parentId: null },
});
const progress = (executionId: string, value: number): LiveEvent => ({
  type: "execution_progress",
  executionId,
  progress: value,
  total: 10,
  message: null,
});
const text = (characters: number): LiveEvent => ({
  type: "run_text",
  runId: "r",
  step: 1,
  offset: 0,
  text: "x".repeat(characters),
});

interface Reader {
  messages: { id: string; events: LiveEvent[] }[];
  buffers: Buffer[];
  ended: boolean;
  /** Set to false for a reader that takes nothing more. */
  keepsUp: boolean;
  resume(): void;
  close(): void;
  heard(): LiveEvent[];
}

function read(bus: EventBus, lastEventId: string | null = null): Reader {
  const reader: Reader = {
    messages: [],
    buffers: [],
    ended: false,
    keepsUp: true,
    resume: () => stream?.resume(),
    close: () => stream?.close(),
    heard: () => reader.messages.flatMap(({ events }) => events).filter(({ type }) => type !== "hello"),
  };
  const stream = bus.open(lastEventId, {
    write(buffer) {
      reader.buffers.push(buffer);
      const match = /^id: (.*)\ndata: (.*)\n\n$/.exec(buffer.toString());
      if (match) reader.messages.push({ id: match[1] ?? "", events: JSON.parse(match[2] ?? "[]") as LiveEvent[] });
      return reader.keepsUp;
    },
    end: () => {
      reader.ended = true;
    },
  });
  if (stream === null) throw new Error("The bus is full");
  return reader;
}

/** Until everything published so far was written: events go out together, a moment later. */
async function written(bus: EventBus): Promise<void> {
  const witness = read(bus);
  const mark = event(`mark ${Math.random()}`);
  bus.publish(mark);
  await waitUntil(() => expect(witness.heard()).toContainEqual(mark));
  witness.close();
}

const listIds = (events: LiveEvent[]) =>
  events.flatMap((one) => (one.type === "execution" && !one.execution.id.startsWith("mark") ? [one.execution.id] : []));

/** The guarantees of every implementation of `EventBus`. @param create a bus whose event ids belong to `lifeId` */
export function describeEventBus(create: (lifeId: string, limits: Partial<EventBusLimits>) => EventBus): void {
  const buses: EventBus[] = [];
  afterEach(() => {
    for (const bus of buses.splice(0)) bus.close();
  });

  function openBus(lifeId: string, limits: Partial<EventBusLimits> = {}): EventBus {
    const bus = create(lifeId, limits);
    buses.push(bus);
    return bus;
  }

  describe("live events", () => {
    it("EXE-06 a stream carries what is published while it is open, in order", async () => {
      const bus = openBus("life");
      const reader = read(bus);
      for (const id of ["a", "b", "c"]) bus.publish(event(id));
      await written(bus);
      expect(listIds(reader.heard())).toEqual(["a", "b", "c"]);
      reader.close();
      expect(bus.streamCount).toBe(0);
    });

    it("EXE-06 events that come together go out as one message, encoded once for all streams", async () => {
      const bus = openBus("life");
      const readers = [read(bus), read(bus), read(bus)];
      for (let at = 0; at < 100; at += 1) bus.publish(event(`e${at}`));
      await waitUntil(() => expect(readers[0]?.messages).toHaveLength(2));
      expect(readers[0]?.messages[1]?.events).toHaveLength(100);
      expect(readers[1]?.buffers[1]).toBe(readers[0]?.buffers[1]);
      expect(readers[2]?.buffers[1]).toBe(readers[0]?.buffers[1]);
    });

    it("EXE-06 of progress and of repeated notices only the newest is sent; starts, ends and log lines all are", async () => {
      const bus = openBus("life");
      const reader = read(bus);
      const line: LiveEvent = {
        type: "execution_log",
        executionId: "a",
        line: { atMs: 1, level: "info", message: "step" },
        before: 0,
      };
      const published: LiveEvent[] = [event("a"), progress("a", 1), progress("b", 1), line, { type: "tools" }];
      for (const one of [...published, progress("a", 2), line, { type: "tools" } as const, event("a", "succeeded")]) {
        bus.publish(one);
      }
      await waitUntil(() => expect(reader.messages).toHaveLength(2));
      const expected = [event("a"), progress("b", 1), line, progress("a", 2), line, { type: "tools" }];
      // The same object may be published twice; it is still two log lines.
      expect(reader.messages[1]?.events).toEqual([...expected, event("a", "succeeded")]);
    });

    it("EXE-06 a stream that comes back carries what was missed, without a gap or a repetition", async () => {
      const bus = openBus("life");
      const first = read(bus);
      bus.publish(event("a"));
      await written(bus);
      first.close();
      const lastId = first.messages.at(-1)?.id ?? null;
      bus.publish(event("b"));
      await written(bus);
      bus.publish(event("c"));
      const second = read(bus, lastId);
      bus.publish(event("d"));
      await written(bus);
      expect(listIds(second.heard())).toEqual(["b", "c", "d"]);
    });

    it("EXE-06 a stream that is opened with an earlier position carries what has come since, written or not", async () => {
      const bus = openBus("life");
      bus.publish(event("before"));
      await written(bus);
      const { position } = bus;
      bus.publish(event("written"));
      await written(bus);
      bus.publish(event("unwritten"));
      expect(listIds(read(bus, position).heard())).toEqual(["written", "unwritten"]);
    });

    it("EXE-06 a stream without events can be resumed too: it begins with an id", async () => {
      const bus = openBus("life");
      const { messages } = read(bus);
      expect(messages[0]?.events).toEqual([{ type: "hello" }]);
      bus.publish(event("a"));
      await written(bus);
      expect(listIds(read(bus, messages[0]?.id ?? null).heard())).toEqual(["a"]);
    });

    it("EXE-06 an id of an earlier process, one never issued and one too old are answered with reset", async () => {
      const bus = openBus("two", { keptMessages: 2 });
      for (const id of ["one:5", "two:99", "two:-1", "nonsense", ""]) {
        expect(read(bus, id).heard()).toEqual([{ type: "reset" }]);
      }
      for (let at = 0; at < 5; at += 1) {
        bus.publish(event(`e${at}`));
        await written(bus);
      }
      expect(read(bus, "two:1").heard()).toEqual([{ type: "reset" }]);
    });

    it("EXE-06 what is kept to be replayed is bounded by its size", async () => {
      const bus = openBus("life", { keptBytes: 50_000 });
      for (let at = 0; at < 20; at += 1) {
        bus.publish(text(10_000));
        await written(bus);
      }
      const { messages } = read(bus);
      const count = Number(messages[0]?.id.split(":")[1]);
      expect(read(bus, "life:1").heard()).toEqual([{ type: "reset" }]);
      expect(read(bus, `life:${count - 16}`).heard()).toEqual([{ type: "reset" }]);
      expect(read(bus, `life:${count - 2}`).heard()).not.toContainEqual({ type: "reset" });
    });

    it("EXE-06 a reader that is too slow gets nothing more until it has caught up, then reset", async () => {
      const bus = openBus("life");
      const slow = read(bus);
      slow.keepsUp = false;
      bus.publish(event("a"));
      await written(bus);
      bus.publish(event("b"));
      await written(bus);
      expect(listIds(slow.heard())).toEqual(["a"]);
      slow.keepsUp = true;
      slow.resume();
      expect(slow.heard().at(-1)).toEqual({ type: "reset" });
      bus.publish(event("c"));
      await written(bus);
      expect(listIds(slow.heard())).toEqual(["a", "c"]);
    });

    it("EXE-06 a heartbeat keeps streams open, and ends one whose reader takes nothing", async () => {
      const bus = openBus("life", { heartbeatMs: 10 });
      const reader = read(bus);
      const stuck = read(bus);
      stuck.keepsUp = false;
      bus.publish(event("a"));
      await waitUntil(() => expect(stuck.ended).toBe(true));
      expect(bus.streamCount).toBe(1);
      expect(reader.buffers.some((buffer) => buffer.toString() === ":\n\n")).toBe(true);
      expect(reader.ended).toBe(false);
    });

    it("EXE-06 an event that is nested too deeply for JSON becomes a reset", async () => {
      const bus = openBus("life");
      const reader = read(bus);
      const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
      bus.publish({ ...event("a"), deep } as never);
      await waitUntil(() => expect(reader.heard()).toEqual([{ type: "reset" }]));
    });

    it("EXE-06 no more streams are opened than allowed, and a closed one makes room", () => {
      const bus = openBus("life", { streams: 2 });
      const first = read(bus);
      read(bus);
      const sink = { write: () => true, end: () => undefined };
      expect(bus.open(null, sink)).toBeNull();
      first.close();
      expect(bus.open(null, sink)).not.toBeNull();
    });

    it("TIME-03 closing the bus writes what is left and ends every stream, later ones too", () => {
      const bus = openBus("life");
      const reader = read(bus);
      bus.publish(event("last"));
      bus.close();
      expect(listIds(reader.heard())).toEqual(["last"]);
      expect(reader.ended).toBe(true);
      expect(read(bus).ended).toBe(true);
    });
  });
}
