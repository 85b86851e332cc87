import { expect, it } from "vitest";
import { createWriteQueue } from "./write-queue";

const busy = () => Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });

it("writes run one at a time, in the order they came, whatever becomes of each", async () => {
  const queue = createWriteQueue();
  const log: string[] = [];
  const slow = queue.write(async () => {
    log.push("slow begins");
    await new Promise((resolve) => setImmediate(resolve));
    log.push("slow ends");
    return 1;
  });
  const failing = queue.write(() => {
    log.push("failing");
    throw new Error("refused");
  });
  const last = queue.write(() => log.push("last"));
  await expect(slow).resolves.toBe(1);
  await expect(failing).rejects.toThrow("refused");
  await last;
  expect(log).toEqual(["slow begins", "slow ends", "failing", "last"]);
});

it("a locked database is tried again until it is free", async () => {
  let attempts = 0;
  const result = await createWriteQueue().write(() => {
    attempts += 1;
    if (attempts < 4) throw busy();
    return "written";
  });
  expect([result, attempts]).toEqual(["written", 4]);
});

it("a lock that stays is reported unchanged, and the next write runs", async () => {
  const queue = createWriteQueue(30);
  await expect(
    queue.write(() => {
      throw busy();
    }),
  ).rejects.toMatchObject({ code: "SQLITE_BUSY" });
  await expect(queue.write(() => "next")).resolves.toBe("next");
});

it("idle waits for what was queued, failures included", async () => {
  const queue = createWriteQueue();
  let done = false;
  const failing = queue.write(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    done = true;
    throw new Error("refused");
  });
  failing.catch(() => undefined);
  await queue.idle();
  expect(done).toBe(true);
});
