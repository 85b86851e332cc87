import { beforeEach, describe, expect, it } from "vitest";
import { type SuiteInput, suiteInputSchema, type TestResult } from "../../../../lib/contract/suite";
import type { NewTestRun, TestStore } from "../../../features/suites/suite-store";
import { ADA, expectComparedEdits } from "./compared-edits.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const input = (name: string, more: Partial<SuiteInput> = {}): SuiteInput =>
  suiteInputSchema.parse({
    name,
    tests: [
      { name: "says hello", tool: "echo", arguments: { text: "né\n" }, assertions: [{ kind: "time", maxMs: 5 }] },
    ],
    ...more,
  });
const newRun = (id: string, suiteId: string | null): NewTestRun => ({
  id,
  suiteId,
  kind: "suite",
  name: "smoke",
  trigger: "manual",
  actor: ADA,
  startedAt: 1_000,
  total: 2,
});
const result = (position: number, status: TestResult["status"]): TestResult => ({
  position,
  name: `test ${position}`,
  tool: "echo",
  status,
  reason: null,
  executionId: "exec_1",
  originalId: null,
  durationMs: 1.5,
  problems: [{ assertion: "equals", path: "a", message: "is different", expected: "1", actual: null }],
});
const UNTIMED = { nextRunAt: null, scheduledBy: null };

export function describeTestStore(createDatabase: CreateDatabase): void {
  describe("stored suites of tests", () => {
    const database = useDatabase(createDatabase);
    let store: TestStore;
    beforeEach(() => {
      store = database().tests();
    });

    it("are the same after a restart, by name", async () => {
      await store.createSuite(input("b"), UNTIMED, ADA);
      const schedule = { cron: "0 6 * * *", timeZone: "Europe/Oslo" };
      const made = await store.createSuite(input("a", { schedule }), { nextRunAt: 5_000, scheduledBy: ADA }, ADA);
      await database().restart();
      store = database().tests();
      expect((await store.suites()).map(({ name }) => name)).toEqual(["a", "b"]);
      expect(await store.findSuite("a")).toEqual(made);
      expect(made).toMatchObject({ ...input("a", { schedule }), nextRunAt: 5_000, scheduledBy: ADA });
      expect(await store.scheduled()).toEqual([{ id: made.id, nextRunAt: 5_000 }]);
      await expect(store.createSuite(input("a"), UNTIMED, ADA)).rejects.toMatchObject({ code: "CONFLICT" });
    });

    it("take one of several edits of the revision that they saw", async () => {
      await store.createSuite(input("a"), UNTIMED, ADA);
      await expectComparedEdits({
        edit: (edit) => store.updateSuite("a", input("a"), UNTIMED, edit),
        remove: (revision) => store.deleteSuite("a", revision),
      });
    });

    it("are claimed once for a time", async () => {
      const { id } = await store.createSuite(input("a"), { nextRunAt: 5_000, scheduledBy: ADA }, ADA);
      const claims = await Promise.all([1, 2, 3].map(() => store.claimNextRun(id, 5_000, 9_000)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await store.findSuiteById(id)).toMatchObject({ nextRunAt: 9_000 });
      expect(await store.claimNextRun(id, 9_000, null)).toBe(true);
      expect(await store.scheduled()).toEqual([]);
    });
  });

  describe("stored runs of tests", () => {
    const database = useDatabase(createDatabase);

    it("keep their results in order, and counts of them, and end once", async () => {
      const store = database().tests();
      const { id: suiteId } = await store.createSuite(input("a"), UNTIMED, ADA);
      expect(await store.createRun(newRun("test_1", suiteId))).toMatchObject({
        status: "running",
        total: 2,
        actor: ADA,
      });
      await Promise.all([
        store.addResult("test_1", result(1, "error")),
        store.addResult("test_1", result(0, "passed")),
      ]);
      const end = { status: "failed" as const, finishedAt: 2_000, error: null };
      expect(await store.finishRun("test_1", end)).toBe(true);
      expect(await store.finishRun("test_1", { ...end, status: "passed" })).toBe(false);
      expect(await store.findRun("test_1")).toMatchObject({
        status: "failed",
        passed: 1,
        failed: 0,
        errors: 1,
        skipped: 0,
        finishedAt: 2_000,
        results: [result(0, "passed"), result(1, "error")],
      });
      expect((await store.newestRuns()).get(suiteId)).toMatchObject({ id: "test_1" });
      await store.deleteSuite("a");
      expect(await store.findRun("test_1")).toBeNull();
      expect(await database().count("TestResult")).toBe(0);
    });

    it("are listed newest first, and the oldest beyond a hundred of a suite go", async () => {
      const store = database().tests();
      const { id: suiteId } = await store.createSuite(input("a"), UNTIMED, ADA);
      await store.createRun(newRun("test_other", null));
      for (let at = 0; at < 103; at += 1) {
        await store.createRun(newRun(`test_${at}`, suiteId));
        if (at === 0) await store.addResult("test_0", result(0, "passed"));
        await store.finishRun(`test_${at}`, { status: "passed", finishedAt: 2_000, error: null });
      }
      const first = await store.runs({ suiteId, limit: 60 });
      expect(first.items[0]?.id).toBe("test_102");
      const rest = await store.runs({ suiteId, limit: 60, cursor: first.nextCursor ?? 0 });
      expect([rest.items.at(-1)?.id, rest.nextCursor]).toEqual(["test_2", null]);
      expect(await database().count("TestResult")).toBe(0);
      expect((await store.runs({ limit: 200 })).items.map(({ id }) => id)).toContain("test_other");
    });

    it("that an ended copy of the server left are found by the others, and settled once", async () => {
      const lost = database().tests("lost");
      await lost.createRun(newRun("test_1", null));
      const store = database().tests("here");
      expect(await store.running()).toEqual([{ id: "test_1", owner: "lost" }]);
      const end = { status: "interrupted" as const, finishedAt: 2_000, error: "gone" };
      expect(await store.finishRun("test_1", end)).toBe(false);
      expect(await store.finishRun("test_1", end, "lost")).toBe(true);
      expect(await store.running()).toEqual([]);
    });
  });
}
