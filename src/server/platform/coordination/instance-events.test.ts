import { describe, expect, it, onTestFinished } from "vitest";
import type { LiveEvent } from "../../../lib/contract/live-event";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { HAS_POSTGRES } from "../db/postgres/scratch-postgres.test-support";
import { createInstanceEvents } from "./instance-events";
import { createEventBus, type EventBus } from "./live-event-bus";
import { openInstances, type TestInstance } from "./postgres/coordination-copies.test-support";

const event = (id: string): LiveEvent => ({
  type: "execution",
  execution: { id, toolName: "t", status: "running", source: "console", parentId: null },
});

async function openBus({ bulletin, copies }: TestInstance, life: string): Promise<EventBus> {
  const events = createInstanceEvents(bulletin, copies);
  const bus = createEventBus(life, {}, events.exchange);
  await events.meet();
  onTestFinished(() => bus.close());
  return bus;
}

async function openBuses(count: number) {
  const opened = await openInstances(count);
  const buses: EventBus[] = [];
  for (const [at, copy] of opened.copies.entries()) buses.push(await openBus(copy, `bus${at + 1}`));
  const [first, second] = buses;
  if (first === undefined || second === undefined) throw new Error("Two buses at least");
  return { ...opened, first, second };
}

function read(bus: EventBus, lastEventId: string | null, reader?: { id: string; role: "viewer" | "admin" }) {
  const heard: string[] = [];
  const ids: string[] = [];
  const sink = {
    write(buffer: Buffer) {
      const [, id, data] = /^id: (.*)\ndata: (.*)\n\n$/.exec(buffer.toString()) ?? [];
      ids.push(id ?? "");
      for (const one of JSON.parse(data ?? "[]") as LiveEvent[]) {
        if (one.type === "execution") heard.push(one.execution.id);
        else if (one.type !== "hello") heard.push(one.type);
      }
      return true;
    },
    end: () => undefined,
  };
  const stream = bus.open(lastEventId, sink, reader);
  return { heard, ids, close: () => stream?.close() };
}

describe.skipIf(!HAS_POSTGRES)("live events of several instances", () => {
  it("EXE-06 reach the streams of all instances once, in the order of each, with their audience; listeners are called at the origin alone", async () => {
    const { first, second } = await openBuses(2);
    const listened: string[][] = [[], []];
    for (const [at, bus] of [first, second].entries()) bus.listen(({ type }) => void listened[at]?.push(type));
    const here = read(first, null);
    const there = read(second, null);
    const bob = read(second, null, { id: "bob", role: "viewer" });
    first.publish(event("a"), ["ada"]);
    await waitUntil(() => there.heard.length === 1);
    first.publish(event("b"));
    await waitUntil(() => there.heard.length === 2 && here.heard.length === 2);
    second.publish(event("c"));
    await waitUntil(() => there.heard.length === 3 && here.heard.length === 3);
    expect([here.heard, there.heard, bob.heard]).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c"],
      ["b", "c"],
    ]);
    expect(listened).toEqual([["execution", "execution"], ["execution"]]);
  });

  it("EXE-06 a stream continues at another instance without a gap or a repetition, and so does a page that another instance rendered", async () => {
    const { first, second } = await openBuses(2);
    const before = read(first, null);
    first.publish(event("a"));
    second.publish(event("b"));
    await waitUntil(() => before.heard.length === 2);
    before.close();
    const { position } = first;
    first.publish(event("c"));
    second.publish(event("d"));
    const again = read(second, before.ids.at(-1) ?? null);
    const page = read(second, position);
    await waitUntil(() => again.heard.length === 2 && page.heard.length === 2);
    second.publish(event("e"));
    await waitUntil(() => again.heard.length === 3);
    expect(again.heard.toSorted()).toEqual(["c", "d", "e"]);
    await waitUntil(() => page.heard.length === 3);
    expect(page.heard.toSorted()).toEqual(["c", "d", "e"]);
  });

  it("EXE-06 a stream that is ahead of the instance it comes to does not get again what it has", async () => {
    const { first, second } = await openBuses(2);
    const before = read(first, null);
    const witness = read(second, null);
    first.publish(event("a"));
    await waitUntil(() => before.heard.length === 1);
    // At the other instance it may not have arrived.
    const again = read(second, before.ids.at(-1) ?? null);
    first.publish(event("b"));
    await waitUntil(() => again.heard.includes("b") && witness.heard.length === 2);
    expect(again.heard).toEqual(["b"]);
  });

  it("EXE-06 an instance that starts later continues streams of the others from then on, and answers earlier ids with reset", async () => {
    const { first, second, open } = await openBuses(2);
    const before = read(first, null);
    first.publish(event("a"));
    second.publish(event("b"));
    await waitUntil(() => before.heard.length === 2);
    const third = await openBus(await open(), "bus3");
    const latest = before.ids.at(-1) ?? null;
    expect(read(third, latest).heard).toEqual([]);
    expect(read(third, before.ids[0] ?? null).heard).toEqual(["reset"]);
    const atFirst = read(first, third.position);
    const atThird = read(third, first.position);
    third.publish(event("c"));
    await waitUntil(() => atFirst.heard.length === 1 && atThird.heard.length === 1);
    expect([atFirst.heard, atThird.heard]).toEqual([["c"], ["c"]]);
  });
});
