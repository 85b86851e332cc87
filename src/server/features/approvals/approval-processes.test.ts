import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecutionEnvelope } from "../../../lib/contract";
import { newExecutionId } from "../../../lib/execution-id";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type Database, openDatabase } from "../../db/database";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../db/database.test-support";
import { CallerLeft } from "../../engine/failures";
import { ALICE, startServer, type TestServer, type TestServerOptions } from "./approval.test-support";
import type { ApprovalStore } from "./approval-store";

let scratch: ScratchDatabase;
let otherDb: Database;
const servers: TestServer[] = [];
/** Of servers that are taken for ended. */
const dead = new Set<string>();

beforeEach(async () => {
  scratch = await createScratchDatabase();
  otherDb = await openDatabase({ url: scratch.url, logger: quietLogger() });
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  dead.clear();
  await otherDb.close();
  await scratch.remove();
});

/** As a process of its own on the same file, where `db` is a connection of its own. */
async function start(db: Database, options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startServer(db, { isAlive: async (id) => !dead.has(id), ...options });
  servers.push(server);
  return server;
}

async function ask(server: TestServer, more: object = {}) {
  const id = newExecutionId();
  let done: Promise<ExecutionEnvelope> | undefined;
  await new Promise<void>((onWaiting) => {
    const options = { executionId: id, ...more, onWaiting: () => onWaiting() };
    done = server.executions.execute("wipe", { folder: "/old" }, options);
  });
  return { id, done: () => done as Promise<ExecutionEnvelope> };
}

const rows = () => scratch.db.raw;
const statusOf = async (server: TestServer, id: string) => (await server.executions.get(id)).status;
const instanceOf = (id: string) =>
  rows().prepare<[string], string>("SELECT instanceId FROM Execution WHERE id = ?").pluck().get(id) ?? "";

describe("two servers on one database", () => {
  it("AGT-05 a call that waits in one and is decided in the other continues where it waits, once", async () => {
    const [one, two] = [await start(scratch.db), await start(otherDb)];
    const { id, done } = await ask(one);
    const edited = { approved: true, argumentsText: '{"folder":"/edited"}' };
    expect(await two.approvals.decide(ALICE, id, edited)).toMatchObject({ decided: true });
    expect(await done()).toMatchObject({ success: true, result: { wiped: "/edited" } });
    const refused = await ask(one);
    await two.approvals.decide(ALICE, refused.id, { approved: false, reason: "no" });
    expect(await refused.done()).toMatchObject({ error_kind: "rejected", error: "Rejected by Alice: no" });
    expect([one.wiped, two.wiped]).toEqual([[{ folder: "/edited" }], []]);
    expect([one.resumed, two.resumed]).toEqual([[], []]);
  });

  it("AGT-05 a cancel in one ends the call that waits in the other", async () => {
    const [one, two] = [await start(scratch.db), await start(otherDb)];
    const { id, done } = await ask(one);
    expect(await two.executions.cancel(ALICE, id)).toEqual({ cancelled: true });
    expect(await done()).toMatchObject({ status: "cancelled" });
    expect(await statusOf(two, id)).toBe("cancelled");
  });

  it("AGT-05 the start of one leaves alone what waits in the other", async () => {
    const one = await start(scratch.db);
    const [asked, unasked] = [await ask(one), await ask(one)];
    rows().prepare("DELETE FROM Approval WHERE executionId = ?").run(unasked.id);
    const two = await start(otherDb);
    expect(await two.approvals.get(asked.id)).toMatchObject({ status: "open", detached: false });
    expect(await statusOf(two, unasked.id)).toBe("waiting");
  });

  it("AGT-05 a decided call whose server ends before it runs is run by the server that decided it", async () => {
    const one = await start(scratch.db);
    const { id } = await ask(one, { runId: "run_5" });
    servers.splice(servers.indexOf(one), 1);
    await one.vanish();
    let checks = 0;
    const isAlive = async (instanceId: string) => {
      checks += 1;
      return !dead.has(instanceId);
    };
    const two = await start(otherDb, { isAlive });
    await two.approvals.decide(ALICE, id, { approved: true });
    await waitUntil(() => checks > 2, { what: "the checks after the decision" });
    expect(two.wiped).toEqual([]);
    dead.add(instanceOf(id));
    await waitUntil(async () => (await statusOf(two, id)) === "succeeded", { what: "the run" });
    expect(two.wiped).toHaveLength(1);
    await waitUntil(() => two.resumed.length === 1, { what: "the word to the run" });
  });

  it("AGT-05 a call whose caller left runs where it is approved", async () => {
    const [one, two] = [await start(scratch.db), await start(otherDb)];
    const { id, done } = await ask(one, { approvalWaitMs: 10 });
    expect(await done()).toMatchObject({ error_kind: "approval_pending" });
    await two.approvals.decide(ALICE, id, { approved: true, confirmed: true });
    await waitUntil(async () => (await statusOf(two, id)) === "succeeded", { what: "the run" });
    expect([one.wiped, two.wiped]).toEqual([[], [{ folder: "/old" }]]);
  });

  it("AGT-05 a call whose caller leaves while the other decides is run all the same", async () => {
    const controller = new AbortController();
    const two = await start(otherDb);
    // What the periodic look finds would be told as well, so that this one only hears of it by leaving.
    const store = (inner: ApprovalStore): ApprovalStore => ({
      ...inner,
      settled: async () => [],
      async detach(executionId) {
        await two.approvals.decide(ALICE, executionId, { approved: true });
        return inner.detach(executionId);
      },
    });
    const one = await start(scratch.db, { store });
    const { id, done } = await ask(one, { signal: controller.signal });
    controller.abort(new CallerLeft());
    expect(await done()).toMatchObject({ error_kind: "approval_pending" });
    await waitUntil(async () => (await statusOf(one, id)) === "succeeded", { what: "the run" });
    expect([one.wiped, two.wiped]).toEqual([[{ folder: "/old" }], []]);
  });

  it("AGT-05 a caller that comes back belongs to the server that it came back to", async () => {
    const first = await start(scratch.db);
    const { id } = await ask(first);
    dead.add(instanceOf(id));
    servers.splice(servers.indexOf(first), 1);
    await first.vanish();
    const [back, two] = [await start(await scratch.reopen()), await start(otherDb)];
    const done = back.executions.execute("wipe", { folder: "/old" }, { executionId: id, waiting: true });
    await waitUntil(async () => !(await back.approvals.get(id)).detached, { what: "the caller's return" });
    await two.approvals.decide(ALICE, id, { approved: true });
    expect(await done).toMatchObject({ success: true });
    expect([back.wiped, two.wiped]).toEqual([[{ folder: "/old" }], []]);
  });
});

