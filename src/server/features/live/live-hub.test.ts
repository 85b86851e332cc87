import { describe, expect, it } from "vitest";
import type { LiveEvent } from "../../../lib/contract";
import { createLiveHub, type IdentifiedEvent, type LiveHub } from "./live-hub";

const event = (id: string): LiveEvent => ({
  type: "execution",
  execution: { id, toolName: "t", status: "running", source: "console", parentId: null },
});

const LIMITS = { keptEvents: 2000, keptCharacters: 1e7, queuedEvents: 5000, queuedCharacters: 1e7 };
const long = (characters: number): LiveEvent => ({
  ...{ type: "run_text", runId: "r", step: 1, offset: 0 },
  text: "x".repeat(characters),
});

async function take(hub: LiveHub, lastEventId: string | null, count: number): Promise<IdentifiedEvent[]> {
  const controller = new AbortController();
  const taken: IdentifiedEvent[] = [];
  for await (const next of hub.listen(lastEventId, controller.signal)) {
    if (next.event.type === "hello") continue;
    taken.push(next);
    if (taken.length === count) break;
  }
  return taken;
}

describe("live events", () => {
  it("EXE-06 a listener hears what is published while it listens, in order, each with its own id", async () => {
    const hub = createLiveHub("life");
    const heard = take(hub, null, 3);
    for (const id of ["a", "b", "c"]) hub.publish(event(id));
    const events = await heard;
    expect(events.map((e) => (e.event as { execution: { id: string } }).execution.id)).toEqual(["a", "b", "c"]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
    expect(hub.listeners).toBe(0);
  });

  it("EXE-06 a listener that comes back hears what it missed, without a gap or a repetition", async () => {
    const hub = createLiveHub("life");
    const first = take(hub, null, 1);
    hub.publish(event("a"));
    const [seen] = await first;
    hub.publish(event("b"));
    hub.publish(event("c"));
    const missed = take(hub, seen?.id ?? null, 3);
    hub.publish(event("d"));
    expect((await missed).map((e) => (e.event as { execution: { id: string } }).execution.id)).toEqual(["b", "c", "d"]);
  });

  it("EXE-06 an id of another life, or one too old, is answered with reset", async () => {
    const hub = createLiveHub("two");
    hub.publish(event("a"));
    expect((await take(hub, "one:5", 1))[0]?.event).toEqual({ type: "reset" });
    for (let i = 0; i < 4100; i += 1) hub.publish(event(`e${i}`));
    expect((await take(hub, "two:1", 1))[0]?.event).toEqual({ type: "reset" });
  });

  it("EXE-06 a listener that heard nothing yet can come back too: it was given an id when it began", async () => {
    const hub = createLiveHub("life");
    const controller = new AbortController();
    const { value: hello } = await hub.listen(null, controller.signal).next();
    controller.abort();
    hub.publish(event("a"));
    const [missed] = await take(hub, hello?.id ?? null, 1);
    expect(missed?.event).toEqual(event("a"));
  });

  it("EXE-06 a listener that stalls keeps a bounded queue and is told to read everything again", async () => {
    const hub = createLiveHub("life");
    const controller = new AbortController();
    const listening = hub.listen(null, controller.signal);
    await listening.next();
    const stalled = listening.next();
    hub.publish(event("first"));
    await stalled;
    for (let i = 0; i < 20_000; i += 1) hub.publish(event(`e${i}`));
    const heard: string[] = [];
    for (let i = 0; i < 1; i += 1) heard.push((await listening.next()).value?.event.type ?? "");
    expect(heard).toEqual(["reset"]);
    controller.abort();
  });

  it("EXE-06 what is kept for tabs that come back is bounded by its size too", async () => {
    const hub = createLiveHub("life", { ...LIMITS, keptCharacters: 100_000 });
    const first = take(hub, null, 1);
    hub.publish(event("a"));
    const [seen] = await first;
    for (let i = 0; i < 8; i += 1) hub.publish(long(10_000));
    expect(await take(hub, seen?.id ?? null, 8)).toHaveLength(8);
    for (let i = 0; i < 8; i += 1) hub.publish(long(10_000));
    expect((await take(hub, seen?.id ?? null, 1))[0]?.event).toEqual({ type: "reset" });
    expect(await take(hub, "life:14", 3)).toHaveLength(3);
    // One that is larger than everything together is not kept at all.
    hub.publish(long(200_000));
    expect((await take(hub, "life:16", 1))[0]?.event).toEqual({ type: "reset" });
  });

  it("EXE-06 the queue of a listener that stalls is bounded by its size too", async () => {
    const hub = createLiveHub("life", { ...LIMITS, queuedCharacters: 100_000 });
    const controller = new AbortController();
    const listening = hub.listen(null, controller.signal);
    const hear = async () => (await listening.next()).value?.event.type;
    expect(await hear()).toBe("hello");
    for (let i = 0; i < 8; i += 1) hub.publish(long(10_000));
    expect(await hear()).toBe("run_text");
    for (let i = 0; i < 8; i += 1) hub.publish(long(10_000));
    expect(await hear()).toBe("reset");
    hub.publish(event("after"));
    expect(await hear()).toBe("execution");
    controller.abort();
  });

  it("EXE-06 a listener that comes back to more than its queue may hold reads everything again", async () => {
    const hub = createLiveHub("life", { ...LIMITS, queuedCharacters: 100_000 });
    for (let i = 0; i < 20; i += 1) hub.publish(long(10_000));
    expect((await take(hub, "life:0", 1))[0]?.event).toEqual({ type: "reset" });
    expect(await take(hub, "life:15", 5)).toHaveLength(5);
  });

  it("EXE-06 a listener that ends is forgotten, also while it waits", async () => {
    const hub = createLiveHub("life");
    const controller = new AbortController();
    const ended = (async () => {
      for await (const { event: heard } of hub.listen(null, controller.signal)) expect(heard.type).toBe("hello");
      return "ended";
    })();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(hub.listeners).toBe(1);
    controller.abort();
    expect(await ended).toBe("ended");
    expect(hub.listeners).toBe(0);
  });
});
