import { expect, it, onTestFinished, vi } from "vitest";
import { APPROVALS } from "../../../calls/approvals/db/approval-statements";
import { createExecutionStore } from "../../../calls/executions/db/execution-store";
import { systemClock } from "../../../calls/executions/execution.test-support";
import { createScratchDatabase, quietLogger } from "../database.test-support";

it("SQLite reads pinned, unsuccessful and open rows, changed texts, errors of a tool, children and calls of a run through partial indexes", async () => {
  const { db, remove } = await createScratchDatabase();
  onTestFinished(remove);
  const prepare = vi.spyOn(db.raw, "prepare");
  for (const sql of Object.values(APPROVALS)) db.raw.prepare(sql);
  const store = createExecutionStore({ db, logger: quietLogger(), instanceId: "inst_1", clock: systemClock });
  await store.list({ pinned: true });
  await store.list({ status: ["failed"] });
  await store.list({ runId: "run_1" });
  await store.list({ q: "text" });
  await store.findByRun("run_1");
  await store.replays(["exec_1"]);
  await store.toolStatistics("echo", { days: null, zone: "UTC" });
  await store.close();
  const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /^\s*(SELECT|UPDATE)/.test(sql));
  const plans = statements.map((sql) => {
    const values = Array.from(sql.matchAll(/\?/g), () => null);
    const steps = db.raw.prepare<null[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    return { sql, plan: steps.map(({ detail }) => detail).join("\n") };
  });
  const withIndex = (index: string) => plans.filter(({ plan }) => plan.includes(index)).map(({ sql }) => sql);
  expect(withIndex("Execution_pinned")).toHaveLength(1);
  expect(withIndex("Execution_of_run")).toHaveLength(4);
  expect(withIndex("Execution_children")).toHaveLength(1);
  expect(withIndex("ExecutionTextChange_kept")).toHaveLength(1);
  expect(withIndex("Execution_unsuccessful").length).toBeGreaterThanOrEqual(3);
  expect(withIndex("Execution_errors")).toHaveLength(1);
  expect(withIndex("Approval_open").length).toBeGreaterThanOrEqual(6);
});