describe("a database that fails for a moment", () => {
  const busy = (): Promise<never> => Promise.reject(new Error("database is locked"));

  it("AGT-05 does not keep a decision from the caller that waits for it", async () => {
    let failing = false;
    const store = (inner: ApprovalStore): ApprovalStore => ({
      ...inner,
      find: (executionId) => (failing ? busy() : inner.find(executionId)),
      async decide(decision) {
        const won = await inner.decide(decision);
        failing = true;
        setTimeout(() => {
          failing = false;
        }, 50);
        return won;
      },
    });
    const server = await start(scratch.db, { store });
    const { id, done } = await ask(server);
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(await done()).toMatchObject({ success: true });
  });

  it("AGT-05 a call whose caller could not be marked as gone is run once it is approved elsewhere", async () => {
    let failing = true;
    const detach = (inner: ApprovalStore) => (id: string) => (failing ? busy() : inner.detach(id));
    const one = await start(scratch.db, { store: (inner) => ({ ...inner, detach: detach(inner) }) });
    const two = await start(otherDb);
    const { id, done } = await ask(one, { approvalWaitMs: 10 });
    expect(await done()).toMatchObject({ error_kind: "approval_pending" });
    await two.approvals.decide(ALICE, id, { approved: true });
    failing = false;
    await waitUntil(async () => (await statusOf(one, id)) === "succeeded", { what: "the run" });
    expect(one.wiped.length + two.wiped.length).toBe(1);
  });

  it("AGT-05 a request whose withdrawal could not be written is neither approved nor left in the inbox", async () => {
    let failing = true;
    const store = (inner: ApprovalStore): ApprovalStore => ({
      ...inner,
      withdrawEnded: async () => false,
      decide: (decision) => (failing && decision.status === "withdrawn" ? busy() : inner.decide(decision)),
    });
    const server = await start(scratch.db, { store });
    const controller = new AbortController();
    const { id, done } = await ask(server, { signal: controller.signal });
    controller.abort();
    expect(await done()).toMatchObject({ status: "cancelled" });
    // As where the end of the call could not be written either.
    rows().prepare("UPDATE Execution SET status = 'waiting' WHERE id = ?").run(id);
    await expect(server.approvals.decide(ALICE, id, { approved: true })).rejects.toThrow("database is locked");
    failing = false;
    await waitUntil(async () => (await server.approvals.count()).open === 0, { what: "the withdrawal" });
    expect(await server.approvals.decide(ALICE, id, { approved: true })).toMatchObject({
      decided: false,
      status: "withdrawn",
    });
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 a request whose call has ended cannot be approved, and the attempt gets an error that it is over", async () => {
    const server = await start(scratch.db, {
      // Seen before the call ended: then the write has to notice.
      store: (inner) => {
        let first = true;
        const find: ApprovalStore["find"] = async (executionId) => {
          const found = await inner.find(executionId);
          const late = first && found !== null && !found.waits && found.status === "open";
          if (!late) return found;
          first = false;
          return { ...found, waits: true };
        };
        return { ...inner, find, settled: async () => [], withdrawEnded: async () => false };
      },
    });
    const { id } = await ask(server);
    rows().prepare("UPDATE Execution SET status = 'cancelled' WHERE id = ?").run(id);
    const outcome = await server.approvals.decide(ALICE, id, { approved: true });
    expect(outcome).toMatchObject({ decided: false, status: "withdrawn" });
    expect(await server.approvals.count()).toEqual({ open: 0 });
  });

  it("AGT-05 a request whose call has ended leaves the inbox automatically, and its caller gets an answer", async () => {
    const server = await start(scratch.db);
    const [ended, other] = [await ask(server), await ask(server)];
    rows().prepare("UPDATE Execution SET status = 'interrupted', finishedAt = 1 WHERE id = ?").run(ended.id);
    expect(await ended.done()).toMatchObject({ status: "cancelled" });
    await waitUntil(async () => (await server.approvals.count()).open === 1, { what: "the withdrawal" });
    expect(await server.approvals.get(ended.id)).toMatchObject({ status: "withdrawn" });
    expect(await server.approvals.get(other.id)).toMatchObject({ status: "open" });
  });

  it("AGT-05 a call and its request come in one commit", async () => {
    const server = await start(scratch.db, { store: (inner) => ({ ...inner, open: busy }) });
    const { id, done } = await ask(server);
    const { requestedAt, expiresAt } = await server.approvals.get(id);
    expect(expiresAt - requestedAt).toBe(86_400_000);
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(await done()).toMatchObject({ success: true });
  });
});
