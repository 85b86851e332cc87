import { z } from "zod";
import { evalAttemptSchema, evalItemSchema } from "../../../../lib/contract/eval";
import {
  type SuiteRun,
  suiteRunSchema,
  type TestResult,
  type TestRun,
  testProblemSchema,
  testResultSchema,
} from "../../../../lib/contract/suite";
import type { Database } from "../../../platform/db/database";
import type { SuiteResult as ResultRow, SuiteRun as RunRow } from "../../../platform/db/generated/client";
import { isLeftToInstance } from "../../../platform/db/owned-rows";
import { AMONG, change, selectRow } from "../../../platform/db/sql";
import type { SuiteStore } from "../suite-store";

/** Runs of a suite of tests that are kept; of replays and suites of files together. Runs of evals cost money: all are kept. */
const KEPT_RUNS = 100;
const COUNTERS = { passed: "passed", failed: "failed", error: "errors", skipped: "skipped" } as const;
const WITHOUT_TEXTS = { attempts: true, items: true } as const;
const problemsSchema = z.array(testProblemSchema).catch([]);
const SELECT_RUNNING = `SELECT 1 FROM "SuiteRun" WHERE name = ? AND provider = ? AND model = ? AND offering = ?
  AND status = 'running' LIMIT 1`;
const INSERT_EVALS = `INSERT INTO "SuiteRun" (id, kind, "suiteId", name, status, trigger, "actorId", "actorName", "startedAt", total, owner,
  provider, model, offering, edited, rounds, items, attempts)
  VALUES (?, 'evals', ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]')`;

