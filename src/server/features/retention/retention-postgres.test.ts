import { describe, expect, it, onTestFinished } from "vitest";
import { createExecutionStore } from "../../calls/executions/db/execution-store";
import { createKeptExecutions, createUnusedDefinitions } from "../../calls/executions/db/kept-executions";
import { systemClock } from "../../calls/executions/execution.test-support";
import { quietLogger } from "../../platform/db/database.test-support";
import { createScratchPostgres, HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createKeptRuns } from "../runs/db/kept-runs";
import { createWebhookStore } from "../webhooks/db/webhook-store";
import { sweep } from "./retention-sweep";

const DAY = 24 * 60 * 60_000;
const NOW = Date.UTC(2026, 10, 1);

async function openDatabase() {
  const scratch = await createScratchPostgres();
  const { db } = scratch;
  const store = createExecutionStore({ db, logger: quietLogger(), instanceId: "i", clock: systemClock });
  onTestFinished(async () => {
    await store.close();
    await scratch.remove();
  });
  const insert = async (table: string, row: Record<string, string | number | null>): Promise<void> => {
    const columns = Object.keys(row).map((name) => `"${name}"`);
    const marks = columns.map(() => "?").join(", ");
    await db.change(`INSERT INTO "${table}" (${columns.join(", ")}) VALUES (${marks})`, ...Object.values(row));
  };
  const call = (id: string, ageDays: number, more: Record<string, string | number> = {}) =>
    insert("Execution", {
      id,
      status: "succeeded",
      toolName: "echo",
      source: "api",
      actorId: "a",
      actorName: "A",
      instanceId: "i",
      queuedAt: NOW - ageDays * DAY,
      finishedAt: NOW - ageDays * DAY,
      arguments: "{}",
      result: '"ok"',
      ...more,
    });
  const left = async (table: string): Promise<string[]> =>
    (await db.rows<{ id: string }>(`SELECT "id" FROM "${table}" ORDER BY 1`)).map(({ id }) => id);
  const apply = (...rules: Parameters<typeof sweep>[1]["rules"]) =>
    sweep(
      {
        executions: createKeptExecutions(db),
        runs: createKeptRuns(db),
        definitions: createUnusedDefinitions(db),
        deleteExecutions: store.delete,
        releaseSpace: async () => 0,
        now: () => NOW,
      },
      { rules },
      new AbortController().signal,
    );
  return { db, insert, call, left, apply };
}

describe.skipIf(!HAS_POSTGRES)("retention on PostgreSQL", () => {
  it("deletes calls and runs with their events by its rules, and keeps what is pinned, open or named", async () => {
    const { db, insert, call, left, apply } = await openDatabase();
    await call("new", 1);
    await call("old", 40);
    await call("pinned", 40, { pinned: 1 });
    await call("running", 40, { status: "running" });
    await call("replayed", 40);
    await call("replay", 1, { parentId: "replayed" });
    for (const [id, age] of [["new-run", 1] as const, ["old-run", 40] as const]) {
      await insert("Run", {
        id,
        status: "completed",
        source: "agent",
        provider: "demo",
        model: "demo",
        title: id,
        actorId: "a",
        actorName: "A",
        startedAt: NOW - age * DAY,
        settings: "{}",
      });
      await insert("RunEvent", { runId: id, index: 0, at: 1, type: "user_message", body: "{}" });
    }
    await call("call-of-old-run", 40, { runId: "old-run" });
    const done = await apply({ scope: "other", maxAgeDays: 30 }, { scope: "runs", maxAgeDays: 30 });
    expect(done).toMatchObject({ executions: 2, runs: 1, definitions: 0, error: null });
    expect(await left("Execution")).toEqual(["new", "pinned", "replay", "replayed", "running"]);
    expect(await left("Run")).toEqual(["new-run"]);
    expect(await db.rows('SELECT "runId" FROM "RunEvent"')).toEqual([{ runId: "new-run" }]);
  });
});

describe.skipIf(!HAS_POSTGRES)("webhooks on PostgreSQL", () => {
  it("keep their secret sealed, and their deliveries until they are deleted", async () => {
    const { db } = await openDatabase();
    const seal = { seal: (text: string) => `sealed ${text}`, open: (text: string) => text.slice("sealed ".length) };
    const store = createWebhookStore({ db, secretBox: seal });
    const webhook = {
      id: "w",
      url: "https://example.com/hook",
      description: "",
      enabled: true,
      approverId: null,
      disabledReason: null,
      events: ["run.failed" as const],
      tools: ["echo"],
      secret: "whsec_x",
      createdAt: NOW,
      updatedAt: NOW,
    };
    await store.create(webhook);
    expect(await store.list()).toEqual([webhook]);
    expect(await db.rows('SELECT "secret" FROM "Webhook"')).toEqual([{ secret: "sealed whsec_x" }]);
    const delivery = {
      id: "d",
      webhookId: "w",
      event: "run.failed" as const,
      status: "pending" as const,
      attempts: 0,
      createdAt: NOW,
      lastAt: null,
      nextAt: NOW,
      responseStatus: null,
      error: null,
      body: "{}",
    };
    await store.addDeliveries([delivery]);
    expect(await store.pending()).toEqual([{ webhookId: "w", nextAt: NOW }]);
    await store.updateDelivery("d", {
      ...delivery,
      status: "delivered",
      attempts: 1,
      responseStatus: 200,
      nextAt: null,
    });
    expect(await store.findDelivery("d")).toMatchObject({ status: "delivered", attempts: 1 });
    expect(await store.delete("w")).toBe(true);
    expect(await store.findDelivery("d")).toBeNull();
  });
});
