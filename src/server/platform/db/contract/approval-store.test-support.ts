import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApprovalDecisionRecord, ApprovalStore } from "../../../calls/approvals/approval-store";
import { anEnd, aStart, WEATHER } from "../../../calls/executions/execution.test-support";
import type { ExecutionStore } from "../../../calls/executions/execution-store";
import type { ApprovalRequest } from "../../../engine/ports";
import { type CreateDatabase, type StoreDatabase, useDatabase } from "./store-database.test-support";

let database: () => StoreDatabase;
let store: ApprovalStore;
let executions: ExecutionStore;

function openStores(createDatabase: CreateDatabase): void {
  const opened = useDatabase(createDatabase);
  beforeEach(() => {
    database = opened;
    store = database().approvals();
    executions = database().executions({ instanceId: "inst_a" });
  });
  afterEach(() => executions.close());
}

/** A call that waits, with its request. */
async function ask(id: string, request: Partial<ApprovalRequest> = {}) {
  const start = aStart({ id, waiting: true, request: { requestedAt: 1000, expiresAt: 9000, mode: null, ...request } });
  await executions.begin(start);
  return start;
}

const decision = (id: string, changes: Partial<ApprovalDecisionRecord> = {}): ApprovalDecisionRecord => ({
  executionId: id,
  status: "approved",
  decidedAt: 2000,
  by: { id: "ada", name: "Ada" },
  reason: null,
  ...changes,
});

export function describeApprovalStore(createDatabase: CreateDatabase): void {
  describe("stored approvals", () => {
    openStores(createDatabase);

    it("AGT-05 carry what their calls say, and a second request changes nothing", async () => {
      const start = await ask("exec_1", { mode: "other_admin" });
      await store.open({ executionId: "exec_1", requestedAt: 5, expiresAt: 6, mode: null });
      expect(await store.find("exec_1")).toMatchObject({
        executionId: "exec_1",
        status: "open",
        requestedAt: 1000,
        expiresAt: 9000,
        decidedAt: null,
        decidedBy: null,
        mode: "other_admin",
        toolName: "get_weather",
        argumentsText: start.argumentsText,
        definition: WEATHER,
        actor: start.actor,
        waits: true,
        detached: false,
      });
      expect(await store.find("exec_2")).toBeNull();
    });

    it("AGT-05 a decision is taken once, with the arguments that a user edited", async () => {
      const start = await ask("exec_1");
      const edited = decision("exec_1", { reason: "fine", editedText: '{"location":"Oslo"}' });
      const taken = await Promise.all([store.decide(edited), store.decide(decision("exec_1", { status: "rejected" }))]);
      expect(taken).toEqual([true, false]);
      expect(await store.find("exec_1")).toMatchObject({
        status: "approved",
        decidedAt: 2000,
        decidedBy: { id: "ada", name: "Ada" },
        reason: "fine",
        argumentsText: '{"location":"Oslo"}',
        requestedArgumentsText: start.argumentsText,
      });
    });

    it("AGT-05 say in which client they are asked, while it asks, and in which they were decided", async () => {
      await ask("exec_1");
      await ask("exec_2");
      expect(await store.find("exec_1")).toMatchObject({ askedIn: null, decidedIn: null });
      expect(await store.noteAsked("exec_1", "claude-code/2.1")).toBe(true);
      expect((await store.list("open", undefined, 10)).items[0]).toMatchObject({ askedIn: "claude-code/2.1" });
      expect(await store.noteAsked("exec_1", null)).toBe(true);
      expect(await store.find("exec_1")).toMatchObject({ askedIn: null });
      await store.noteAsked("exec_1", "claude-code/2.1");
      await store.decide(decision("exec_1", { client: "claude-code/2.1" }));
      expect(await store.find("exec_1")).toMatchObject({ decidedIn: "claude-code/2.1" });
      expect(await executions.find("exec_1")).toMatchObject({ approval: { decidedIn: "claude-code/2.1" } });
      expect(await store.noteAsked("exec_1", null)).toBe(false);
      await store.noteAsked("exec_2", "claude-code/2.1");
      await store.detach("exec_2");
      expect(await store.find("exec_2")).toMatchObject({ askedIn: null });
      expect(await store.noteAsked("exec_2", "claude-code/2.1")).toBe(false);
    });

    it("AGT-05 a user comes too late once it expired or its call ended; the clock does not", async () => {
      const ended = await ask("exec_1");
      await ask("exec_2");
      await executions.finish(ended, anEnd(ended));
      expect(await store.decide(decision("exec_1"))).toBe(false);
      expect(await store.decide(decision("exec_2", { decidedAt: 9000 }))).toBe(false);
      expect(await store.expired(8999)).toEqual([]);
      expect(await store.expired(9000)).toEqual(["exec_1", "exec_2"]);
      expect(await store.decide(decision("exec_2", { status: "expired", decidedAt: 9500, by: null }))).toBe(true);
    });

    it("AGT-05 open ones are listed oldest first, decided ones newest decision first, in pages", async () => {
      for (const id of ["exec_1", "exec_2", "exec_3", "exec_4", "exec_5"]) await ask(id);
      expect(await store.countOpen()).toBe(5);
      for (const [index, id] of ["exec_4", "exec_2", "exec_5"].entries()) {
        await store.decide(decision(id, { decidedAt: 2000 + index }));
      }
      const pages = async (status: "open" | "decided") => {
        const first = await store.list(status, undefined, 2);
        const second = await store.list(status, first.nextCursor ?? 0, 2);
        return [first, second].map(({ items }) => items.map(({ executionId }) => executionId));
      };
      expect(await pages("decided")).toEqual([["exec_5", "exec_2"], ["exec_4"]]);
      await ask("exec_6");
      expect(await pages("open")).toEqual([["exec_1", "exec_3"], ["exec_6"]]);
      expect(await store.countOpen()).toBe(3);
    });
  });
}