/** Runs of suites. @param owner the instance of the server that writes */
export function createRunRows(db: Database, owner: string) {
  const { suiteRun: runs, suiteResult: results } = db.prisma;

  async function deleteOldRuns(suiteId: string | null): Promise<void> {
    const old = await runs.findMany({
      where: { suiteId, kind: { not: "evals" }, status: { not: "running" } },
      orderBy: { seq: "desc" },
      skip: KEPT_RUNS,
      select: { id: true },
    });
    if (old.length === 0) return;
    const ids = old.map(({ id }) => id);
    await db.transaction(function* () {
      yield* change(`DELETE FROM "SuiteResult" WHERE "runId" ${AMONG}`, ids);
      yield* change(`DELETE FROM "SuiteRun" WHERE id ${AMONG}`, ids);
    });
  }

  /** Null for a row of a later version, or one that was edited by hand: it must not hide the others. */
  const readRun = (row: RunFacts): SuiteRun | null => db.damaged.read("suite run", row.id, () => toRun(row));

  return {
    async createRun({ actor, startedAt, ...run }) {
      const data = {
        ...run,
        actorId: actor.id,
        actorName: actor.name,
        startedAt: BigInt(startedAt),
        status: "running",
        owner,
      };
      const row = await db.write(() => runs.create({ data }));
      await deleteOldRuns(run.suiteId);
      return toRun(row) as TestRun;
    },
    async createEvalRun(run) {
      const { id, suiteId, name, trigger, actor, startedAt, total, provider, model, offering, edited, rounds } = run;
      const values = [
        id,
        suiteId,
        name,
        trigger,
        actor.id,
        actor.name,
        startedAt,
        total,
        owner,
        provider,
        model,
        offering,
        edited,
        rounds,
        JSON.stringify(run.items),
      ];
      // Stored in one transaction: two requests that start such a run at once store one.
      const isAdded = await db.transaction(function* () {
        if ((yield* selectRow(SELECT_RUNNING, name, provider, model, offering)) !== undefined) return false;
        return (yield* change(INSERT_EVALS, ...values)) === 1;
      }, "eval runs");
      if (!isAdded) return null;
      return toEvalRun(await runs.findUniqueOrThrow({ where: { id } }));
    },
    async addResult(runId, { restricted: _restricted, problems, ...result }) {
      const row = { ...result, problems: JSON.stringify(problems) };
      const columns = Object.keys(row);
      const insert = `INSERT INTO "SuiteResult" ("runId", ${columns.map((each) => `"${each}"`).join(", ")})
        VALUES (?, ${columns.map(() => "?").join(", ")})`;
      const counter = COUNTERS[result.status];
      await db.transaction(function* () {
        yield* change(insert, runId, ...Object.values(row));
        yield* change(`UPDATE "SuiteRun" SET ${counter} = ${counter} + 1 WHERE id = ?`, runId);
      });
    },
    async keepAttempts(id, attempts, sums) {
      const passed = attempts.filter((attempt) => attempt.passed).length;
      const data = { attempts: JSON.stringify(attempts), failed: attempts.length - passed, passed, ...sums };
      await db.write(() => runs.updateMany({ where: { id, owner }, data }));
    },
    async finishRun(id, { status, finishedAt, error }, expected = owner) {
      const where = { id, status: "running", owner: expected };
      const data = { status, finishedAt: BigInt(finishedAt), error };
      return (await db.write(() => runs.updateMany({ where, data }))).count > 0;
    },
    async findRun(id) {
      const row = await runs.findUnique({ where: { id } });
      if (row === null) return null;
      const run = toRun(row);
      if (run.kind === "evals") {
        const items = row.items === null ? null : parseList(row.items, evalItemSchema);
        return { ...run, items, attempts: parseList(row.attempts ?? "[]", evalAttemptSchema) };
      }
      const found = await results.findMany({ where: { runId: id }, orderBy: { position: "asc" } });
      return { ...run, results: found.map(toResult) };
    },
    async runs({ kinds, suiteId, name, provider, model, cursor, limit }) {
      const where = {
        ...(kinds === undefined ? {} : { kind: { in: [...kinds] } }),
        ...(suiteId === undefined ? {} : { suiteId }),
        ...(name === undefined ? {} : { name }),
        ...(provider === undefined ? {} : { provider }),
        ...(model === undefined ? {} : { model }),
        ...(cursor === undefined ? {} : { seq: { lt: cursor } }),
      };
      const rows = await runs.findMany({ where, orderBy: { seq: "desc" }, take: limit + 1, omit: WITHOUT_TEXTS });
      const page = rows.slice(0, limit);
      const nextCursor = rows.length > limit ? (page.at(-1)?.seq ?? null) : null;
      return { items: page.flatMap((row) => readRun(row) ?? []), nextCursor };
    },
    async newestRuns() {
      const newest = await runs.groupBy({ by: ["suiteId"], where: { suiteId: { not: null } }, _max: { seq: true } });
      const seqs = newest.flatMap(({ _max: { seq } }) => seq ?? []);
      const rows = await runs.findMany({ where: { seq: { in: seqs } }, omit: WITHOUT_TEXTS });
      return new Map(
        rows.flatMap((row) => {
          const run = readRun(row);
          return run === null ? [] : [[row.suiteId ?? "", run] as const];
        }),
      );
    },
    running: () =>
      db.rows(`SELECT id, owner FROM "SuiteRun" WHERE status = 'running' AND ${isLeftToInstance(db.kind)}`, owner),
  } satisfies Partial<SuiteStore>;
}

type RunFacts = Omit<RunRow, "attempts" | "items">;

/** @throws Error for a run of a later version */
function toRun({ actorId, actorName, ...row }: RunFacts): SuiteRun {
  return suiteRunSchema.parse({
    ...row,
    suite: row.name,
    actor: actorId === null ? null : { id: actorId, name: actorName ?? actorId },
    startedAt: Number(row.startedAt),
    finishedAt: row.finishedAt === null ? null : Number(row.finishedAt),
    done: row.passed + row.failed,
  });
}

function toEvalRun(row: RunFacts) {
  const run = toRun(row);
  if (run.kind !== "evals") throw new Error(`${run.id} is no run of evals`);
  return run;
}

function toResult({ runId: _runId, problems, ...row }: ResultRow): TestResult {
  return testResultSchema.parse({ ...row, problems: problemsSchema.parse(JSON.parse(problems)) });
}

/** A value written by a later version or by hand must not hide the other items. */
function parseList<Item>(text: string, schema: z.ZodType<Item>): Item[] {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return [];
    return value.flatMap((item) => schema.safeParse(item).data ?? []);
  } catch {
    return [];
  }
}
