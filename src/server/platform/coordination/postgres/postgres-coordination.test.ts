import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { administer, HAS_POSTGRES } from "../../db/postgres/scratch-postgres.test-support";
import { AppError } from "../../shared/app-error";
import { describeCallRegistry } from "../call-registry.test-support";
import { describeLocks } from "../locks.test-support";
import { openInstances, QUICK, STEADY, type TestInstance } from "./coordination-copies.test-support";

/** Ends every connection to the database, as a restart of its server does. */
const cutConnections = (url: string) =>
  administer(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );

/** Its rows say that it lives, but it gives no more signs of life: as a process that stands still. */
async function addSilentInstance(url: string, id: string): Promise<void> {
  await administer(url, `INSERT INTO "Copy" ("id", "name", "version", "startedAt") VALUES ('${id}', 'silent', '1', 0)`);
}

async function openPair(timing = STEADY): Promise<{ first: TestInstance; second: TestInstance; url: string }> {
  const { copies, url } = await openInstances(2, timing);
  const [first, second] = copies;
  if (first === undefined || second === undefined) throw new Error("There are no copies");
  return { first, second, url };
}

describe.skipIf(!HAS_POSTGRES)("coordination of several instances", () => {
  describeCallRegistry(async () => (await openInstances(1)).copies[0]?.calls as TestInstance["calls"]);
  describeLocks(async () => (await openInstances(1)).copies[0]?.locks as TestInstance["locks"]);

  it("an instance is known to the others before it begins its work, and is gone as soon as it closes", async () => {
    const { copies, open } = await openInstances(1, { ...STEADY, renewMs: 30_000, pollMs: 60_000 });
    const second = await open();
    const listIds = (copy: TestInstance | undefined) => copy?.copies.list().map(({ id }) => id);
    expect(listIds(copies[0])).toContain(second.copies.self.id);
    expect(listIds(second)?.[0]).toBe(second.copies.self.id);
    await second.copies.drain();
    await copies[0]?.copies.refresh();
    expect(copies[0]?.copies.list()[1]?.isDraining).toBe(true);
    await second.copies.close();
    await waitUntil(() => listIds(copies[0])?.length === 1);
  });

  it("what a silent instance owned is settled by one of the others, with the living instances", async () => {
    const { first, second, url } = await openPair(QUICK);
    const settled: string[][] = [];
    for (const { copies } of [first, second]) copies.onLost(async (living) => void settled.push([...living]));
    await addSilentInstance(url, "inst_silent");
    await waitUntil(() => first.copies.isLiving("inst_silent") && second.copies.isLiving("inst_silent"));
    await waitUntil(() => !first.copies.isLiving("inst_silent") && !second.copies.isLiving("inst_silent"));
    settled.length = 0;
    await waitUntil(() => settled.length > 0);
    expect(settled[0]?.toSorted()).toEqual([first.copies.self.id, second.copies.self.id].toSorted());
  });

  it("a restart of the database expels nobody", async () => {
    const { first, second, url } = await openPair(QUICK);
    for (let at = 0; at < 3; at += 1) {
      await cutConnections(url);
      await Promise.all(
        [first, second].map(({ copies }) =>
          waitUntil(async () =>
            copies.refresh().then(
              () => true,
              () => false,
            ),
          ),
        ),
      );
    }
    expect([first, second].map(({ copies }) => copies.list().length)).toEqual([2, 2]);
  });

  it("an instance that was taken for lost says so once, ends what it owns, and writes nothing more", async () => {
    const { first, second, url } = await openPair();
    const heard: unknown[] = [];
    second.bulletin.on({ name: "late" }, (body) => void heard.push(body));
    const lease = await first.locks.acquire("server:files", 1_000);
    let ended = 0;
    first.copies.onExpelled(async () => {
      ended += 1;
    });
    await administer(url, `UPDATE "Copy" SET "endedAt" = clock_timestamp() WHERE "id" = '${first.copies.self.id}'`);
    first.bulletin.post({ name: "late" }, "from the dead");
    await first.copies.expelled;
    expect(ended).toBe(1);
    expect(lease?.signal.aborted).toBe(true);
    expect(await first.locks.acquire("server:other", 1_000)).toBeNull();
    await waitUntil(() => !second.copies.isLiving(first.copies.self.id));
    expect(heard).toEqual([]);
    await waitUntil(async () => (await second.locks.acquire("server:files", 1_000)) !== null);
  });

  describe("leases", () => {
    it("go to one of all instances, with a greater number each time, and to another when their instance ends", async () => {
      const { first, second } = await openPair();
      const leases = await Promise.all([first, second, first].map(({ locks }) => locks.acquire("run:1", 1_000)));
      const [held] = leases.filter((lease) => lease !== null);
      expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
      const [holder, other] = leases[1] === null ? [first, second] : [second, first];
      await holder.copies.close();
      const next = await other.locks.acquire("run:1", 1_000);
      expect(next?.fence).toBeGreaterThan(held?.fence ?? 0);
    });

    it("end by themselves where their instance cannot give signs of life", async () => {
      const { first, url } = await openPair(QUICK);
      const lease = await first.locks.acquire("run:1", 1_000);
      await administer(url, `ALTER TABLE "Copy" RENAME TO "Away"`);
      onTestFinished(() => administer(url, `ALTER TABLE "Away" RENAME TO "Copy"`));
      await waitUntil(() => lease?.signal.aborted === true);
      await expect(first.locks.acquire("run:2", 1_000)).resolves.toBeNull();
    });
  });

  describe("a command for a call", () => {
    it("reaches the instance that owns the call, which answers for all", async () => {
      const { first, second } = await openPair();
      const reached: string[] = [];
      first.calls.handle("execution", async () => false);
      second.calls.handle("execution", async (id, payload) => id === "exec_2" && reached.push(`${id} ${payload}`) > 0);
      expect(await first.calls.cancel("execution", "exec_2")).toEqual({ status: "done" });
      expect(await first.calls.send("execution", "exec_2", "text")).toEqual({ status: "done" });
      expect(await first.calls.cancel("execution", "exec_3")).toEqual({ status: "ended" });
      expect(reached).toEqual(["exec_2 null", "exec_2 text"]);
    });

    it("gives the error of the owner, with its code", async () => {
      const { first, second } = await openPair();
      second.calls.handle("run", () => Promise.reject(new AppError("CONFLICT", "It is closed.")));
      second.calls.handle("suite_run", () => Promise.reject(new Error("the disk is full")));
      await expect(first.calls.cancel("run", "run_1")).rejects.toMatchObject({
        code: "CONFLICT",
        message: "It is closed.",
      });
      await expect(first.calls.cancel("suite_run", "evalrun_1")).rejects.toThrow("the disk is full");
    });
  });
});
