import { beforeEach, describe, expect, it } from "vitest";
import type { ModelCheckAttempt } from "../../../../lib/contract/model";
import type { ModelCheckStore, NewCheck } from "../../../features/model-checks/model-check-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const newCheck = (id: string, changes: Partial<NewCheck> = {}): NewCheck => ({
  id,
  provider: "local",
  model: "small",
  rounds: 2,
  startedAt: 1000,
  total: 4,
  ...changes,
});

const attempt = (round: number, passed: boolean): ModelCheckAttempt => ({
  scenario: "calls-a-tool",
  round,
  passed,
  reason: passed ? null : "no call",
  runId: `run_${round}`,
  runStatus: "succeeded",
  durationMs: 1.5,
});

export function describeModelCheckStore(createDatabase: CreateDatabase): void {
  describe("stored model checks", () => {
    const database = useDatabase(createDatabase);
    let store: ModelCheckStore;
    beforeEach(() => {
      store = database().modelChecks();
    });

    it("keep their attempts and sums over a restart", async () => {
      const created = await store.create(newCheck("check_1"));
      expect(created).toMatchObject({
        ...newCheck("check_1"),
        status: "running",
        done: 0,
        passed: 0,
        finishedAt: null,
      });
      const attempts = [attempt(1, true), attempt(2, false)];
      await store.keepAttempts("check_1", attempts);
      await database().restart();
      store = database().modelChecks();
      expect(await store.get("check_1")).toEqual({ ...created, done: 2, passed: 1, attempts });
      expect(await store.get("check_2")).toBeNull();
    });

    it("end once: a second end changes nothing", async () => {
      await store.create(newCheck("check_1"));
      await store.create(newCheck("check_2", { model: "large" }));
      await store.finish("check_1", { status: "finished", finishedAt: 2000, error: null });
      await store.finish("check_1", { status: "failed", finishedAt: 3000, error: "late" });
      expect(await store.get("check_1")).toMatchObject({ status: "finished", finishedAt: 2000, error: null });
      expect(await store.running()).toEqual([{ id: "check_2", owner: "local" }]);
    });

    it("of one model run one at a time", async () => {
      const others = [database().modelChecks(), database().modelChecks()];
      const created = await Promise.all(others.map((other, at) => other.create(newCheck(`check_${at}`))));
      const [first, ...more] = created.filter((check) => check !== null);
      expect(more).toEqual([]);
      expect(await store.create(newCheck("check_large", { model: "large" }))).not.toBeNull();
      await store.finish(first?.id ?? "", { status: "cancelled", finishedAt: 2000, error: null });
      expect(await store.create(newCheck("check_3"))).not.toBeNull();
    });

    it("are listed newest first, in pages, by provider and model", async () => {
      for (const id of ["check_1", "check_2", "check_3"]) {
        await store.create(newCheck(id));
        await store.finish(id, { status: "finished", finishedAt: 2000, error: null });
      }
      await store.create(newCheck("check_4", { model: "large" }));
      const first = await store.list({ provider: "local", model: "small", limit: 2 });
      expect(first.items.map(({ id }) => id)).toEqual(["check_3", "check_2"]);
      const second = await store.list({ model: "small", limit: 2, cursor: first.nextCursor ?? 0 });
      expect(second.items.map(({ id }) => id)).toEqual(["check_1"]);
      expect(second.nextCursor).toBeNull();
      expect((await store.list({ provider: "other", limit: 2 })).items).toEqual([]);
    });

    it("give the newest finished one of each model", async () => {
      for (const id of ["check_1", "check_2", "check_4"]) {
        await store.create(newCheck(id, { model: id === "check_4" ? "large" : "small" }));
        await store.finish(id, { status: "finished", finishedAt: 2000, error: null });
      }
      await store.create(newCheck("check_5"));
      const newest = await store.newestFinished();
      expect(newest.map(({ id }) => id).sort()).toEqual(["check_2", "check_4"]);
    });

    it("leave out attempts that cannot be read, and show the others", async () => {
      await store.create(newCheck("check_1"));
      const stored = JSON.stringify([attempt(1, true), { round: "two" }]);
      await database().execute(`UPDATE "ModelCheck" SET attempts = '${stored}'`);
      expect((await store.get("check_1"))?.attempts).toEqual([attempt(1, true)]);
      await database().execute(`UPDATE "ModelCheck" SET attempts = '{broken'`);
      expect((await store.get("check_1"))?.attempts).toEqual([]);
    });
  });
}
