import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { newExecutionId } from "../../../lib/execution-id";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { ALICE, BOB, startServer, type TestServer, WIPE } from "./approval.test-support";

let scratch: ScratchDatabase;
let server: TestServer;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  server = await startServer(scratch.db);
});
afterEach(async () => {
  await server.stop();
  await scratch.remove();
});

function call(runId: string, tool = "wipe"): { id: string; done: Promise<ExecutionEnvelope> } {
  const id = newExecutionId();
  return { id, done: server.executions.execute(tool, { folder: "/old" }, { executionId: id, source: "agent", runId }) };
}

async function waits({ id }: { id: string }): Promise<void> {
  const status = async () => (await server.approvals.get(id).catch(() => null))?.status;
  await waitUntil(async () => (await status()) === "open", { what: `the request of ${id}` });
}

async function allow(runId = "run_1"): Promise<string> {
  const first = call(runId);
  await waits(first);
  const decision = { approved: true, scope: "run" } as const;
  expect(await server.approvals.decide(ALICE, first.id, decision)).toMatchObject({ decided: true });
  await first.done;
  return first.id;
}

describe("always allow in this run", () => {
  it("AGT-05 runs later calls of the tool in that run, in the name of who allowed it, and no others", async () => {
    const executionId = await allow();
    const later = call("run_1");
    expect(await later.done).toMatchObject({ success: true });
    expect((await server.executions.get(later.id)).approval).toMatchObject({
      status: "approved",
      decidedBy: ALICE,
      reason: "Always allowed in this run",
    });
    const { items } = await server.approvals.allowances("run_1");
    expect(items).toEqual([{ executionId, toolName: "wipe", grantedAt: expect.any(Number), grantedBy: ALICE }]);
    const other = call("run_2");
    await waits(other);
    await server.approvals.decide(ALICE, other.id, { approved: false });
    expect(await other.done).toMatchObject({ success: false });
  });

  it("AGT-05 holds after a restart of the server, and asks again once the tool has changed", async () => {
    await allow();
    await server.stop();
    server = await startServer(scratch.db);
    expect(await call("run_1").done).toMatchObject({ success: true });
    await server.stop();
    server = await startServer(scratch.db, { tools: [{ ...WIPE, description: "Removes the folder and its copies" }] });
    const changed = call("run_1");
    await waits(changed);
    await server.approvals.decide(ALICE, changed.id, { approved: false });
    await changed.done;
  });

  it("AGT-05 is granted after the decision as well, by the user who made it alone", async () => {
    const first = call("run_1");
    const alike = call("run_1");
    await waits(first);
    await waits(alike);
    await expect(server.approvals.allowInRun(ALICE, first.id)).rejects.toMatchObject({ code: "INVALID" });
    await server.approvals.decide(ALICE, first.id, { approved: true });
    await first.done;
    await expect(server.approvals.allowInRun(BOB, first.id)).rejects.toMatchObject({ code: "INVALID" });
    expect(await server.approvals.allowInRun(ALICE, first.id)).toEqual({ allowed: true });
    expect(await server.approvals.allowInRun(ALICE, first.id)).toEqual({ allowed: false });
    expect(await Promise.all([alike.done, call("run_1").done])).toMatchObject([{ success: true }, { success: true }]);
    expect((await server.approvals.allowances("run_1")).items).toMatchObject([
      { executionId: first.id, grantedBy: ALICE },
    ]);
  });

  it("AGT-05 approves what waits in the run already, and is revoked once", async () => {
    const one = call("run_1");
    const two = call("run_1");
    await waits(one);
    await waits(two);
    await server.approvals.decide(ALICE, one.id, { approved: true, scope: "run" });
    expect(await Promise.all([one.done, two.done])).toMatchObject([{ success: true }, { success: true }]);
    expect(await server.approvals.revokeAllowance(BOB, one.id)).toEqual({ revoked: true });
    expect(await server.approvals.revokeAllowance(BOB, one.id)).toEqual({ revoked: false });
    expect(await server.approvals.allowances("run_1")).toEqual({ items: [] });
    const [row] = scratch.db.raw
      .prepare<[], { revokerId: string; revokedAt: bigint }>("SELECT * FROM \"Approval\" WHERE scope = 'run'")
      .all();
    expect(row).toMatchObject({ revokerId: "bob", revokedAt: expect.anything() });
    const again = call("run_1");
    await waits(again);
    await server.approvals.decide(ALICE, again.id, { approved: false });
    await again.done;
  });

  it("AGT-05 is refused for a call without a run, and for a rejection", async () => {
    const id = newExecutionId();
    const done = server.executions.execute("wipe", { folder: "/old" }, { executionId: id, source: "console" });
    await waits({ id });
    const decide = (approved: boolean) => server.approvals.decide(ALICE, id, { approved, scope: "run" });
    await expect(decide(true)).rejects.toMatchObject({ code: "INVALID" });
    await expect(decide(false)).rejects.toMatchObject({ code: "INVALID" });
    await server.approvals.decide(ALICE, id, { approved: false });
    await done;
  });
});

describe("a destructive call whose caller is gone", () => {
  it("AGT-05 runs only when that is confirmed", async () => {
    const id = newExecutionId();
    const left = server.executions.execute("wipe", { folder: "/old" }, { executionId: id, approvalWaitMs: 5 });
    expect(await left).toMatchObject({ error_kind: "approval_pending" });
    expect(await server.approvals.decide(ALICE, id, { approved: true })).toEqual({
      decided: false,
      status: "open",
      faults: [],
      needsConfirmation: true,
    });
    expect(server.wiped).toEqual([]);
    await server.approvals.decide(ALICE, id, { approved: true, confirmed: true });
    await waitUntil(() => server.wiped.length === 1, { what: "the run" });
  });
});

describe("one decision for several calls", () => {
  it("AGT-05 decides each, and leaves those open that need a confirmation", async () => {
    const one = call("run_1");
    const two = call("run_2");
    await waits(one);
    await waits(two);
    const id = newExecutionId();
    await server.executions.execute("wipe", { folder: "/old" }, { executionId: id, approvalWaitMs: 5 });
    const { outcomes } = await server.approvals.decideMany(ALICE, [one.id, id, two.id], { approved: true });
    expect(outcomes).toMatchObject([{ decided: true }, { needsConfirmation: true }, { decided: true }]);
    expect(await Promise.all([one.done, two.done])).toMatchObject([{ success: true }, { success: true }]);
    expect((await server.approvals.get(id)).status).toBe("open");
    await server.approvals.decide(ALICE, id, { approved: false });
  });
});
