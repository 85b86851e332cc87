import { beforeEach, describe, expect, it } from "vitest";
import { type EvalAttempt, type EvalInput, evalInputSchema } from "../../../../lib/contract/eval";
import { type SuiteInput, suiteInputSchema, type TestResult } from "../../../../lib/contract/suite";
import type { NewEvalRun, NewTestRun, SuiteStore } from "../../../features/suites/suite-store";
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
  kind: "tests",
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
const newEval = (changes: Partial<EvalInput> = {}): EvalInput =>
  evalInputSchema.parse({ question: "Where is it?", expected: ["get_order"], ...changes });
const newEvalRun = (id: string, changes: Partial<NewEvalRun> = {}): NewEvalRun => ({
  id,
  suiteId: null,
  name: "orders",
  trigger: "manual",
  actor: ADA,
  offering: "direct",
  edited: null,
  items: [{ id: "eval_1", title: "Where is it?", description: "get_order", expected: ["get_order"] }],
  provider: "local",
  model: "small",
  rounds: 2,
  startedAt: 1000,
  total: 4,
  ...changes,
});

const SUMS = { inputTokens: 120, outputTokens: 8, cost: 0.25 };

const attempt = (round: number, passed: boolean): EvalAttempt => ({
  item: "eval_1",
  called: ["get_order"],
  inputTokens: 60,
  outputTokens: 4,
  round,
  passed,
  reason: passed ? null : "no call",
  runId: `run_${round}`,
  runStatus: "succeeded",
  durationMs: 1.5,
});

const UNTIMED = { nextRunAt: null, scheduledBy: null };

