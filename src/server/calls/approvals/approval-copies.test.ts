import { describe, expect, it, onTestFinished } from "vitest";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { newExecutionId } from "../../../lib/execution-id";
import { hasMask } from "../../../lib/masked-value";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { silentLogger } from "../../create-tool-engine";
import { CallerLeft } from "../../engine/failures";
import { createHeldAnswer, openCallerApprovals, openFormClient } from "../../mcp/gateway/client-approvals.test-support";
import { startGateway } from "../../mcp/gateway/gateway.test-support";
import { openInstances } from "../../platform/coordination/postgres/coordination-copies.test-support";
import { STEADY_TIMING } from "../../platform/coordination/single-copy.test-support";
import { openPostgres } from "../../platform/db/postgres/postgres-database";
import { HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { interruptOrphans } from "../executions/db/interrupt-orphans";
import { ALICE, BOB, startServer, WIPE } from "./approval.test-support";

const LOGIN: ToolDefinition = {
  ...WIPE,
  parameters: {
    type: "object",
    properties: { folder: { type: "string" }, password: { type: "string", format: "password" } },
  },
};
const ARGS = { folder: "/old", password: "planted-1" };

async function openServers(count: number, tool = WIPE) {
  const { copies, url } = await openInstances(count, STEADY_TIMING);
  return await Promise.all(
    copies.map(async (coordination) => {
      const db = await openPostgres({ url, logger: silentLogger });
      coordination.copies.onLost(async () => void (await interruptOrphans(db, silentLogger)));
      const server = await startServer(db, { coordination, tools: [tool] });
      coordination.copies.onLost(server.approvals.settleLost);
      onTestFinished(async () => {
        await server.stop();
        await db.close();
      });
      const { id } = coordination.copies.self;
      return {
        ...server,
        db,
        expel: () => db.pool.query(`UPDATE "Copy" SET "endedAt" = clock_timestamp() WHERE "id" = $1`, [id]),
      };
    }),
  );
}

type Server = Awaited<ReturnType<typeof openServers>>[number];

/** A call that waits for approval. */
async function ask(
  { executions }: Server,
  more: object = {},
): Promise<{ id: string; done: Promise<ExecutionEnvelope> }> {
  const id = newExecutionId();
  let done: Promise<ExecutionEnvelope> | undefined;
  await new Promise<void>((resolve) => {
    done = executions.execute("wipe", ARGS, { executionId: id, ...more, onWaiting: () => resolve() });
  });
  return { id, done: done as Promise<ExecutionEnvelope> };
}

const statusOf = async ({ executions }: Server, id: string) => (await executions.get(id)).status;

describe.skipIf(!HAS_POSTGRES)(
  "an approval of a call that waits in another copy of the server",
  { timeout: 60_000 },
  () => {
    it("AGT-05 is withdrawn from the client of its caller when the other instance decides", async () => {
      const [first, second] = (await openServers(2)) as [Server, Server];
      const { executions, engine } = first;
      const { port } = openCallerApprovals(first);
      const gateway = await startGateway({
        ports: { executor: executions, tools: () => engine.registry.list(), approvals: port },
      });
      onTestFinished(gateway.close);
      const held = createHeldAnswer();
      const client = await openFormClient(gateway.url, "2025-11-25", held.answer);
      onTestFinished(client.close);
      const call = client.call("wipe", ARGS);
      await waitUntil(() => held.forms.length === 1, { what: "the form" });
      const [item] = (await second.approvals.list("open", undefined, 10)).items;
      expect(item).toMatchObject({ askedIn: "claude-code/2.1" });
      await second.approvals.decide(BOB, item?.executionId ?? "", { approved: true });
      expect((await call).isError).toBe(false);
      await waitUntil(() => held.withdrawn.length === 1, { what: "the withdrawal" });
      expect(await first.approvals.get(item?.executionId ?? "")).toMatchObject({ decidedBy: BOB, decidedIn: null });
    });

    it("AGT-05 is decided once, whoever decides where, and its caller continues there at once", async () => {
      const servers = await openServers(3);
      const [first, second, third] = servers as [Server, Server, Server];
      const calls = await Promise.all([1, 2, 3, 4].map(() => ask(first)));
      const outcomes = await Promise.all(
        calls.flatMap(({ id }) => [
          second.approvals.decide(ALICE, id, { approved: true }),
          third.approvals.decide(BOB, id, { approved: false }),
        ]),
      );
      expect(outcomes.filter(({ decided }) => decided)).toHaveLength(4);
      const envelopes = await Promise.all(calls.map(({ done }) => done));
      const approved = envelopes.filter(({ success }) => success).length;
      expect(servers.map(({ wiped }) => wiped.length)).toEqual([approved, 0, 0]);
      for (const { id } of calls) expect((await first.approvals.get(id)).status).not.toBe("open");
    });

    it("AGT-05 shows masks, and runs with the values that only that instance has, edited or not", async () => {
      const [first, second] = (await openServers(2, LOGIN)) as [Server, Server];
      const asked = await ask(first);
      const { argumentsText } = await second.approvals.get(asked.id);
      expect(hasMask(argumentsText)).toBe(true);
      await second.approvals.decide(ALICE, asked.id, { approved: true });
      expect(await asked.done).toMatchObject({ success: true });
      const edited = await ask(first);
      const text = argumentsText.replace("/old", "/new");
      await second.approvals.decide(ALICE, edited.id, { approved: true, argumentsText: text });
      expect(await edited.done).toMatchObject({ success: true });
      expect(first.wiped).toEqual([ARGS, { ...ARGS, folder: "/new" }]);
      // A value that the approver enters may be a secret too.
      const typed = await ask(first);
      const argumentsWithSecret = JSON.stringify({ ...ARGS, password: "typed-secret" });
      await second.approvals.decide(ALICE, typed.id, { approved: true, argumentsText: argumentsWithSecret });
      await typed.done;
      expect(first.wiped.at(-1)).toEqual({ ...ARGS, password: "typed-secret" });
      const posts = await first.db.pool.query<{ posts: string }>(`SELECT "posts" FROM "Bulletin"`);
      expect(posts.rows.map((row) => row.posts).join()).not.toMatch(/typed-secret|planted/);
      await expect(
        second.approvals.decide(ALICE, (await ask(first)).id, { approved: true, argumentsText: "{" }),
      ).rejects.toMatchObject({ code: "INVALID" });
    });

    it("AGT-05 is withdrawn by a cancellation from any instance, which ends the call there", async () => {
      const [first, second] = (await openServers(2)) as [Server, Server];
      const { id, done } = await ask(first);
      expect(await second.executions.cancel(ALICE, id)).toEqual({ cancelled: true });
      expect(await done).toMatchObject({ status: "cancelled" });
      await second.executions.ended(id);
      expect(await statusOf(second, id)).toBe("cancelled");
      expect((await second.approvals.get(id)).status).toBe("withdrawn");
    });

    it("AGT-05 runs in that instance where its caller has left, and in one that lives where the instance is lost", async () => {
      const [first, second] = (await openServers(2)) as [Server, Server];
      const left = new AbortController();
      const detached = await ask(first, { signal: left.signal });
      left.abort(new CallerLeft());
      await detached.done;
      await second.approvals.decide(ALICE, detached.id, { approved: true, confirmed: true });
      await waitUntil(async () => (await statusOf(second, detached.id)) === "succeeded");
      expect([first.wiped.length, second.wiped.length]).toEqual([1, 0]);
      const lost = await ask(first, { runId: "run_1", callId: "call_1" });
      await first.expel();
      await waitUntil(async () => (await second.approvals.get(lost.id)).detached);
      expect(await statusOf(second, lost.id)).toBe("waiting");
      await second.approvals.decide(ALICE, lost.id, { approved: true });
      await waitUntil(async () => (await statusOf(second, lost.id)) === "succeeded");
      expect(second.resumed).toEqual([[lost.id, "run_1"]]);
      expect([first.wiped.length, second.wiped.length]).toEqual([1, 1]);
    });

    it("AGT-05 that was decided while its instance stood still runs once that instance is lost", async () => {
      const [first, second] = (await openServers(2)) as [Server, Server];
      const { id } = await ask(first);
      // The decision is stored, and the copy ends before it is told.
      await first.vanish();
      await first.approvalStore.decide({
        executionId: id,
        status: "approved",
        decidedAt: Date.now(),
        by: ALICE,
        reason: null,
      });
      await first.expel();
      await waitUntil(async () => (await statusOf(second, id)) === "succeeded");
      expect([first.wiped.length, second.wiped.length]).toEqual([0, 1]);
    });

    it("AGT-05 an instance that starts touches nothing that waits in the others, and an allowance of a run holds in all", async () => {
      const [first, second] = (await openServers(2)) as [Server, Server];
      const one = await ask(first, { runId: "run_1", callId: "call_1" });
      await second.approvals.load();
      expect(await second.approvals.get(one.id)).toMatchObject({ status: "open", detached: false });
      const alike = await ask(first, { runId: "run_1", callId: "call_2" });
      await second.approvals.decide(ALICE, one.id, { approved: true, scope: "run" });
      expect(await Promise.all([one.done, alike.done])).toMatchObject([{ success: true }, { success: true }]);
      const later = await second.executions.execute("wipe", ARGS, { runId: "run_1", callId: "call_3" });
      expect(later).toMatchObject({ success: true });
      expect([first.wiped.length, second.wiped.length]).toEqual([2, 1]);
    });
  },
);
