import { type Eval, type EvalInput, evalInputSchema } from "../../../../lib/contract/eval";
import { isPlainObject } from "../../../../lib/contract/json";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import type { Eval as EvalRow } from "../../../platform/db/generated/client";
import { isRevision, refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import { isUniqueViolation } from "../../../platform/db/storage-error";
import { AppError } from "../../../platform/shared/app-error";
import type { EvalStore } from "../suite-eval-store";

/** More are not read at once. */
const MAX_EVALS = 5000;

export function createEvalStore({ db, clock }: { db: Database; clock: Clock }): EvalStore {
  const table = db.prisma.eval;
  const toColumns = ({ suite, question, origin, ...settings }: EvalInput) => ({
    suite,
    question,
    originRun: origin?.runId ?? null,
    originStep: origin?.step ?? null,
    settings: JSON.stringify(settings),
    updatedAt: BigInt(clock.now()),
  });

  return {
    async list(suite) {
      const where = { dismissed: false, ...(suite === undefined ? {} : { suite }) };
      const rows = await table.findMany({
        where,
        orderBy: [{ suite: "asc" }, { createdAt: "asc" }, { id: "asc" }],
        take: MAX_EVALS,
      });
      return rows.flatMap((row) => toEval(row) ?? []);
    },

    async get(id) {
      const row = await table.findUnique({ where: { id } });
      return row === null || row.dismissed ? null : toEval(row);
    },

    async countBySuite() {
      const groups = await table.groupBy({ by: ["suite"], where: { dismissed: false }, _count: true });
      return groups.map(({ suite, _count }) => ({ suite, evals: _count }));
    },

    async create(id, input, by) {
      const data = toColumns(input);
      const row = await db
        .write(() => table.create({ data: { ...data, id, createdAt: data.updatedAt, changedBy: by.name } }))
        .catch(refuseSameOrigin);
      return { ...input, ...toFacts(row) };
    },

    async update(id, input, { by, revision }) {
      const data = { ...toColumns(input), changedBy: by.name, revision: { increment: 1 } };
      const [row] = await db
        .write(() => table.updateManyAndReturn({ where: { id, ...isRevision(revision) }, data }))
        .catch(refuseSameOrigin);
      if (row === undefined) refuseOutdated("eval", id, await table.findUnique({ where: { id } }));
      return { ...input, ...toFacts(row) };
    },

    async delete(id, revision) {
      const { count } = await db.write(() => table.deleteMany({ where: { id, ...isRevision(revision) } }));
      if (count === 0) refuseOutdated("eval", id, await table.findUnique({ where: { id } }));
    },

    async origins() {
      const rows = await table.findMany({
        where: { originRun: { not: null } },
        select: { originRun: true, originStep: true },
      });
      return rows.map(({ originRun, originStep }) => ({ runId: originRun ?? "", step: originStep ?? 0 }));
    },

    async dismiss(id, { runId, step }, by) {
      const at = BigInt(clock.now());
      const origin = { originRun: runId, originStep: step };
      const row = { id, suite: "", question: "", settings: "{}", dismissed: true, ...origin };
      await db
        .write(() => table.create({ data: { ...row, createdAt: at, updatedAt: at, changedBy: by.name } }))
        .catch(refuseSameOrigin);
    },
  };
}

function refuseSameOrigin(error: unknown): never {
  if (isUniqueViolation(error)) {
    throw new AppError("CONFLICT", "This decision of the run is an eval already, or was dismissed");
  }
  throw error;
}

function toFacts(row: EvalRow): Pick<Eval, "id" | "createdAt" | "lastEdit"> {
  return { id: row.id, createdAt: Number(row.createdAt), lastEdit: toLastEdit(row) };
}

/** Null for a row of a later version, or one that was edited by hand: it must not hide the others. */
function toEval(row: EvalRow): Eval | null {
  let stored: unknown;
  try {
    stored = JSON.parse(row.settings);
  } catch {
    return null;
  }
  if (!isPlainObject(stored)) return null;
  const { suite, question, originRun, originStep } = row;
  const origin = originRun === null || originStep === null ? null : { runId: originRun, step: originStep };
  const parsed = evalInputSchema.safeParse({ ...stored, suite, question, origin });
  return parsed.success ? { ...parsed.data, ...toFacts(row) } : null;
}
