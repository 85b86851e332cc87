import { statSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { RetentionPolicy, RetentionRule } from "../../../lib/contract/retention";
import { retentionPolicySchema } from "../../../lib/contract/retention";
import { createExecutionStore } from "../../calls/executions/db/execution-store";
import { createKeptExecutions, createUnusedDefinitions } from "../../calls/executions/db/kept-executions";
import { systemClock } from "../../calls/executions/execution.test-support";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../platform/db/database.test-support";
import { hashDefinition } from "../../platform/db/definition-hash";
import { releaseFreePages } from "../../platform/db/free-pages";
import { AUDIT_TEST_KEY } from "../audit/audit.test-support";
import { createExecutionDigestStore } from "../audit/db/digest-store";
import { createDigestChain, createMarks } from "../audit/execution-digest";
import { createExecutionDigester } from "../audit/execution-digester";
import { verifyExecutions } from "../audit/verify-executions";
import { createKeptRuns } from "../runs/db/kept-runs";
import { planRetention } from "./retention-plan";
import { type SweepPorts, sweep } from "./retention-sweep";

const DAY = 24 * 60 * 60_000;
const NOW = Date.UTC(2026, 10, 1);
const chain = createDigestChain(AUDIT_TEST_KEY);
const marks = createMarks(AUDIT_TEST_KEY);

let scratch: ScratchDatabase;
let ports: SweepPorts;
let digests: ReturnType<typeof createExecutionDigestStore>;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  const { db } = scratch;
  digests = createExecutionDigestStore({ db, chain, anchor: null });
  const store = createExecutionStore({
    db,
    logger: quietLogger(),
    instanceId: "i",
    clock: systemClock,
    recordDeleted: digests.recordDeleted,
  });
  onTestFinished(async () => {
    await store.close();
    await scratch.remove();
  });
  ports = {
    executions: createKeptExecutions(db),
    runs: createKeptRuns(db),
    definitions: createUnusedDefinitions(db),
    deleteExecutions: store.delete,
    now: () => NOW,
    releaseSpace: (signal) => releaseFreePages(db, signal),
  };
});

interface Call {
  id: string;
  tool?: string;
  server?: string;
  source?: string;
  /** Days before now. */
  age?: number;
  result?: string;
  status?: string;
  pinned?: boolean;
  parent?: string;
  run?: string;
  definition?: string;
}

function insert(table: string, row: Record<string, string | number | null>): void {
  const names = Object.keys(row);
  const columns = names.map((name) => `"${name}"`).join(", ");
  scratch.db.raw
    .prepare(`INSERT INTO "${table}" (${columns}) VALUES (${names.map(() => "?").join(", ")})`)
    .run(...Object.values(row));
}

function record(...calls: Call[]): void {
  for (const { id, tool = "echo", server, source = "api", age = 0, result = '"ok"', ...rest } of calls) {
    insert("Execution", {
      id,
      status: rest.status ?? "succeeded",
      toolName: tool,
      serverName: server ?? null,
      source,
      actorId: LOCAL_OWNER.id,
      actorName: LOCAL_OWNER.name,
      queuedAt: NOW - age * DAY,
      finishedAt: NOW - age * DAY,
      instanceId: "i",
      arguments: "{}",
      result,
      pinned: rest.pinned === true ? 1 : 0,
      parentId: rest.parent ?? null,
      runId: rest.run ?? null,
      definitionHash: rest.definition ?? null,
    });
  }
}

function recordRun(id: string, age: number, events: number, more: Record<string, string | number> = {}): void {
  insert("Run", {
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
    ...more,
  });
  for (let index = 0; index < events; index += 1) {
    insert("RunEvent", { runId: id, index, at: 1, type: "user_message", body: `{"text":"${"x".repeat(20)}"}` });
  }
}

const policy = (...rules: RetentionRule[]): RetentionPolicy => ({ rules });
const apply = (...rules: RetentionRule[]) => sweep(ports, policy(...rules), new AbortController().signal);
const preview = async (...rules: RetentionRule[]) => (await planRetention(ports, policy(...rules), NOW)).findings;
const left = (table: string, column: string): unknown[] =>
  scratch.db.raw.prepare(`SELECT "${column}" FROM "${table}" ORDER BY 1`).pluck().all();

