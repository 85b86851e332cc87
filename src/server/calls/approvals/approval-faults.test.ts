import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { newExecutionId } from "../../../lib/execution-id";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { CallerLeft } from "../../engine/failures";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { ALICE, startServer, type TestServer, type TestServerOptions } from "./approval.test-support";
import type { ApprovalStore } from "./approval-store";

let scratch: ScratchDatabase;
const servers: TestServer[] = [];

beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await scratch.remove();
});

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startServer(scratch.db, options);
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
const getStatus = async (server: TestServer, id: string) => (await server.executions.get(id)).status;
describe("a call that waits", () => {
  it("AGT-05 and is decided while its caller leaves is run all the same", async () => {
    const controller = new AbortController();
    let decide = async (): Promise<unknown> => undefined;
    // The periodic check would also report it, so the caller only learns of it by leaving.
    const store = (inner: ApprovalStore): ApprovalStore => ({
      ...inner,
      settled: async () => [],
      async detach(executionId) {
        await decide();
        return inner.detach(executionId);
      },
    });
    const server = await start({ store });
    const { id, done } = await ask(server, { signal: controller.signal });
    decide = async () => {
      const decision = { status: "approved", decidedAt: Date.now(), by: ALICE, reason: null } as const;
      await server.approvalStore.decide({ executionId: id, ...decision });
    };
    controller.abort(new CallerLeft());
    expect(await done()).toMatchObject({ error_kind: "approval_pending" });
    await waitUntil(async () => (await getStatus(server, id)) === "succeeded", { what: "the run" });
    expect(server.wiped).toEqual([{ folder: "/old" }]);
  });

  it("AGT-05 goes on with the caller that came back to it after a restart", async () => {
    const first = await start();
    const { id } = await ask(first);
    servers.splice(servers.indexOf(first), 1);
    await first.vanish();
    await scratch.reopen();
    const back = await start();
    expect((await back.approvals.get(id)).detached).toBe(true);
    const done = back.executions.execute("wipe", { folder: "/old" }, { executionId: id, waiting: true });
    await waitUntil(async () => !(await back.approvals.get(id)).detached, { what: "the caller's return" });
    await back.approvals.decide(ALICE, id, { approved: true });
    expect(await done).toMatchObject({ success: true });
    expect(back.wiped).toEqual([{ folder: "/old" }]);
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
    const server = await start({ store });
    const { id, done } = await ask(server);
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(await done()).toMatchObject({ success: true });
  });

  it("AGT-05 a call whose caller could not be marked as gone is run once it is approved", async () => {
    let failing = true;
    const detach = (inner: ApprovalStore) => (id: string) => (failing ? busy() : inner.detach(id));
    const server = await start({ store: (inner) => ({ ...inner, detach: detach(inner) }) });
    const { id, done } = await ask(server, { approvalWaitMs: 10 });
    expect(await done()).toMatchObject({ error_kind: "approval_pending" });
    await server.approvals.decide(ALICE, id, { approved: true });
    failing = false;
    await waitUntil(async () => (await getStatus(server, id)) === "succeeded", { what: "the run" });
    expect(server.wiped).toHaveLength(1);
  });

  it("AGT-05 a request whose withdrawal could not be written is neither approved nor left in the inbox", async () => {
    let failing = true;
    const store = (inner: ApprovalStore): ApprovalStore => ({
      ...inner,
      withdrawEnded: async () => false,
      decide: (decision) => (failing && decision.status === "withdrawn" ? busy() : inner.decide(decision)),
    });
    const server = await start({ store });
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
    const server = await start({
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
    const server = await start();
    const ended = await ask(server);
    const other = await ask(server);
    rows().prepare("UPDATE Execution SET status = 'interrupted', finishedAt = 1 WHERE id = ?").run(ended.id);
    expect(await ended.done()).toMatchObject({ status: "cancelled" });
    await waitUntil(async () => (await server.approvals.count()).open === 1, { what: "the withdrawal" });
    expect(await server.approvals.get(ended.id)).toMatchObject({ status: "withdrawn" });
    expect(await server.approvals.get(other.id)).toMatchObject({ status: "open" });
  });

  it("AGT-05 a call and its request come in one commit", async () => {
    const server = await start({ store: (inner) => ({ ...inner, open: busy }) });
    const { id, done } = await ask(server);
    const { requestedAt, expiresAt } = await server.approvals.get(id);
    expect(expiresAt - requestedAt).toBe(86_400_000);
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(await done()).toMatchObject({ success: true });
  });
});
