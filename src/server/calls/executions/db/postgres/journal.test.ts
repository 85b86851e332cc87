import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PostgresDatabase } from "../../../../platform/db/database";
import { quietLogger } from "../../../../platform/db/database.test-support";
import { startFlakyProxy } from "../../../../platform/db/postgres/flaky-proxy.test-support";
import { createJournalConnection } from "../../../../platform/db/postgres/journal-connection";
import { openPostgres } from "../../../../platform/db/postgres/postgres-database";
import {
  createScratchPostgres,
  HAS_POSTGRES,
  type ScratchPostgres,
} from "../../../../platform/db/postgres/scratch-postgres.test-support";
import { anEnd, aStart, systemClock } from "../../execution.test-support";
import type { ExecutionStore } from "../../execution-store";
import { createExecutionJournal, type ExecutionJournalStore } from "../execution-journal";
import { createExecutionStore } from "../execution-store";
import { createPostgresBatchCommit } from "./batch-commit";

const PATIENT_MS = 5_000;
const HASTY_MS = 30;

describe.skipIf(!HAS_POSTGRES)("the journal on PostgreSQL", () => {
  let scratch: ScratchPostgres;
  let proxy: Awaited<ReturnType<typeof startFlakyProxy>>;
  let flaky: PostgresDatabase;
  let store: ExecutionStore;
  let journal: ExecutionJournalStore;

  beforeEach(async () => {
    scratch = await createScratchPostgres();
    proxy = await startFlakyProxy(scratch.url);
    flaky = await openPostgres({ url: proxy.url, logger: quietLogger() });
    // It reads past the proxy.
    store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "inst_b", clock: systemClock });
    openJournal(PATIENT_MS);
  });
  afterEach(async () => {
    proxy.comeBack();
    await journal.close();
    await store.close();
    await flaky.close();
    await proxy.close();
    await scratch.remove();
  });

  function openJournal(maxWaitMs: number): void {
    const commit = createPostgresBatchCommit({ journal: flaky.journal, instanceId: "inst_a", maxWaitMs });
    journal = createExecutionJournal({ logger: quietLogger(), commit, onEnded: () => undefined });
  }
  const countRows = async () => (await store.counts()).executions;
  const findStatus = async (id: string) => (await store.summary(id))?.status;

  it("EXE-06 a commit whose answer is lost is found by its id: no call is missing, refused or doubled", async () => {
    const known = aStart();
    await journal.begin(known);
    await journal.finish(known, anEnd(known));
    const begun = aStart();
    const recorded = aStart();
    proxy.loseAnswer();
    await journal.begin(begun);
    proxy.loseAnswer();
    await journal.finish(begun, anEnd(begun));
    proxy.loseAnswer();
    await journal.record(recorded, anEnd(recorded));
    const waiting = aStart({ waiting: true });
    await journal.begin(waiting);
    proxy.loseAnswer();
    expect(await journal.proceed(waiting, { startedAt: 5 })).toBe(true);
    // A transaction of both kinds, cut at each of its answers: BEGIN, the starts, the ends, COMMIT.
    let last = waiting;
    for (const answers of [0, 1, 2, 3]) {
      const next = aStart();
      proxy.loseAnswer(answers);
      await Promise.all([journal.begin(next), journal.finish(last, anEnd(last))]);
      expect([await findStatus(next.id), await findStatus(last.id)]).toEqual(["running", "succeeded"]);
      last = next;
    }
    expect(await countRows()).toBe(8);
    expect(await findStatus(recorded.id)).toBe("succeeded");
  });

  it("a connection that falls silent is given up, and the batch written on a new one", async () => {
    const impatient = createJournalConnection(flaky.connect, () => null, { maxWorkMs: 150 });
    const commit = createPostgresBatchCommit({ journal: impatient, instanceId: "inst_a" });
    const other = createExecutionJournal({ logger: quietLogger(), commit, onEnded: () => undefined });
    const first = aStart();
    const second = aStart();
    await other.begin(first);
    proxy.fallSilent();
    await other.begin(second);
    await other.close();
    await impatient.close();
    expect([await findStatus(first.id), await findStatus(second.id), await countRows()]).toEqual([
      "running",
      "running",
      2,
    ]);
  });

  it("EXE-06 calls go on while the server ends their connection again and again", async () => {
    const ids: string[] = [];
    const endConnections = () =>
      scratch.db.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    const lane = async (): Promise<void> => {
      for (let call = 0; call < 25; call += 1) {
        const start = aStart();
        await journal.begin(start);
        await journal.finish(start, anEnd(start));
        if (ids.push(start.id) % 10 === 0) await endConnections().catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    await expect.poll(() => store.counts().catch(() => null)).toMatchObject({ executions: 200 });
    const rows = await scratch.db.rows<{ status: string }>('SELECT status FROM "Execution"');
    expect(ids).toHaveLength(200);
    expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => "succeeded"));
  });

  it("a start that was refused leaves no row behind, and an end is written when the server is back", async () => {
    const running = aStart();
    await journal.begin(running);
    await journal.close();
    openJournal(HASTY_MS);
    const refused = aStart();
    // Of BEGIN, the definition, the start and COMMIT, the last.
    proxy.loseAnswer(3);
    const refusal = { name: "JournalError", message: "the database cannot be reached" };
    const begun = expect(journal.begin(refused)).rejects.toMatchObject(refusal);
    // Its first answer is lost, and then nobody answers.
    while (proxy.isWaiting()) await new Promise((resolve) => setImmediate(resolve));
    proxy.goDown();
    await begun;
    expect(await findStatus(refused.id)).toBe("running");
    await expect(journal.finish(running, anEnd(running))).rejects.toMatchObject(refusal);
    proxy.comeBack();
    await journal.drain();
    expect(await findStatus(running.id)).toBe("succeeded");
    expect(await findStatus(refused.id)).toBeUndefined();
    await journal.begin(refused);
    expect(await findStatus(refused.id)).toBe("running");
  });

  it("a row that the server refuses does not take its neighbors with it", async () => {
    const rows = [aStart(), aStart({ queuedAt: 1e30 }), aStart()];
    const results = await Promise.allSettled(rows.map((start) => journal.begin(start)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { message: "the database refused the row" } });
    expect(await countRows()).toBe(2);
  });

  it("nothing is recorded once the database belongs to another process", async () => {
    const lost = createJournalConnection(scratch.db.connect, () => "This database belongs to another process now");
    const commit = createPostgresBatchCommit({ journal: lost, instanceId: "inst_a" });
    const other = createExecutionJournal({ logger: quietLogger(), commit, onEnded: () => undefined });
    await expect(other.begin(aStart())).rejects.toThrow("belongs to another process");
    await other.close();
    expect(await countRows()).toBe(0);
  });
});
