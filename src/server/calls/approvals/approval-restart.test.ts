import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { newExecutionId } from "../../../lib/execution-id";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { ALICE, startServer, type TestServer, type TestServerOptions, WIPE } from "./approval.test-support";

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

async function ask(more: object = {}): Promise<{ id: string; done: () => Promise<ExecutionEnvelope> }> {
  const id = newExecutionId();
  let done: Promise<ExecutionEnvelope> | undefined;
  await new Promise<void>((onWaiting) => {
    const options = { executionId: id, ...more, onWaiting: () => onWaiting() };
    done = server.executions.execute("wipe", { folder: "/old" }, options);
  });
  return { id, done: () => done as Promise<ExecutionEnvelope> };
}

const getStatus = async (id: string) => (await server.executions.get(id)).status;

async function restart(options: TestServerOptions = {}): Promise<void> {
  await server.stop();
  server = await startServer(await scratch.reopen(), options);
}

/** A process that is gone without a word; what its calls still do reaches no database. */
async function killAndRestart(between: () => void = () => {}, options: TestServerOptions = {}): Promise<void> {
  await server.vanish();
  between();
  server = await startServer(await scratch.reopen(), options);
}

describe("a restart of the server", () => {
  it("AGT-05 loses no request: the call gets an answer, its row keeps waiting, and it runs once approved after the start", async () => {
    const { id, done } = await ask({ runId: "run_3", callId: "call_3", source: "agent", timeoutMs: 4000 });
    await restart();
    expect(await done()).toMatchObject({ status: "interrupted", error_kind: "interrupted" });
    expect(await getStatus(id)).toBe("waiting");
    expect(await server.approvals.get(id)).toMatchObject({ status: "open", detached: true, runId: "run_3" });
    await server.approvals.decide(ALICE, id, { approved: true });
    await waitUntil(async () => (await getStatus(id)) === "succeeded", { what: "the run" });
    expect(await server.executions.get(id)).toMatchObject({
      resultText: '{"wiped":"/old"}',
      runId: "run_3",
      callId: "call_3",
      source: "agent",
      timeoutMs: 4000,
      approval: { status: "approved", decidedBy: ALICE },
    });
    await waitUntil(() => server.resumed.length === 1, { what: "the word to the run" });
    expect(server.resumed).toEqual([[id, "run_3"]]);
  });

  it("AGT-05 does not wait for calls that wait for a user", async () => {
    const { id, done } = await ask();
    server.approvals.stop();
    // Were it to wait, the test would end before the grace does.
    await server.executions.stop(600_000);
    expect(await done()).toMatchObject({ status: "interrupted" });
    expect(await getStatus(id)).toBe("waiting");
  });

  it("AGT-05 that came as a kill loses none either", async () => {
    const { id } = await ask();
    await killAndRestart();
    expect(await getStatus(id)).toBe("waiting");
    await server.approvals.decide(ALICE, id, { approved: false, reason: "no" });
    await waitUntil(async () => (await getStatus(id)) === "failed", { what: "the end" });
    expect(await server.executions.get(id)).toMatchObject({ errorKind: "rejected", error: "Rejected by Alice: no" });
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 between a decision and its call resumes the call at the next start, with the edited arguments", async () => {
    const approved = await ask();
    const rejected = await ask();
    const withdrawn = await ask();
    await killAndRestart(() => {
      const decide = scratch.db.raw.prepare(
        `UPDATE Approval SET status = ?, decidedAt = 1, deciderId = 'alice', deciderName = 'Alice',
           requestedArguments = ? WHERE executionId = ?`,
      );
      decide.run("approved", '{"folder":"/old"}', approved.id);
      scratch.db.raw.prepare("UPDATE Execution SET arguments = ? WHERE id = ?").run('{"folder":"/e"}', approved.id);
      decide.run("rejected", null, rejected.id);
      decide.run("withdrawn", null, withdrawn.id);
    });
    await waitUntil(async () => (await getStatus(approved.id)) === "succeeded", { what: "the approved run" });
    await waitUntil(async () => (await getStatus(rejected.id)) === "failed", { what: "the rejection" });
    await waitUntil(async () => (await getStatus(withdrawn.id)) === "cancelled", { what: "the withdrawal" });
    expect(server.wiped).toEqual([{ folder: "/e" }]);
    await waitUntil(() => server.resumed.length === 3, { what: "the word to the runs" });
  });

  it("AGT-05 before anybody could be asked ends the call as interrupted, so that it does not wait for ever", async () => {
    const { id } = await ask();
    await killAndRestart(() => scratch.db.raw.prepare("DELETE FROM Approval WHERE executionId = ?").run(id));
    expect(await server.executions.get(id)).toMatchObject({ status: "interrupted", errorKind: "interrupted" });
    expect(await server.approvals.count()).toEqual({ open: 0 });
  });

  it("AGT-05 closes requests whose calls have ended without them", async () => {
    const { id } = await ask();
    await killAndRestart(() =>
      scratch.db.raw.prepare("UPDATE Execution SET status = 'cancelled' WHERE id = ?").run(id),
    );
    expect(await server.approvals.get(id)).toMatchObject({ status: "withdrawn" });
  });

  it("AGT-05 lets a caller that comes back wait for the same request again", async () => {
    const { id } = await ask();
    await restart();
    const done = server.executions.execute("wipe", { folder: "/old" }, { executionId: id, waiting: true });
    await waitUntil(async () => !(await server.approvals.get(id)).detached, { what: "the caller's return" });
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(await done).toMatchObject({ success: true, execution_id: id });
    expect(server.wiped).toHaveLength(1);
    expect(server.resumed).toEqual([]);
  });

  it("AGT-05 does not run a tool whose definition has changed, however the call continues", async () => {
    const left = await ask();
    const back = await ask();
    const same = await ask();
    await restart({ tools: [{ ...WIPE, description: "Removes the folder and its copies" }] });
    const done = server.executions.execute("wipe", { folder: "/old" }, { executionId: back.id, waiting: true });
    await waitUntil(async () => !(await server.approvals.get(back.id)).detached, { what: "the caller's return" });
    await server.approvals.decide(ALICE, left.id, { approved: true, confirmed: true });
    await server.approvals.decide(ALICE, back.id, { approved: true });
    expect(await done).toMatchObject({ error_kind: "tool_changed" });
    await waitUntil(async () => (await getStatus(left.id)) === "failed", { what: "the end" });
    expect(await server.executions.get(left.id)).toMatchObject({
      errorKind: "tool_changed",
      approval: { status: "approved" },
    });
    expect(server.wiped).toEqual([]);
    await restart({ tools: [{ ...WIPE, timeout_ms: 5000 }] });
    await server.approvals.decide(ALICE, same.id, { approved: true, confirmed: true });
    await waitUntil(async () => (await getStatus(same.id)) === "succeeded", { what: "the run" });
  });

  it("AGT-05 runs a call once, however many try to continue it", async () => {
    const { id } = await ask();
    await restart();
    const approval = { approved: true, by: ALICE, at: 1, reason: null } as const;
    const envelopes = await Promise.all(
      [1, 2, 3].map(() =>
        server.executions.execute("wipe", { folder: "/old" }, { executionId: id, waiting: true, approval }),
      ),
    );
    expect(envelopes.filter(({ success }) => success)).toHaveLength(1);
    expect(server.wiped).toHaveLength(1);
    expect(await getStatus(id)).toBe("succeeded");
  });

  it("AGT-05 keeps a tool's approval setting", async () => {
    await server.tools.setApproval(ALICE, "wipe", "never");
    await restart();
    expect(server.tools.get("wipe").approval).toEqual({ required: false, because: "person", mode: "never" });
    expect(await server.executions.execute("wipe", { folder: "/f" })).toMatchObject({ success: true });
  });
});

