import { expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { quietLogger } from "../db/database.test-support";
import { createEdits } from "../shared/announced-edits";
import { RateLimiter } from "../shared/rate-limiter";
import { createBulletinHub } from "./bulletin.test-support";
import { createSharedAreas, UNSHARED_AREAS } from "./shared-areas";
import { createSharedLimits } from "./shared-limits";

const logger = quietLogger();

/** Instances whose memory is one text each, and the database that they read it from. */
function createInstances(count: number, limitMs?: number) {
  const hub = createBulletinHub(limitMs);
  const stored = { value: "first", reads: 0 };
  const copies = Array.from({ length: count }, (_, at) => {
    const bulletin = hub.join(`copy ${at}`);
    const shared = createSharedAreas(bulletin, logger);
    const copy = { bulletin, shared, value: "first", told: [] as string[], announced: [] as string[] };
    const { edit, follow } = createEdits((origin) => {
      copy.announced.push(origin);
      if (origin === "stored") void shared.changed("tools", { onShared: () => copy.told.push(copy.value) });
    });
    const read = async (): Promise<string> => {
      stored.reads += 1;
      return stored.value;
    };
    shared.follow("tools", () =>
      follow(async (change) => {
        const value = await read();
        if (value !== copy.value) change.mark();
        copy.value = value;
      }),
    );
    const write = (value: string): Promise<void> =>
      shared.answered(() =>
        edit(async (change) => {
          stored.value = value;
          copy.value = await read();
          change.mark();
        }),
      );
    return { ...copy, copy, write };
  });
  return { copies, stored };
}

it("a write is answered when every instance has read it, and the instance that wrote tells pages after that", async () => {
  const { copies } = createInstances(3);
  await Promise.all(copies.map(({ shared }) => shared.begin()));
  await copies[1]?.write("second");
  expect(copies.map(({ copy }) => copy.value)).toEqual(["second", "second", "second"]);
  expect(copies.map(({ copy }) => copy.told)).toEqual([[], ["second"], []]);
  expect(copies.map(({ copy }) => copy.announced)).toEqual([["followed"], ["stored"], ["followed"]]);
});

it("writes of two instances at the same time do not wait for each other, and all instances end with what is stored", async () => {
  // Waiting for each other would never end.
  const { copies, stored } = createInstances(3, 3_600_000);
  await Promise.all(copies.map(({ shared }) => shared.begin()));
  await Promise.all(copies.flatMap(({ write }, at) => [write(`a${at}`), write(`b${at}`)]));
  expect(copies.map(({ copy }) => copy.value)).toEqual(Array(3).fill(stored.value));
});

it("an instance that stands still delays an answer by a second at most, and reads what it missed when it is back", async () => {
  const { copies } = createInstances(2);
  const [one, other] = copies;
  if (one === undefined || other === undefined) throw new Error("There are two");
  await Promise.all(copies.map(({ shared }) => shared.begin()));
  other.bulletin.pause();
  await one.write("second");
  expect([one.copy.value, other.copy.value]).toEqual(["second", "first"]);
  await other.bulletin.resume();
  expect(other.copy.value).toBe("second");
});

it("many notices that come during a read lead to one more read", async () => {
  const { copies, stored } = createInstances(2);
  const [one, other] = copies;
  if (one === undefined || other === undefined) throw new Error("There are two");
  await Promise.all(copies.map(({ shared }) => shared.begin()));
  stored.value = "second";
  await Promise.all(Array.from({ length: 50 }, () => one.shared.changed("tools")));
  expect(other.copy.value).toBe("second");
  expect(stored.reads).toBeLessThanOrEqual(2);
});

it("what changes while an instance starts is read when it has loaded everything", async () => {
  const { copies, stored } = createInstances(2);
  const [one, other] = copies;
  if (one === undefined || other === undefined) throw new Error("There are two");
  await one.write("second");
  expect(stored.reads).toBe(1);
  expect(other.copy.value).toBe("first");
  await other.shared.begin();
  expect(other.copy.value).toBe("second");
});

it("a read that fails is repeated until it succeeds", async () => {
  const hub = createBulletinHub();
  const one = createSharedAreas(hub.join("one"), logger);
  const other = createSharedAreas(hub.join("other"), logger);
  let reads = 0;
  let isDown = true;
  other.follow("models", () => {
    reads += 1;
    if (isDown) throw new Error("the database is away");
  });
  await other.begin();
  await one.changed("models");
  expect(reads).toBe(1);
  isDown = false;
  await waitUntil(() => reads === 2);
});

it("everything is read again where notices may have been missed", async () => {
  const hub = createBulletinHub();
  const bulletin = hub.join("one");
  const shared = createSharedAreas(bulletin, logger);
  const read: string[] = [];
  for (const area of ["tools", "models", "access"] as const)
    shared.follow(area, (detail) => read.push(`${area} ${detail}`));
  await shared.begin();
  expect(read).toEqual([]);
  bulletin.miss();
  await waitUntil(() => read.length === 3);
  expect(read.sort()).toEqual(["access null", "models null", "tools null"]);
});

it("one process tells nobody, and its pages hear of a change in the same turn", async () => {
  let told = false;
  void UNSHARED_AREAS.changed("tools", {
    onShared: () => {
      told = true;
    },
  });
  expect(told).toBe(true);
  expect(await UNSHARED_AREAS.answered(async () => "done")).toBe("done");
});

it("requests that one instance lets pass count on the others, and what was too much is paid back", async () => {
  const hub = createBulletinHub();
  let now = 0;
  const limiters = ["one", "other"].map((name) => {
    const limiter = new RateLimiter(10, () => now);
    createSharedLimits(hub.join(name))("requests", limiter);
    return limiter;
  });
  const [one, other] = limiters;
  if (one === undefined || other === undefined) throw new Error("There are two");
  for (let at = 0; at < 8; at += 1) expect(one.take("ada")).toBe(0);
  for (let at = 0; at < 8; at += 1) expect(other.take("ada")).toBe(0);
  await waitUntil(() => one.look("ada").left === 0 && other.look("ada").left === 0);
  expect(other.look("bob").left).toBe(10);
  // Six too many: for these, and one more, seven tenths of a minute.
  expect([one.take("ada"), other.take("ada")]).toEqual([42, 42]);
  now += 42_000;
  expect(one.take("ada")).toBe(0);
});
