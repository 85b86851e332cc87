import { z } from "zod";
import {
  type ModelCheckAttempt,
  type ModelCheckStatus,
  type ModelVerdict,
  runStatusSchema,
} from "../../../lib/contract";
import type { Database } from "../../db/database";
import type { ModelCheck } from "../../db/generated/client";

/** A check as it is kept; whether it validates its model is the service's to say. */
export interface StoredCheck {
  id: string;
  seq: number;
  provider: string;
  model: string;
  status: ModelCheckStatus;
  rounds: number;
  startedAt: number;
  finishedAt: number | null;
  passed: number;
  done: number;
  total: number;
  error: string | null;
  instanceId: string;
}

export interface CheckWithAttempts extends StoredCheck {
  attempts: ModelCheckAttempt[];
}

export type NewCheck = Pick<StoredCheck, "id" | "provider" | "model" | "rounds" | "startedAt" | "total" | "instanceId">;

export interface ModelCheckStore {
  create(check: NewCheck): Promise<StoredCheck>;
  /** What ended so far. */
  keepAttempts(id: string, attempts: readonly ModelCheckAttempt[]): Promise<void>;
  finish(
    id: string,
    end: { status: Exclude<ModelCheckStatus, "running">; finishedAt: number; error: string | null },
  ): Promise<void>;
  get(id: string): Promise<CheckWithAttempts | null>;
  /** Newest first. */
  list(query: {
    provider?: string | undefined;
    model?: string | undefined;
    cursor?: number | undefined;
    limit: number;
  }): Promise<{ items: StoredCheck[]; nextCursor: number | null }>;
  running(): Promise<{ id: string; provider: string; model: string; instanceId: string }[]>;
  /** The newest finished check of each model. */
  newestFinished(): Promise<StoredCheck[]>;
}

/** Attempts of a later version, or edited by hand, are left out; they hide nothing else. */
const attemptSchema = z.object({
  scenario: z.string(),
  round: z.number(),
  passed: z.boolean(),
  reason: z.string().nullable().catch(null),
  runId: z.string().nullable().catch(null),
  runStatus: runStatusSchema.nullable().catch(null),
  durationMs: z.number().catch(0),
});

const WITHOUT_ATTEMPTS = { attempts: true } as const;

export function createModelCheckStore({ db }: { db: Database }): ModelCheckStore {
  const { modelCheck } = db.prisma;

  return {
    async create({ startedAt, ...check }) {
      const data = { ...check, startedAt: BigInt(startedAt), status: "running", attempts: "[]" };
      return toStored(await db.write(() => modelCheck.create({ data })));
    },

    async keepAttempts(id, attempts) {
      const passed = attempts.filter((attempt) => attempt.passed).length;
      const data = { attempts: JSON.stringify(attempts), done: attempts.length, passed };
      await db.write(() => modelCheck.update({ where: { id }, data }));
    },

    async finish(id, { status, finishedAt, error }) {
      const data = { status, finishedAt: BigInt(finishedAt), error };
      // Whoever ended it first is believed: a check of a dead process has no second end.
      await db.write(() => modelCheck.updateMany({ where: { id, status: "running" }, data }));
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
      modelCheck.findMany({
        where: { status: "running" },
        select: { id: true, provider: true, model: true, instanceId: true },
      }),

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

const VALIDATED_FROM = 0.8;

/** 80 % or more of all attempts of a check that went to its end. */
export function isValidated({ status, passed, total }: Pick<StoredCheck, "status" | "passed" | "total">): boolean {
  return status === "finished" && total > 0 && passed / total >= VALIDATED_FROM;
}

export function toVerdict(check: StoredCheck): ModelVerdict {
  const { id, passed, total, finishedAt, startedAt } = check;
  return { checkId: id, validated: isValidated(check), passed, total, finishedAt: finishedAt ?? startedAt };
}

function toStored(row: Omit<ModelCheck, "attempts">): StoredCheck {
  const { id, seq, provider, model, rounds, passed, done, total, error, instanceId } = row;
  return {
    ...{ id, seq, provider, model, rounds, passed, done, total, error, instanceId },
    status: row.status as ModelCheckStatus,
    startedAt: Number(row.startedAt),
    finishedAt: row.finishedAt === null ? null : Number(row.finishedAt),
  };
}

function parseAttempts(text: string): ModelCheckAttempt[] {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return [];
    return value.flatMap((item) => attemptSchema.safeParse(item).data ?? []);
  } catch {
    return [];
  }
}
