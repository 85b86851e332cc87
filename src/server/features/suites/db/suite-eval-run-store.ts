import type { z } from "zod";
import {
  type EvalOffering,
  type EvalRunStatus,
  evalAttemptSchema,
  evalItemSchema,
} from "../../../../lib/contract/eval";
import type { Database } from "../../../platform/db/database";
import type { EvalRun } from "../../../platform/db/generated/client";
import { isLeftToCopy } from "../../../platform/db/owned-rows";
import { change, selectRow } from "../../../platform/db/sql";
import type { EvalRunStore, StoredEvalRun } from "../suite-eval-run-store";

const WITHOUT_TEXTS = { attempts: true, items: true } as const;
const SELECT_RUNNING = `SELECT 1 FROM "EvalRun" WHERE suite = ? AND provider = ? AND model = ? AND offering = ?
  AND status = 'running' LIMIT 1`;
const INSERT = `INSERT INTO "EvalRun"
  (id, suite, provider, model, offering, edited, status, rounds, "startedAt", total, owner, items, attempts)
  VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, '[]')`;

/** @param owner the instance of the server that writes */
export function createEvalRunStore({
  db,
  owner = "local",
}: {
  db: Database;
  owner?: string | undefined;
}): EvalRunStore {
  const { evalRun } = db.prisma;

  return {
    async create(run) {
      const { id, suite, provider, model, offering, edited, rounds, startedAt, total } = run;
      const items = JSON.stringify(run.items);
      // Together: two requests that start such a run at once store one.
      const isAdded = await db.transaction(function* () {
        if ((yield* selectRow(SELECT_RUNNING, suite, provider, model, offering)) !== undefined) return false;
        const values = [id, suite, provider, model, offering, edited, rounds, startedAt, total, owner, items];
        return (yield* change(INSERT, ...values)) === 1;
      }, "eval runs");
      return isAdded ? toStored(await evalRun.findUniqueOrThrow({ where: { id } })) : null;
    },

    async keepAttempts(id, attempts, sums) {
      const passed = attempts.filter((attempt) => attempt.passed).length;
      const data = { attempts: JSON.stringify(attempts), done: attempts.length, passed, ...sums };
      await db.write(() => evalRun.updateMany({ where: { id, owner }, data }));
    },

    async finish(id, { status, finishedAt, error }, expected = owner) {
      const data = { status, finishedAt: BigInt(finishedAt), error };
      // The first end counts: a run of a dead process has no second one.
      await db.write(() => evalRun.updateMany({ where: { id, status: "running", owner: expected }, data }));
    },

    async get(id) {
      const row = await evalRun.findUnique({ where: { id } });
      if (row === null) return null;
      const items = row.items === null ? null : parseList(row.items, evalItemSchema);
      return { ...toStored(row), items, attempts: parseList(row.attempts, evalAttemptSchema) };
    },

    async list({ suite, provider, model, cursor, limit }) {
      const rows = await evalRun.findMany({
        where: {
          ...(suite === undefined ? {} : { suite }),
          ...(provider === undefined ? {} : { provider }),
          ...(model === undefined ? {} : { model }),
          ...(cursor === undefined ? {} : { seq: { lt: cursor } }),
        },
        orderBy: { seq: "desc" },
        take: limit + 1,
        omit: WITHOUT_TEXTS,
      });
      const items = rows.slice(0, limit).map(toStored);
      return { items, nextCursor: rows.length > limit ? (items.at(-1)?.seq ?? null) : null };
    },

    running: () =>
      db.rows(`SELECT id, owner FROM "EvalRun" WHERE status = 'running' AND ${isLeftToCopy(db.kind)}`, owner),

    async newestBySuite() {
      const newest = await evalRun.groupBy({ by: ["suite"], _max: { seq: true } });
      const seqs = newest.flatMap(({ _max: { seq } }) => (seq === null ? [] : [seq]));
      const rows = await evalRun.findMany({ where: { seq: { in: seqs } }, omit: WITHOUT_TEXTS });
      return rows.map(toStored);
    },
  };
}

function toStored(row: Omit<EvalRun, "attempts" | "items">): StoredEvalRun {
  const { id, seq, suite, provider, model, edited, rounds, passed, done, total, inputTokens, outputTokens } = row;
  return {
    id,
    seq,
    suite,
    provider,
    model,
    edited,
    rounds,
    passed,
    done,
    total,
    inputTokens,
    outputTokens,
    cost: row.cost,
    error: row.error,
    offering: row.offering as EvalOffering,
    status: row.status as EvalRunStatus,
    startedAt: Number(row.startedAt),
    finishedAt: row.finishedAt === null ? null : Number(row.finishedAt),
  };
}

function parseList<Item>(text: string, schema: z.ZodType<Item>): Item[] {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return [];
    return value.flatMap((item) => schema.safeParse(item).data ?? []);
  } catch {
    return [];
  }
}
