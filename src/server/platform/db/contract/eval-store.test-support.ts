import { beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../../lib/contract/actor";
import { type EvalAttempt, type EvalInput, evalInputSchema } from "../../../../lib/contract/eval";
import type { EvalRunStore, NewEvalRun } from "../../../features/suites/suite-eval-run-store";
import type { EvalStore } from "../../../features/suites/suite-eval-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const newRun = (id: string, changes: Partial<NewEvalRun> = {}): NewEvalRun => ({
  id,
  suite: "orders",
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

const newEval = (changes: Partial<EvalInput> = {}): EvalInput =>
  evalInputSchema.parse({ suite: "orders", question: "Where is it?", expected: ["get_order"], ...changes });

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

export function describeEvalStore(createDatabase: CreateDatabase): void {
  describe("stored evals", () => {
    const database = useDatabase(createDatabase);
    let store: EvalStore;
    beforeEach(() => {
      store = database().evals();
    });

    it("keep everything over a restart, by suite, oldest first", async () => {
      const context: EvalInput["context"] = [{ role: "user", contents: [{ type: "text", text: "Where is it?" }] }];
      const origin = { runId: "run_1", step: 2 };
      const first = newEval({ context, origin, toolset: "shop", forbidden: ["delete_order"] });
      const created = await store.create("eval_1", first, LOCAL_OWNER);
      expect(created).toMatchObject({ ...first, id: "eval_1", lastEdit: { revision: 1, by: LOCAL_OWNER.name } });
      await store.create("eval_2", newEval({ suite: "mail" }), LOCAL_OWNER);
      await store.create("eval_3", newEval({ expected: [] }), LOCAL_OWNER);
      await database().restart();
      store = database().evals();
      expect((await store.list()).map(({ id }) => id)).toEqual(["eval_2", "eval_1", "eval_3"]);
      expect(await store.list("orders")).toMatchObject([created, { expected: [] }]);
      expect(await store.countBySuite()).toEqual(
        expect.arrayContaining([
          { suite: "orders", evals: 2 },
          { suite: "mail", evals: 1 },
        ]),
      );
    });

    it("one decision of a run is one eval; a dismissed one is none, and no candidate", async () => {
      const origin = { runId: "run_1", step: 1 };
      await store.create("eval_1", newEval({ origin }), LOCAL_OWNER);
      await expect(store.create("eval_2", newEval({ origin }), LOCAL_OWNER)).rejects.toThrow("is an eval already");
      await store.dismiss("eval_3", { runId: "run_1", step: 2 }, LOCAL_OWNER);
      expect(await store.origins()).toEqual(expect.arrayContaining([origin, { runId: "run_1", step: 2 }]));
      expect(await store.list()).toHaveLength(1);
      expect(await store.get("eval_3")).toBeNull();
      await store.create("eval_4", newEval(), LOCAL_OWNER);
      await store.create("eval_5", newEval(), LOCAL_OWNER);
      expect(await store.deleteSuite("orders")).toBe(3);
      expect(await store.origins()).toEqual([{ runId: "run_1", step: 2 }]);
    });

    it("an edit names the revision that it saw; a damaged row hides no other", async () => {
      await store.create("eval_1", newEval(), LOCAL_OWNER);
      await store.create("eval_2", newEval(), LOCAL_OWNER);
      const edited = await store.update("eval_1", newEval({ question: "Which?" }), { by: LOCAL_OWNER, revision: 1 });
      expect(edited).toMatchObject({ question: "Which?", lastEdit: { revision: 2 } });
      await expect(store.update("eval_1", newEval(), { by: LOCAL_OWNER, revision: 1 })).rejects.toThrow();
      await database().execute(`UPDATE "Eval" SET settings = '{broken' WHERE id = 'eval_1'`);
      expect((await store.list("orders")).map(({ id }) => id)).toEqual(["eval_2"]);
      await store.delete("eval_2");
      await expect(store.delete("eval_2")).rejects.toThrow("eval 'eval_2'");
    });
  });
}

export function describeEvalRunStore(createDatabase: CreateDatabase): void {
  describe("stored runs of evals", () => {
    const database = useDatabase(createDatabase);
    let store: EvalRunStore;
    beforeEach(() => {
      store = database().evalRuns();
    });

    it("keep their attempts and sums over a restart", async () => {
      const created = await store.create(newRun("run_1"));
      const { items, ...facts } = newRun("run_1");
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
      store = database().evalRuns();
      expect(await store.get("run_1")).toEqual({ ...created, ...SUMS, done: 2, passed: 1, items, attempts });
      expect(await store.get("run_2")).toBeNull();
    });

    it("end once: a second end changes nothing", async () => {
      await store.create(newRun("run_1"));
      await store.create(newRun("run_2", { model: "large" }));
      await store.finish("run_1", { status: "finished", finishedAt: 2000, error: null });
      await store.finish("run_1", { status: "failed", finishedAt: 3000, error: "late" });
      expect(await store.get("run_1")).toMatchObject({ status: "finished", finishedAt: 2000, error: null });
      expect(await store.running()).toEqual([{ id: "run_2", owner: "local" }]);
    });

    it("of one model run one at a time", async () => {
      const others = [database().evalRuns(), database().evalRuns()];
      const created = await Promise.all(others.map((other, at) => other.create(newRun(`run_${at}`))));
      const [first, ...more] = created.filter((check) => check !== null);
      expect(more).toEqual([]);
      expect(await store.create(newRun("run_large", { model: "large" }))).not.toBeNull();
      expect(await store.create(newRun("run_found", { offering: "discovery" }))).not.toBeNull();
      expect(await store.create(newRun("run_parcels", { suite: "parcels" }))).not.toBeNull();
      await store.finish(first?.id ?? "", { status: "cancelled", finishedAt: 2000, error: null });
      expect(await store.create(newRun("run_3"))).not.toBeNull();
    });

    it("are listed newest first, in pages, by provider and model", async () => {
      for (const id of ["run_1", "run_2", "run_3"]) {
        await store.create(newRun(id));
        await store.finish(id, { status: "finished", finishedAt: 2000, error: null });
      }
      await store.create(newRun("run_4", { model: "large" }));
      const first = await store.list({ provider: "local", model: "small", limit: 2 });
      expect(first.items.map(({ id }) => id)).toEqual(["run_3", "run_2"]);
      const second = await store.list({ model: "small", limit: 2, cursor: first.nextCursor ?? 0 });
      expect(second.items.map(({ id }) => id)).toEqual(["run_1"]);
      expect(second.nextCursor).toBeNull();
      expect((await store.list({ provider: "other", limit: 2 })).items).toEqual([]);
    });

    it("give the newest one of each suite", async () => {
      for (const id of ["run_1", "run_2"]) {
        await store.create(newRun(id));
        await store.finish(id, { status: "finished", finishedAt: 2000, error: null });
      }
      await store.create(newRun("run_3", { suite: "parcels" }));
      expect((await store.newestBySuite()).map(({ id }) => id).sort()).toEqual(["run_2", "run_3"]);
    });

    it("leave out attempts that cannot be read, and show the others", async () => {
      await store.create(newRun("run_1"));
      const stored = JSON.stringify([attempt(1, true), { round: "two" }]);
      await database().execute(`UPDATE "EvalRun" SET attempts = '${stored}'`);
      expect((await store.get("run_1"))?.attempts).toEqual([attempt(1, true)]);
      await database().execute(`UPDATE "EvalRun" SET attempts = '{broken'`);
      expect((await store.get("run_1"))?.attempts).toEqual([]);
    });
  });
}