describe("retention", () => {
  it("deletes nothing without rules", async () => {
    record({ id: "old", age: 4_000 });
    expect(await apply()).toMatchObject({ executions: 0, runs: 0, error: null });
    expect(left("Execution", "id")).toEqual(["old"]);
  });

  it("limits calls by age, number and bytes, the oldest first, and the most specific rule decides", async () => {
    record(
      ...[50, 40, 30, 20, 10].map((age) => ({ id: `other-${age}`, age })),
      ...[50, 40, 30].map((age) => ({ id: `kept-${age}`, tool: "kept", server: "files", age })),
      ...[9, 8, 7].map((age) => ({ id: `files-${age}`, tool: "files__read", server: "files", age })),
      ...[6, 5, 4].map((age) => ({ id: `gateway-${age}`, source: "gateway", age, result: "x".repeat(98) })),
    );
    const rules: RetentionRule[] = [
      { scope: "tool", name: "kept" },
      { scope: "server", name: "files", maxCount: 2 },
      { scope: "source", name: "gateway", maxBytes: 250 },
      { scope: "other", maxAgeDays: 25 },
    ];
    const findings = await preview(...rules);
    expect(findings.map(({ deletes, keeps, exempt }) => [deletes.count, keeps.count, exempt])).toEqual([
      [0, 3, 0],
      [1, 2, 0],
      [1, 2, 0],
      [3, 2, 0],
    ]);
    expect(findings[3]).toMatchObject({ deletes: { bytes: 18 }, oldestKeptAt: NOW - 20 * DAY });
    expect(await apply(...rules)).toMatchObject({ executions: 5, bytes: 3 * 6 + 6 + 100, error: null });
    expect(left("Execution", "id")).toEqual(
      [
        "files-7",
        "files-8",
        "gateway-4",
        "gateway-5",
        "kept-30",
        "kept-40",
        "kept-50",
        "other-10",
        "other-20",
      ].toSorted(),
    );
    expect(await apply(...rules)).toMatchObject({ executions: 0 });
  });

  it("keeps what is pinned, runs, or is named by an open approval, a task, a request key or a replay that stays", async () => {
    const ids = ["pinned", "running", "asked", "tasked", "keyed", "replayed", "gone", "gone-replayed"];
    record(...ids.map((id) => ({ id, age: 9, pinned: id === "pinned", status: id === "running" ? id : "succeeded" })));
    record({ id: "replay", parent: "replayed" }, { id: "old-replay", parent: "gone-replayed", age: 8 });
    insert("Approval", { executionId: "asked", status: "open", requestedAt: 1, expiresAt: NOW + 1 });
    insert("Approval", { executionId: "gone", status: "approved", requestedAt: 1, expiresAt: 1 });
    const task = { owner: "o", calledAs: "echo", createdAt: 1 };
    insert("GatewayTask", { ...task, id: "t", executionId: "tasked", expiresAt: NOW + 1 });
    insert("GatewayTask", { ...task, id: "u", executionId: "gone", expiresAt: NOW - 1 });
    insert("IdempotencyKey", { owner: "o", key: "k", fingerprint: "f", targetId: "keyed", createdAt: NOW - 1 });
    const rule: RetentionRule = { scope: "other", maxAgeDays: 7 };
    expect(await preview(rule)).toMatchObject([{ deletes: { count: 3 }, keeps: { count: 1 }, exempt: 6 }]);
    expect(await apply(rule)).toMatchObject({ executions: 3, error: null });
    expect(left("Execution", "id")).toEqual(["asked", "keyed", "pinned", "replay", "replayed", "running", "tasked"]);
    expect(left("Approval", "executionId")).toEqual(["asked"]);
  });

  it("deletes runs with their events and calls, and none that is pinned, unfinished or named", async () => {
    recordRun("old", 9, 700);
    recordRun("pinned", 9, 1);
    recordRun("parent", 9, 1);
    recordRun("child", 1, 1, { parentId: "parent" });
    recordRun("waiting", 9, 1, { status: "waiting" });
    record({ id: "of-old", run: "old", age: 9 }, { id: "of-pinned", run: "pinned", age: 9, pinned: true });
    // Calls of a run stay with their run, whatever rule is about their tool.
    record({ id: "of-child", run: "child", age: 9 });
    const rules: RetentionRule[] = [
      { scope: "runs", maxAgeDays: 7 },
      { scope: "other", maxAgeDays: 7 },
    ];
    const bytes = 700 * 31 + 6;
    expect(await preview(...rules)).toMatchObject([
      { deletes: { count: 1, bytes }, keeps: { count: 1 }, exempt: 3 },
      {},
    ]);
    expect(await apply(...rules)).toMatchObject({ executions: 1, runs: 1, bytes, error: null });
    expect(left("Run", "id")).toEqual(["child", "parent", "pinned", "waiting"]);
    expect([...new Set(left("RunEvent", "runId"))]).toEqual(["child", "parent", "pinned", "waiting"]);
    expect(left("Execution", "id")).toEqual(["of-child", "of-pinned"]);
  });

  it("finishes a run whose deletion was cut short", async () => {
    recordRun("cut", 9, 5);
    scratch.db.raw.exec(`DELETE FROM "Run"`);
    recordRun("stays", 0, 2);
    await apply({ scope: "runs", maxAgeDays: 1 });
    expect(left("RunEvent", "runId")).toEqual(["stays", "stays"]);
  });

  it("takes definitions along that no call names any more, and the next call stores its own again", async () => {
    for (const hash of ["used", "old"]) insert("Definition", { hash, toolName: "echo", json: "{}" });
    record({ id: "a", age: 9, definition: "old" }, { id: "b", definition: "used" });
    expect(await apply({ scope: "other", maxAgeDays: 7 })).toMatchObject({
      executions: 1,
      definitions: 1,
      error: null,
    });
    expect(left("Definition", "hash")).toEqual(["used"]);
    expect(scratch.db.raw.pragma("foreign_keys", { simple: true })).toEqual(expect.anything());
    expect(() => record({ id: "c", definition: "old" })).toThrow(/FOREIGN KEY/);
    // A call that waits may name another definition of its tool by the time it runs.
    insert("Definition", { hash: "next", toolName: "asking", json: "{}" });
    record({ id: "d", tool: "asking", status: "waiting" });
    expect(await apply({ scope: "other", maxAgeDays: 7 })).toMatchObject({ definitions: 0, error: null });
    expect(left("Definition", "hash")).toEqual(["next", "used"]);
  });

  it("every deletion is accounted for in the chain of digests", async () => {
    record(...Array.from({ length: 300 }, (_, at) => ({ id: `call-${at}`, age: 400 - at })));
    const now = () => NOW + 2 * DAY;
    await createExecutionDigester({ store: digests, marks, now, isStopping: () => false })();
    expect(await apply({ scope: "other", maxAgeDays: 200 })).toMatchObject({ executions: 200 });
    const verdict = await verifyExecutions({
      store: digests,
      chain,
      marks,
      ends: [],
      claimers: new Set<string>(),
      localOwner: LOCAL_OWNER,
      hashDefinition,
    });
    expect(verdict).toEqual({ intact: 100, deleted: 200, unmarked: 0, broken: [] });
  });

  it("gives the space back to the disk", async () => {
    record(
      ...Array.from({ length: 400 }, (_, at) => ({
        id: `call-${at}`,
        age: at < 380 ? 9 : 0,
        result: "x".repeat(20_000),
      })),
    );
    scratch.db.raw.pragma("wal_checkpoint(TRUNCATE)");
    const before = statSync(scratch.filePath).size;
    const { releasedBytes } = await apply({ scope: "other", maxAgeDays: 7 });
    scratch.db.raw.pragma("wal_checkpoint(TRUNCATE)");
    expect(releasedBytes).toBeGreaterThan(before / 2);
    expect(before - statSync(scratch.filePath).size).toBe(releasedBytes);
    expect(scratch.db.raw.pragma("integrity_check", { simple: true })).toBe("ok");
  });

  it("a sweep that is stopped keeps the rest for the next one", async () => {
    record(...Array.from({ length: 50 }, (_, at) => ({ id: `call-${at}`, age: 9 })));
    const stop = new AbortController();
    const deleteExecutions: SweepPorts["deleteExecutions"] = async (ids, by) => {
      stop.abort();
      return await ports.deleteExecutions(ids, by);
    };
    const rules = policy({ scope: "other", maxAgeDays: 7 });
    const { executions } = await sweep({ ...ports, deleteExecutions }, rules, stop.signal);
    expect(executions).toBeGreaterThan(0);
    expect(executions).toBeLessThan(50);
    expect(await apply(...rules.rules)).toMatchObject({ executions: 50 - executions });
  });
});

it.each([
  [[{ scope: "tool", maxCount: 1 }], /rules\.0\.name|is required/],
  [[{ scope: "source", name: "post" }], /must be one of console/],
  [[{ scope: "other", maxAgeDays: 0 }], /must be at least 1/],
  [[{ scope: "other" }, { scope: "other", maxCount: 1 }], /has a rule already/],
  [[{ scope: "runs", name: "gateway" }], /must be one of agent/],
])("refuses the rules %j with a sentence", (rules, words) => {
  const parsed = retentionPolicySchema.safeParse({ rules });
  expect(parsed.error?.message).toMatch(words);
});
