import { nanoid } from "nanoid";
import { z } from "zod";
import { isPlainObject } from "../../../../lib/contract/json";
import {
  suiteInputSchema,
  type TestResult,
  type TestRun,
  testProblemSchema,
  testResultSchema,
  testRunSchema,
} from "../../../../lib/contract/suite";
import type { Database } from "../../../platform/db/database";
import type {
  TestResult as ResultRow,
  TestRun as RunRow,
  TestSuite as SuiteRow,
} from "../../../platform/db/generated/client";
import { isLeftToCopy } from "../../../platform/db/owned-rows";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { isRevision, refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import { AMONG, change } from "../../../platform/db/sql";
import type { SealedSuite, StoredSuite, SuiteTiming, TestStore } from "../suite-store";

/** Runs of a suite that are kept; of replays and suites of files together. */
const KEPT_RUNS = 100;
const COUNTERS = { passed: "passed", failed: "failed", error: "errors", skipped: "skipped" } as const;
const problemsSchema = z.array(testProblemSchema).catch([]);

interface StorePorts {
  db: Database;
  now: () => number;
  /** The instance of the server that writes. */
  owner?: string | undefined;
}

export function createTestStore({ db, now, owner = "local" }: StorePorts): TestStore {
  const { testSuite } = db.prisma;
  const { deleteRuns, ...runs } = createRunRows(db, owner);

  const toColumns = ({ name, ...settings }: SealedSuite, { nextRunAt, scheduledBy }: SuiteTiming) => ({
    name,
    settings: JSON.stringify(settings),
    updatedAt: BigInt(now()),
    nextRunAt: nextRunAt === null ? null : BigInt(nextRunAt),
    actorId: scheduledBy?.id ?? null,
    actorName: scheduledBy?.name ?? null,
  });
  const readSuite = (row: SuiteRow | null): StoredSuite | null =>
    row === null ? null : (db.damaged.read("suite", row.name, () => toSuite(row)) ?? null);

  return {
    async suites() {
      const rows = await testSuite.findMany({ orderBy: { name: "asc" } });
      return rows.flatMap((row) => readSuite(row) ?? []);
    },
    findSuite: async (name) => readSuite(await testSuite.findUnique({ where: { name } })),
    findSuiteById: async (id) => readSuite(await testSuite.findUnique({ where: { id } })),

    async createSuite(input, timing, by) {
      const data = toColumns(input, timing);
      const row = { ...data, id: nanoid(12), createdAt: data.updatedAt, changedBy: by.name };
      return toSuite(await db.write(() => testSuite.create({ data: row })).catch(refuseDuplicate("suite", input.name)));
    },
    async updateSuite(name, input, timing, { by, revision }) {
      const data = { ...toColumns(input, timing), changedBy: by?.name ?? null, revision: { increment: 1 } };
      const [row] = await db
        .write(() => testSuite.updateManyAndReturn({ where: { name, ...isRevision(revision) }, data }))
        .catch(refuseDuplicate("suite", input.name));
      if (row === undefined) refuseOutdated("suite", name, await testSuite.findUnique({ where: { name } }));
      return toSuite(row);
    },
    async deleteSuite(name, revision) {
      const row = await testSuite.findUnique({ where: { name } });
      const { count } = await db.write(() => testSuite.deleteMany({ where: { name, ...isRevision(revision) } }));
      if (count === 0 || row === null) refuseOutdated("suite", name, await testSuite.findUnique({ where: { name } }));
      await deleteRuns({ suiteId: row.id }, 0);
    },
    async claimNextRun(id, before, next) {
      const where = { id, nextRunAt: BigInt(before) };
      const data = { nextRunAt: next === null ? null : BigInt(next) };
      return (await db.write(() => testSuite.updateMany({ where, data }))).count > 0;
    },
    async scheduled() {
      const rows = await testSuite.findMany({
        where: { nextRunAt: { not: null } },
        select: { id: true, nextRunAt: true },
      });
      return rows.map(({ id, nextRunAt }) => ({ id, nextRunAt: Number(nextRunAt) }));
    },

    ...runs,
  };
}

function createRunRows(db: Database, owner: string) {
  const { testRun, testResult } = db.prisma;

  async function deleteRuns(where: { suiteId: string | null }, keep: number): Promise<void> {
    const old = await testRun.findMany({
      where: { ...where, status: { not: "running" } },
      orderBy: { seq: "desc" },
      skip: keep,
      select: { id: true },
    });
    if (old.length === 0) return;
    const ids = old.map(({ id }) => id);
    await db.transaction(function* () {
      yield* change(`DELETE FROM "TestResult" WHERE "runId" ${AMONG}`, ids);
      yield* change(`DELETE FROM "TestRun" WHERE id ${AMONG}`, ids);
    });
  }

  return {
    deleteRuns,
    async createRun({ actor, startedAt, ...run }) {
      const who = { actorId: actor.id, actorName: actor.name };
      const data = { ...run, ...who, startedAt: BigInt(startedAt), status: "running", owner };
      const row = await db.write(() => testRun.create({ data }));
      await deleteRuns({ suiteId: run.suiteId }, KEPT_RUNS);
      return toRun(row);
    },
    async addResult(runId, { restricted: _restricted, problems, ...result }) {
      const row = { ...result, problems: JSON.stringify(problems) };
      const columns = Object.keys(row);
      const insert = `INSERT INTO "TestResult" ("runId", ${columns.map((each) => `"${each}"`).join(", ")})
        VALUES (?, ${columns.map(() => "?").join(", ")})`;
      const counter = COUNTERS[result.status];
      await db.transaction(function* () {
        yield* change(insert, runId, ...Object.values(row));
        yield* change(`UPDATE "TestRun" SET ${counter} = ${counter} + 1 WHERE id = ?`, runId);
      });
    },
    async finishRun(id, { status, finishedAt, error }, expected = owner) {
      const where = { id, status: "running", owner: expected };
      const data = { status, finishedAt: BigInt(finishedAt), error };
      return (await db.write(() => testRun.updateMany({ where, data }))).count > 0;
    },
    async findRun(id) {
      const row = await testRun.findUnique({ where: { id } });
      if (row === null) return null;
      const results = await testResult.findMany({ where: { runId: id }, orderBy: { position: "asc" } });
      return { ...toRun(row), results: results.map(toResult) };
    },
    async runs({ suiteId, cursor, limit }) {
      const where = {
        ...(suiteId === undefined ? {} : { suiteId }),
        ...(cursor === undefined ? {} : { seq: { lt: cursor } }),
      };
      const rows = await testRun.findMany({ where, orderBy: { seq: "desc" }, take: limit + 1 });
      const items = rows.slice(0, limit).map(toRun);
      return { items, nextCursor: rows.length > limit ? (items.at(-1)?.seq ?? null) : null };
    },
    async newestRuns() {
      const newest = await testRun.groupBy({ by: ["suiteId"], where: { suiteId: { not: null } }, _max: { seq: true } });
      const seqs = newest.flatMap(({ _max: { seq } }) => seq ?? []);
      const rows = await testRun.findMany({ where: { seq: { in: seqs } } });
      return new Map(rows.map((row) => [row.suiteId ?? "", toRun(row)]));
    },
    running: () =>
      db.rows(`SELECT id, owner FROM "TestRun" WHERE status = 'running' AND ${isLeftToCopy(db.kind)}`, owner),
  } satisfies Partial<TestStore> & { deleteRuns: typeof deleteRuns };
}

/** @throws Error for settings of a later version */
function toSuite(row: SuiteRow): StoredSuite {
  const stored: unknown = JSON.parse(row.settings);
  if (!isPlainObject(stored)) throw new Error("its settings are no object");
  const { actorId, actorName } = row;
  const { sealed, ...settings } = stored;
  return {
    ...suiteInputSchema.parse({ ...settings, name: row.name }),
    ...(typeof sealed === "string" && { sealed }),
    id: row.id,
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    lastEdit: toLastEdit(row),
    nextRunAt: row.nextRunAt === null ? null : Number(row.nextRunAt),
    scheduledBy: actorId === null ? null : { id: actorId, name: actorName ?? actorId },
  };
}

function toRun({ suiteId: _suiteId, owner: _owner, actorId, actorName, ...row }: RunRow): TestRun {
  return testRunSchema.parse({
    ...row,
    actor: { id: actorId, name: actorName },
    startedAt: Number(row.startedAt),
    finishedAt: row.finishedAt === null ? null : Number(row.finishedAt),
  });
}

function toResult({ runId: _runId, problems, ...row }: ResultRow): TestResult {
  return testResultSchema.parse({ ...row, problems: problemsSchema.parse(JSON.parse(problems)) });
}