export function describeSuiteStore(createDatabase: CreateDatabase): void {
  describe("stored suites", () => {
    const database = useDatabase(createDatabase);
    let store: SuiteStore;
    beforeEach(() => {
      store = database().suites();
    });

    it("are the same after a restart, by name", async () => {
      await store.createSuite(input("b"), UNTIMED, ADA);
      const schedule = { cron: "0 6 * * *", timeZone: "Europe/Oslo" };
      const made = await store.createSuite(input("a", { schedule }), { nextRunAt: 5_000, scheduledBy: ADA }, ADA);
      await database().restart();
      store = database().suites();
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
      const store = database().suites();
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
      expect(await database().count("SuiteResult")).toBe(0);
    });

    it("are listed newest first, and the oldest beyond a hundred of a suite go", async () => {
      const store = database().suites();
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
      expect(await database().count("SuiteResult")).toBe(0);
      expect((await store.runs({ limit: 200 })).items.map(({ id }) => id)).toContain("test_other");
    });

    it("that an ended instance of the server left are found by the others, and settled once", async () => {
      const lost = database().suites("lost");
      await lost.createRun(newRun("test_1", null));
      const store = database().suites("here");
      expect(await store.running()).toEqual([{ id: "test_1", owner: "lost" }]);
      const end = { status: "interrupted" as const, finishedAt: 2_000, error: "gone" };
      expect(await store.finishRun("test_1", end)).toBe(false);
      expect(await store.finishRun("test_1", end, "lost")).toBe(true);
      expect(await store.running()).toEqual([]);
    });
  });

  describe("stored runs of evals", () => {
    const database = useDatabase(createDatabase);
    let store: SuiteStore;
    beforeEach(() => {
      store = database().suites();
    });

    it("keep their attempts and sums over a restart", async () => {
      const created = await store.createEvalRun(newEvalRun("run_1"));
      const { items, suiteId: _suiteId, ...facts } = newEvalRun("run_1");
      expect(created).toMatchObject({
        ...facts,
        status: "running",
        done: 0,
        passed: 0,
        finishedAt: null,
      });
      const attempts = [attempt(1, true), attempt(2, false)];
      await store.keepAttempts("run_1", attempts, SUMS);
      await database().restart();
      store = database().suites();
      expect(await store.findRun("run_1")).toEqual({ ...created, ...SUMS, done: 2, passed: 1, items, attempts });
      expect(await store.findRun("run_2")).toBeNull();
    });

    it("end once: a second end changes nothing", async () => {
      await store.createEvalRun(newEvalRun("run_1"));
      await store.createEvalRun(newEvalRun("run_2", { model: "large" }));
      await store.finishRun("run_1", { status: "finished", finishedAt: 2000, error: null });
      await store.finishRun("run_1", { status: "failed", finishedAt: 3000, error: "late" });
      expect(await store.findRun("run_1")).toMatchObject({ status: "finished", finishedAt: 2000, error: null });
      expect(await store.running()).toEqual([{ id: "run_2", owner: "local" }]);
    });

    it("of one model run one at a time", async () => {
      const others = [database().suites(), database().suites()];
      const created = await Promise.all(others.map((other, at) => other.createEvalRun(newEvalRun(`run_${at}`))));
      const [first, ...more] = created.filter((check) => check !== null);
      expect(more).toEqual([]);
      expect(await store.createEvalRun(newEvalRun("run_large", { model: "large" }))).not.toBeNull();
      expect(await store.createEvalRun(newEvalRun("run_found", { offering: "discovery" }))).not.toBeNull();
      expect(await store.createEvalRun(newEvalRun("run_parcels", { name: "parcels" }))).not.toBeNull();
      await store.finishRun(first?.id ?? "", { status: "cancelled", finishedAt: 2000, error: null });
      expect(await store.createEvalRun(newEvalRun("run_3"))).not.toBeNull();
    });

    it("are listed newest first, in pages, by provider and model", async () => {
      for (const id of ["run_1", "run_2", "run_3"]) {
        await store.createEvalRun(newEvalRun(id));
        await store.finishRun(id, { status: "finished", finishedAt: 2000, error: null });
      }
      await store.createEvalRun(newEvalRun("run_4", { model: "large" }));
      const first = await store.runs({ provider: "local", model: "small", limit: 2 });
      expect(first.items.map(({ id }) => id)).toEqual(["run_3", "run_2"]);
      const second = await store.runs({ model: "small", limit: 2, cursor: first.nextCursor ?? 0 });
      expect(second.items.map(({ id }) => id)).toEqual(["run_1"]);
      expect(second.nextCursor).toBeNull();
      expect((await store.runs({ provider: "other", limit: 2 })).items).toEqual([]);
    });

    it("give the newest one of each suite, and are deleted with it and its evals", async () => {
      const evals = input("orders", { kind: "evals", tests: [] });
      const { id: suiteId } = await store.createSuite(evals, UNTIMED, ADA);
      await database()
        .evals()
        .create("eval_1", newEval({ suite: "orders" }), ADA);
      for (const id of ["run_1", "run_2"]) {
        await store.createEvalRun(newEvalRun(id, { suiteId }));
        await store.finishRun(id, { status: "finished", finishedAt: 2000, error: null });
      }
      expect((await store.newestRuns()).get(suiteId)).toMatchObject({ id: "run_2", kind: "evals" });
      await store.updateSuite("orders", { ...evals, name: "parcels" }, UNTIMED, { by: ADA });
      expect(await database().evals().list("parcels")).toHaveLength(1);
      await store.deleteSuite("parcels");
      expect(await database().evals().list()).toEqual([]);
      expect(await store.findRun("run_1")).toBeNull();
    });

    it("are all kept, however many a suite has", async () => {
      const { id: suiteId } = await store.createSuite(input("orders", { kind: "evals", tests: [] }), UNTIMED, ADA);
      for (let at = 0; at < 102; at += 1) {
        await store.createEvalRun(newEvalRun(`run_${at}`, { suiteId }));
        await store.finishRun(`run_${at}`, { status: "finished", finishedAt: 2000, error: null });
      }
      expect(await database().count("SuiteRun")).toBe(102);
    });

    it("leave out attempts that cannot be read, and show the others", async () => {
      await store.createEvalRun(newEvalRun("run_1"));
      const stored = JSON.stringify([attempt(1, true), { round: "two" }]);
      await database().execute(`UPDATE "SuiteRun" SET attempts = '${stored}'`);
      expect(await store.findRun("run_1")).toMatchObject({ attempts: [attempt(1, true)] });
      await database().execute(`UPDATE "SuiteRun" SET attempts = '{broken'`);
      expect(await store.findRun("run_1")).toMatchObject({ attempts: [] });
    });
  });
}
