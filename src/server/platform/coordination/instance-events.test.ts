import { describe, expect, it, onTestFinished } from "vitest";
import type { LiveEvent } from "../../../lib/contract/live-event";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { HAS_POSTGRES } from "../db/postgres/scratch-postgres.test-support";
import { seededRandom } from "../random-schemas.test-support";
import type { Bulletin } from "./bulletin";
import { createInstanceEvents } from "./instance-events";
import type { Instance } from "./instances";
import { createEventBus, type EventBus } from "./live-event-bus";
import { openInstances, type TestInstance } from "./postgres/coordination-copies.test-support";

/** How long events are passed on after the last stream has closed, in place of a minute. */
const LINGER_MS = 30;
const ROUNDS = 40;

const event = (id: string): LiveEvent => ({
  type: "execution",
  execution: { id, toolName: "t", status: "running", source: "console", parentId: null },
});

async function openBus({ bulletin, copies }: TestInstance, life: string, lingerMs = 60_000): Promise<EventBus> {
  const events = createInstanceEvents({ bulletin, copies, lingerMs });
  const bus = createEventBus(life, {}, events.exchange);
  await events.meet();
  onTestFinished(() => bus.close());
  return bus;
}

async function openBuses(count: number, lingerMs?: number) {
  const opened = await openInstances(count);
  /** The messages with events that an instance has sent to the others. */
  let passed = 0;
  const buses: EventBus[] = [];
  for (const [at, copy] of opened.copies.entries()) {
    const post = copy.bulletin.post.bind(copy.bulletin);
    copy.bulletin.post = (topic, body) => {
      if (topic.name === "e") passed += 1;
      post(topic, body);
    };
    buses.push(await openBus(copy, `bus${at + 1}`, lingerMs));
  }
  const [first, second] = buses;
  if (first === undefined || second === undefined) throw new Error("Two buses at least");
  return {
    ...opened,
    first,
    second,
    buses,
    countPassed: () => passed,
    /** Resolves when events are no longer passed on. Every stream must be closed. */
    untilQuiet: () =>
      waitUntil(async () => {
        const before = passed;
        for (const bus of buses) await publishWritten(bus, { type: "models" });
        return passed === before;
      }),
  };
}

async function publishWritten(bus: EventBus, published: LiveEvent): Promise<void> {
  const { position } = bus;
  bus.publish(published);
  await waitUntil(() => bus.position !== position);
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

it("EXE-06 events reach an instance whose user reads them before the list of instances names it", () => {
  const listeners = new Map<string, (body: unknown, from: string) => unknown>();
  const posted: string[] = [];
  const bulletin = {
    post: (topic: { name: string }) => void posted.push(topic.name),
    on: (topic: { name: string }, listener: (body: unknown, from: string) => unknown) =>
      void listeners.set(topic.name, listener),
    onGap: () => undefined,
    ask: async () => [],
  } as unknown as Bulletin;
  const self = { id: "self" } as Instance;
  const copies = { self, list: () => [self], isLiving: () => false };
  const { exchange } = createInstanceEvents({ bulletin, copies });
  const bus = createEventBus("bus", {}, exchange);
  const message = { life: "bus", number: 1, data: "[]" };
  exchange.pass(message);
  expect(posted).toEqual([]);
  listeners.get("events.reading")?.({ position: bus.position }, "new");
  exchange.pass(message);
  expect(posted).toEqual(["e"]);
  listeners.get("events.reading")?.({ position: null }, "new");
  exchange.pass(message);
  expect(posted).toEqual(["e"]);
  bus.close();
});

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

  it("EXE-06 events cross to other instances only while a stream is open on one, and the first stream receives what was skipped", async () => {
    const { first, second, countPassed, untilQuiet } = await openBuses(2, LINGER_MS);
    const { position } = second;
    for (const id of ["a", "b", "c"]) await publishWritten(first, event(id));
    expect(countPassed()).toBe(0);
    const page = read(second, position);
    await waitUntil(() => page.heard.length === 3);
    expect(page.heard).toEqual(["a", "b", "c"]);
    const { position: seen } = second;
    page.close();
    await untilQuiet();
    first.publish(event("d"));
    const again = read(second, seen);
    await waitUntil(() => again.heard.at(-1) === "d");
    expect(again.heard).not.toContain("a");
  });

  it("EXE-06 a stream is reset where more was skipped than is sent again", async () => {
    const { first, second } = await openBuses(2, LINGER_MS);
    const { position } = second;
    await publishWritten(first, event("x".repeat(300_000)));
    const page = read(second, position);
    await waitUntil(() => page.heard.includes("reset"));
    first.publish(event("a"));
    await waitUntil(() => page.heard.at(-1) === "a");
    expect(page.heard).toEqual(["reset", "a"]);
  });

  it("EXE-06 whatever opens, closes and moves between instances, a stream misses no event without a reset and hears none twice", async () => {
    const { first, buses, untilQuiet } = await openBuses(3, LINGER_MS);
    const seed = Number(process.env.TOOLROOM_TEST_SEED ?? Date.now() % 1_000_000);
    const random = seededRandom(seed);
    const pick = (): EventBus => buses[Math.floor(random() * buses.length)] ?? first;
    const streams: ReturnType<typeof read>[] = [];
    let number = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const stream = read(pick(), pick().position);
      streams.push(stream);
      const sent: string[] = [];
      for (let count = 1 + Math.floor(random() * 4); count > 0; count -= 1) {
        number += 1;
        sent.push(`e${number}`);
        if (random() < 0.5) await publishWritten(pick(), event(`e${number}`));
        else pick().publish(event(`e${number}`));
      }
      await waitUntil(() => stream.heard.includes("reset") || sent.every((id) => stream.heard.includes(id)), {
        what: `seed ${seed}, round ${round}: ${sent.join(" ")} after ${stream.heard.join(" ")}`,
      });
      const events = stream.heard.filter((id) => id.startsWith("e"));
      expect(new Set(events).size, `seed ${seed}: ${events.join(" ")}`).toBe(events.length);
      if (random() < 0.5) continue;
      for (const each of streams.splice(0)) each.close();
      if (random() < 0.5) await untilQuiet();
    }
  });
});