export function describeApprovalCallers(createDatabase: CreateDatabase): void {
  describe("approvals and their callers", () => {
    openStores(createDatabase);

    it("AGT-05 a caller that left can come back, and after a restart nobody listens", async () => {
      await ask("exec_1");
      expect(await store.detach("exec_1")).toBe(true);
      expect(await store.find("exec_1")).toMatchObject({ detached: true });
      await store.adopt("exec_1");
      expect(await store.find("exec_1")).toMatchObject({ detached: false });
      expect(await store.detachLost()).toBe(true);
      expect(await store.find("exec_1")).toMatchObject({ detached: true });
      await store.decide(decision("exec_1"));
      expect(await store.detach("exec_1")).toBe(false);
    });

    it("AGT-05 requests whose calls ended are withdrawn", async () => {
      const ended = await ask("exec_1");
      await ask("exec_2");
      expect(await store.withdrawEnded(3000)).toBe(false);
      await executions.finish(ended, anEnd(ended));
      expect(await store.settled(["exec_1", "exec_2"])).toEqual(["exec_1"]);
      expect(await store.withdrawEnded(3000)).toBe(true);
      expect(await store.find("exec_1")).toMatchObject({ status: "withdrawn", decidedAt: 3000, waits: false });
      expect(await store.countOpen()).toBe(1);
    });

    it("AGT-05 the next expiry is that of the open request that expires first", async () => {
      expect(await store.nextExpiry()).toBeNull();
      await ask("exec_1", { requestedAt: 1, expiresAt: 5000 });
      await ask("exec_2", { requestedAt: 2, expiresAt: 4000 });
      expect(await store.nextExpiry()).toBe(4000);
      await store.decide(decision("exec_2"));
      expect(await store.nextExpiry()).toBe(5000);
    });

    it("AGT-05 decided requests whose calls still wait are found, and calls without a request are interrupted", async () => {
      await ask("exec_1");
      await store.decide(decision("exec_1"));
      expect(await store.undone()).toEqual(["exec_1"]);
      await executions.begin(aStart({ id: "exec_2", waiting: true, queuedAt: 5000 }));
      expect(await store.interruptUnasked(4000)).toEqual(["exec_2"]);
      expect(await executions.find("exec_2")).toMatchObject({
        status: "interrupted",
        finishedAt: 5000,
        errorKind: "interrupted",
      });
    });
  });
}
