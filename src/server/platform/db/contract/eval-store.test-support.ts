import { beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../../lib/contract/actor";
import { type EvalInput, evalInputSchema } from "../../../../lib/contract/eval";
import type { EvalStore } from "../../../features/suites/suite-eval-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const newEval = (changes: Partial<EvalInput> = {}): EvalInput =>
  evalInputSchema.parse({ suite: "orders", question: "Where is it?", expected: ["get_order"], ...changes });

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
