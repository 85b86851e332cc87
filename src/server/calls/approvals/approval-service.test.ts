import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { newExecutionId } from "../../../lib/execution-id";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { CallerLeft } from "../../engine/failures";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { ALICE, BOB, LOCAL_OWNER, startServer, type TestServer } from "./approval.test-support";

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

/** A call that waits, and its answer to come. */
async function ask(more: object = {}, args: unknown = { folder: "/old" }) {
  const id = newExecutionId();
  let done: Promise<ExecutionEnvelope> | undefined;
  await new Promise<void>((onWaiting) => {
    done = server.executions.execute("wipe", args, {
      executionId: id,
      source: "agent",
      ...more,
      onWaiting: () => onWaiting(),
    });
  });
  return { id, answer: { done: done as Promise<ExecutionEnvelope> } };
}
const getStatus = async (id: string) => (await server.executions.get(id)).status;
const ended = (id: string) =>
  waitUntil(async () => !["waiting", "running"].includes(await getStatus(id)), { what: `the end of ${id}` });

describe("a call of a tool that asks", () => {
  it("AGT-05 waits, does not run, and is in the inbox with what would run", async () => {
    const { id, answer } = await ask({ runId: "run_1", callId: "call_1" });
    expect(await getStatus(id)).toBe("waiting");
    expect(server.wiped).toEqual([]);
    expect(await server.approvals.count()).toEqual({ open: 1 });
    const { items } = await server.approvals.list("open", undefined, 50);
    expect(items).toEqual([
      expect.objectContaining({
        executionId: id,
        status: "open",
        toolName: "wipe",
        source: "agent",
        runId: "run_1",
        argumentsText: '{"folder":"/old"}',
        detached: false,
        decidedBy: null,
        definition: expect.objectContaining({ name: "wipe" }),
      }),
    ]);
    const [item] = items;
    expect((item?.expiresAt ?? 0) - (item?.requestedAt ?? 0)).toBe(86_400_000);
    expect(await server.executions.findByRun("run_1")).toEqual([{ id, callId: "call_1", status: "waiting" }]);
    expect((await server.executions.list({ runId: "run_1" }, undefined, 10)).items.map((row) => row.id)).toEqual([id]);
    expect((await server.executions.list({ status: ["waiting"] }, undefined, 10)).items).toHaveLength(1);
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(await answer.done).toMatchObject({ success: true, result: { wiped: "/old" }, execution_id: id });
  });

  it("AGT-05 runs once approved, and the execution says who approved it and when", async () => {
    const { id, answer } = await ask();
    const outcome = await server.approvals.decide(ALICE, id, { approved: true, reason: "fine" });
    expect(outcome).toEqual({ decided: true, status: "approved", faults: [] });
    expect(await answer.done).toMatchObject({ success: true, status: "succeeded" });
    const detail = await server.executions.get(id);
    expect(detail).toMatchObject({
      status: "succeeded",
      approval: { status: "approved", decidedBy: ALICE, reason: "fine", requestedArgumentsText: null },
    });
    expect(detail.startedAt).toBeGreaterThanOrEqual(detail.approval?.decidedAt ?? Number.POSITIVE_INFINITY);
    expect(server.wiped).toEqual([{ folder: "/old" }]);
    expect(await server.approvals.count()).toEqual({ open: 0 });
    expect(server.told).toEqual(["approvals", "approvals"]);
    expect(server.statuses).toEqual(["waiting", "running", "succeeded"]);
    expect(server.resumed).toEqual([]);
  });

  const SLOW_PERSON_MS = 150;

  it("AGT-05 the time of waiting is neither execution time nor counted against the time limit", async () => {
    const { id, answer } = await ask({ timeoutMs: 60 });
    await new Promise((resolve) => setTimeout(resolve, SLOW_PERSON_MS));
    await server.approvals.decide(ALICE, id, { approved: true });
    const envelope = await answer.done;
    expect(envelope).toMatchObject({ success: true });
    expect(envelope.execution_time_ms).toBeLessThan(SLOW_PERSON_MS);
    const { finishedAt, queuedAt } = await server.executions.get(id);
    expect((finishedAt ?? 0) - queuedAt).toBeGreaterThanOrEqual(140);
  });

  it("AGT-05 ends with the reason when a user rejects it, and keeps its arguments", async () => {
    const { id, answer } = await ask();
    await server.approvals.decide(LOCAL_OWNER, id, { approved: false, reason: "not on a Friday" });
    expect(await answer.done).toMatchObject({
      success: false,
      status: "failed",
      error_kind: "rejected",
      error: "Rejected by Local owner: not on a Friday",
    });
    expect(await server.executions.get(id)).toMatchObject({
      status: "failed",
      errorKind: "rejected",
      argumentsText: '{"folder":"/old"}',
      modelView: { text: expect.stringContaining("Rejected by Local owner: not on a Friday") },
    });
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 runs with the arguments that a user edited; those asked for are kept", async () => {
    const { id, answer } = await ask();
    await server.approvals.decide(ALICE, id, { approved: true, argumentsText: '{ "folder": "/older" }' });
    expect(await answer.done).toMatchObject({ result: { wiped: "/older" } });
    expect(server.wiped).toEqual([{ folder: "/older" }]);
    expect(await server.executions.get(id)).toMatchObject({
      argumentsText: '{ "folder": "/older" }',
      argumentsPreview: '{ "folder": "/older" }',
      approval: { requestedArgumentsText: '{"folder":"/old"}' },
    });
  });

  it("AGT-05 edited arguments that do not fit, or are no JSON, decide nothing", async () => {
    const { id, answer } = await ask();
    expect(await server.approvals.decide(ALICE, id, { approved: true, argumentsText: '{"folder":7}' })).toMatchObject({
      decided: false,
      status: "open",
      faults: [{ pointer: "/folder", message: "must be string" }],
    });
    await expect(
      server.approvals.decide(ALICE, id, { approved: true, argumentsText: '{"folder":' }),
    ).rejects.toMatchObject({ code: "INVALID", message: expect.stringContaining("arguments are not JSON") });
    await expect(server.approvals.decide(ALICE, id, { approved: false, argumentsText: "{}" })).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringContaining("argumentsText"),
    });
    expect(await getStatus(id)).toBe("waiting");
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(await answer.done).toMatchObject({ success: true });
  });

  it("AGT-05 of two users who decide at once exactly one does, and the other learns who", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, answer } = await ask();
      const outcomes = await Promise.all([
        server.approvals.decide(ALICE, id, { approved: true }),
        server.approvals.decide(BOB, id, { approved: false }),
      ]);
      const winners = outcomes.filter(({ decided }) => decided);
      expect(winners).toHaveLength(1);
      const loser = outcomes.find(({ decided }) => !decided);
      expect(loser).toMatchObject({ status: winners[0]?.status, faults: [] });
      const { approval } = await server.executions.get(id);
      expect(loser?.decidedBy).toEqual(approval?.decidedBy);
      expect((await answer.done).success).toBe(winners[0]?.status === "approved");
    }
    expect(server.wiped).toHaveLength(10 - (await rejected()));
  });

  async function rejected(): Promise<number> {
    const { items } = await server.approvals.list("decided", undefined, 50);
    return items.filter(({ status }) => status === "rejected").length;
  }

  it("AGT-05 is withdrawn when its caller cancels", async () => {
    const controller = new AbortController();
    const { id, answer } = await ask({ signal: controller.signal });
    controller.abort();
    expect(await answer.done).toMatchObject({ status: "cancelled", error_kind: "cancelled" });
    expect(await server.executions.get(id)).toMatchObject({ status: "cancelled", approval: { status: "withdrawn" } });
    expect(await server.approvals.decide(ALICE, id, { approved: true })).toMatchObject({
      decided: false,
      status: "withdrawn",
    });
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 a decision and a cancel at once leave one story: run and approved, or cancelled and withdrawn", async () => {
    for (let round = 0; round < 10; round += 1) {
      const controller = new AbortController();
      const { id, answer } = await ask({ signal: controller.signal });
      const deciding = server.approvals.decide(ALICE, id, { approved: false });
      controller.abort();
      const [{ decided }, envelope] = await Promise.all([deciding, answer.done]);
      const { approval, status } = await server.executions.get(id);
      expect({ approval: approval?.status, status, kind: envelope.success ? null : envelope.error_kind }).toEqual(
        decided
          ? { approval: "rejected", status: "failed", kind: "rejected" }
          : { approval: "withdrawn", status: "cancelled", kind: "cancelled" },
      );
    }
  });

  it("AGT-05 stays open when its caller only disconnects, and runs and is recorded once approved", async () => {
    const { id, answer } = await ask({ approvalWaitMs: 20, runId: "run_7", client: "tester 1" });
    const envelope = await answer.done;
    expect(envelope).toMatchObject({ success: false, error_kind: "approval_pending" });
    expect(envelope.success ? "" : envelope.error).toContain(id);
    expect(await getStatus(id)).toBe("waiting");
    expect(await server.approvals.get(id)).toMatchObject({ status: "open", detached: true, client: "tester 1" });
    await server.approvals.decide(ALICE, id, { approved: true, argumentsText: '{"folder":"/b"}' });
    await ended(id);
    expect(await server.executions.get(id)).toMatchObject({
      status: "succeeded",
      resultText: '{"wiped":"/b"}',
      source: "agent",
      runId: "run_7",
      approval: { requestedArgumentsText: '{"folder":"/old"}' },
    });
    expect(server.wiped).toEqual([{ folder: "/b" }]);
    await waitUntil(() => server.resumed.length === 1, { what: "the word to the run" });
    expect(server.resumed).toEqual([[id, "run_7"]]);
  });

  it("AGT-05 whose caller disconnected can be cancelled by its id", async () => {
    const controller = new AbortController();
    const { id, answer } = await ask({ signal: controller.signal });
    controller.abort(new CallerLeft());
    expect(await answer.done).toMatchObject({ error_kind: "approval_pending" });
    expect(await server.executions.cancel(LOCAL_OWNER, id)).toEqual({ cancelled: true });
    expect(await server.executions.get(id)).toMatchObject({ status: "cancelled", approval: { status: "withdrawn" } });
    expect(await server.executions.cancel(LOCAL_OWNER, id)).toEqual({ cancelled: false });
  });

  it("AGT-05 of the console is answered at once, as waiting", async () => {
    const detail = await server.executions.run(LOCAL_OWNER, { tool: "wipe", argumentsText: '{"folder":"/c"}' });
    expect(detail).toMatchObject({ status: "waiting", approval: { status: "open" }, finishedAt: null });
    await server.approvals.decide(ALICE, detail.id, { approved: true });
    await ended(detail.id);
    expect(await getStatus(detail.id)).toBe("succeeded");
    const replay = await server.executions.replay(LOCAL_OWNER, detail.id);
    expect(replay).toMatchObject({ status: "waiting", source: "replay" });
    expect(await server.executions.cancel(LOCAL_OWNER, replay.id)).toEqual({ cancelled: true });
  });

  it("AGT-05 fails when its tool is gone by the time it is approved", async () => {
    const gone = await ask({}, { folder: "/tmp/a" });
    server.engine.registry.unregister("wipe");
    await server.approvals.decide(ALICE, gone.id, { approved: true });
    expect(await gone.answer.done).toMatchObject({ error_kind: "not_found" });
    expect(await getStatus(gone.id)).toBe("failed");
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 with arguments that do not fit is refused without asking anybody", async () => {
    expect(await server.executions.execute("wipe", {})).toMatchObject({ error_kind: "invalid_arguments" });
    expect(await server.approvals.count()).toEqual({ open: 0 });
  });

  it("AGT-05 is not asked for twice when a user has decided already", async () => {
    const approval = { approved: true, by: ALICE, at: Date.now(), reason: null } as const;
    expect(await server.executions.execute("wipe", { folder: "/d" }, { approval })).toMatchObject({ success: true });
    expect(await server.approvals.count()).toEqual({ open: 0 });
  });
});

it("AGT-05 the inbox pages through open ones oldest first, through decided ones newest first", async () => {
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) ids.push((await ask()).id);
  const getPage = async (status: "open" | "decided") => {
    const found: string[] = [];
    let cursor: number | undefined;
    do {
      const page = await server.approvals.list(status, cursor, 2);
      found.push(...page.items.map(({ executionId }) => executionId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  };
  expect(await getPage("open")).toEqual(ids);
  const order = [2, 0, 4, 1, 3].map((index) => ids[index] ?? "");
  for (const id of order) {
    await server.approvals.decide(ALICE, id, { approved: false });
    const decidedAt = Date.now();
    await waitUntil(() => Date.now() > decidedAt);
  }
  expect(await getPage("decided")).toEqual([...order].reverse());
  expect(await getPage("open")).toEqual([]);
});