it("AGT-05 a call that waits does not run another tool than the approved one, and fails when the tool is gone", async () => {
  const changes: Partial<ToolDefinition>[] = [
    { description: "Sends the folder away" },
    { parameters: { type: "object", properties: { folder: { type: "string" } } } },
    { annotations: { destructiveHint: true, openWorldHint: true } },
    { implementation: { type: "mock", mock_response: "something else ran" } },
  ];
  for (const change of changes) {
    server.engine.registry.replace("wipe", WIPE);
    const { id, done } = await ask();
    server.engine.registry.replace("wipe", { ...WIPE, ...change });
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(await done()).toMatchObject({
      status: "failed",
      error_kind: "tool_changed",
      error: "'wipe' changed while the call waited for approval: call it again",
    });
    expect(await server.executions.get(id)).toMatchObject({ errorKind: "tool_changed", definition: WIPE });
  }
  server.engine.registry.replace("wipe", WIPE);
  const tuned = await ask();
  server.engine.registry.replace("wipe", { ...WIPE, timeout_ms: 5000 });
  await server.approvals.decide(ALICE, tuned.id, { approved: true });
  expect(await tuned.done()).toMatchObject({ success: true });
  expect(server.wiped).toHaveLength(1);
});

describe("expiry", () => {
  it("AGT-05 ends an undecided call, and says how long it was open", async () => {
    await restart({ expiryMs: 200 });
    const { id, done } = await ask();
    expect(await done()).toMatchObject({
      error_kind: "approval_expired",
      error: "Nobody approved the call within 200 milliseconds",
    });
    expect(await server.executions.get(id)).toMatchObject({ status: "failed", approval: { status: "expired" } });
    expect(await server.approvals.decide(ALICE, id, { approved: true })).toMatchObject({
      decided: false,
      status: "expired",
    });
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 that came while the server was down is carried out at its start", async () => {
    const { id } = await ask();
    await killAndRestart(() => scratch.db.raw.prepare("UPDATE Approval SET expiresAt = 5, requestedAt = 1").run());
    await waitUntil(async () => (await getStatus(id)) === "failed", { what: "the expiry" });
    expect(await server.executions.get(id)).toMatchObject({ errorKind: "approval_expired" });
    await waitUntil(() => server.resumed.length === 1, { what: "the word to the run" });
  });

  it("AGT-05 is kept to by the clock, even before the server has noticed it", async () => {
    const { id, done } = await ask();
    scratch.db.raw.prepare("UPDATE Approval SET expiresAt = requestedAt").run();
    expect(await server.approvals.decide(ALICE, id, { approved: true })).toMatchObject({
      decided: false,
      status: "expired",
    });
    expect(await done()).toMatchObject({ error_kind: "approval_expired" });
  });
});
