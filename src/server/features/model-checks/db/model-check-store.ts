import { type ModelCheckAttempt, type ModelCheckStatus, modelCheckAttemptSchema } from "../../../../lib/contract/model";
import type { Database } from "../../../platform/db/database";
import type { ModelCheck } from "../../../platform/db/generated/client";
import { isLeftToCopy } from "../../../platform/db/owned-rows";
import { change, selectRow } from "../../../platform/db/sql";
import type { ModelCheckStore, StoredCheck } from "../model-check-store";

const WITHOUT_ATTEMPTS = { attempts: true } as const;
const SELECT_RUNNING = `SELECT 1 FROM "ModelCheck" WHERE provider = ? AND model = ? AND status = 'running' LIMIT 1`;
const INSERT = `INSERT INTO "ModelCheck" (id, provider, model, status, rounds, "startedAt", total, owner, attempts)
  VALUES (?, ?, ?, 'running', ?, ?, ?, ?, '[]')`;

/** @param owner the copy of the server that writes */
export function createModelCheckStore({
  db,
  owner = "local",
}: {
  db: Database;
  owner?: string | undefined;
}): ModelCheckStore {
  const { modelCheck } = db.prisma;

  return {
    async create(check) {
      const { id, provider, model, rounds, startedAt, total } = check;
      // Together: two requests that start a check of one model at once store one.
      const isAdded = await db.transaction(function* () {
        if ((yield* selectRow(SELECT_RUNNING, provider, model)) !== undefined) return false;
        return (yield* change(INSERT, id, provider, model, rounds, startedAt, total, owner)) === 1;
      }, "model checks");
      if (!isAdded) return null;
      return toStored(await modelCheck.findUniqueOrThrow({ where: { id: check.id } }));
    },

    async keepAttempts(id, attempts) {
      const passed = attempts.filter((attempt) => attempt.passed).length;
      const data = { attempts: JSON.stringify(attempts), done: attempts.length, passed };
      await db.write(() => modelCheck.updateMany({ where: { id, owner }, data }));
    },

    async finish(id, { status, finishedAt, error }, expected = owner) {
      const data = { status, finishedAt: BigInt(finishedAt), error };
      // The first end counts: a check of a dead process has no second one.
      await db.write(() => modelCheck.updateMany({ where: { id, status: "running", owner: expected }, data }));
    },

    async get(id) {
      const row = await modelCheck.findUnique({ where: { id } });
      return row === null ? null : { ...toStored(row), attempts: parseAttempts(row.attempts) };
    },

    async list({ provider, model, cursor, limit }) {
      const rows = await modelCheck.findMany({
        where: {
          ...(provider === undefined ? {} : { provider }),
          ...(model === undefined ? {} : { model }),
          ...(cursor === undefined ? {} : { seq: { lt: cursor } }),
        },
        orderBy: { seq: "desc" },
        take: limit + 1,
        omit: WITHOUT_ATTEMPTS,
      });
      const items = rows.slice(0, limit).map(toStored);
      return { items, nextCursor: rows.length > limit ? (items.at(-1)?.seq ?? null) : null };
    },

    running: () =>
      db.rows(`SELECT id, owner FROM "ModelCheck" WHERE status = 'running' AND ${isLeftToCopy(db.kind)}`, owner),

    async newestFinished() {
      const newest = await modelCheck.groupBy({
        by: ["provider", "model"],
        where: { status: "finished" },
        _max: { seq: true },
      });
      const seqs = newest.flatMap(({ _max: { seq } }) => (seq === null ? [] : [seq]));
      const rows = await modelCheck.findMany({ where: { seq: { in: seqs } }, omit: WITHOUT_ATTEMPTS });
      return rows.map(toStored);
    },
  };
}

function toStored(row: Omit<ModelCheck, "attempts">): StoredCheck {
  const { id, seq, provider, model, rounds, passed, done, total, error } = row;
  return {
    ...{ id, seq, provider, model, rounds, passed, done, total, error },
    status: row.status as ModelCheckStatus,
    startedAt: Number(row.startedAt),
    finishedAt: row.finishedAt === null ? null : Number(row.finishedAt),
  };
}

function parseAttempts(text: string): ModelCheckAttempt[] {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return [];
    return value.flatMap((item) => modelCheckAttemptSchema.safeParse(item).data ?? []);
  } catch {
    return [];
  }
}
