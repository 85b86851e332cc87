import { z } from "zod";
import { countOutcomes } from "../../../../lib/conformance/compare-checks";
import {
  type ConformanceRun,
  conformanceCheckSchema,
  conformanceComparisonSchema,
  conformanceRunSchema,
  conformanceVersionsSchema,
} from "../../../../lib/contract/conformance";
import { KEPT_CONFORMANCE_RUNS } from "../../../../lib/contract/conformance-outcome";
import type { Database } from "../../../platform/db/database";
import type { ConformanceRun as RunRow } from "../../../platform/db/generated/client";
import { isLeftToInstance } from "../../../platform/db/owned-rows";
import type { ConformanceEnd, ConformanceStore } from "../conformance-store";

const WITHOUT_CHECKS = { checks: true } as const;
const checksSchema = z.array(conformanceCheckSchema);

/** @param owner the instance of the server that writes */
export function createConformanceStore(db: Database, owner: string): ConformanceStore {
  const { conformanceRun: runs } = db.prisma;

  async function deleteOld(serverName: string): Promise<void> {
    const old = await runs.findMany({
      where: { serverName, status: { not: "running" } },
      orderBy: { seq: "desc" },
      skip: KEPT_CONFORMANCE_RUNS - 1,
      select: { id: true },
    });
    if (old.length > 0) await db.write(() => runs.deleteMany({ where: { id: { in: old.map(({ id }) => id) } } }));
  }

  return {
    async create({ id, server, parts, actor, startedAt }) {
      await deleteOld(server);
      const user = { actorId: actor.id, actorName: actor.name };
      const data = { id, serverName: server, parts, ...user, startedAt: BigInt(startedAt), status: "running", owner };
      return toRun(await db.write(() => runs.create({ data })));
    },
    async saveStep(id, step) {
      await db.write(() => runs.updateMany({ where: { id, status: "running", owner }, data: { step } }));
    },
    async finish(id, { status, finishedAt, error, result }, expected = owner) {
      const ended = { status, finishedAt: BigInt(finishedAt), error, step: null };
      const data = result === null ? ended : { ...ended, ...toTexts(result) };
      const where = { id, status: "running", owner: expected };
      return (await db.write(() => runs.updateMany({ where, data }))).count > 0;
    },
    async find(id) {
      const row = await runs.findUnique({ where: { id } });
      if (row === null) return null;
      return {
        ...toRun(row),
        checks: readText(row.checks, checksSchema) ?? [],
        comparison: readText(row.comparison, conformanceComparisonSchema),
      };
    },
    async list(server) {
      const where = { serverName: server };
      const rows = await runs.findMany({ where, orderBy: { seq: "desc" }, omit: WITHOUT_CHECKS });
      // A row that was edited by hand must not hide the others.
      return rows.flatMap((row) => db.damaged.read("conformance run", row.id, () => toRun(row)) ?? []);
    },
    async findLastFinished(server) {
      const where = { serverName: server, status: "finished" };
      const row = await runs.findFirst({ where, orderBy: { seq: "desc" }, select: { id: true, checks: true } });
      return row === null ? null : { id: row.id, checks: readText(row.checks, checksSchema) ?? [] };
    },
    running: () =>
      db.rows(
        `SELECT id, owner FROM "ConformanceRun" WHERE status = 'running' AND ${isLeftToInstance(db.kind)}`,
        owner,
      ),
  };
}

function toTexts({ checks, versions, comparison }: NonNullable<ConformanceEnd["result"]>) {
  return {
    checks: JSON.stringify(checks),
    versions: JSON.stringify(versions),
    comparison: JSON.stringify(comparison),
    counts: JSON.stringify(countOutcomes(checks)),
  };
}

function toRun(row: Omit<RunRow, "checks">): ConformanceRun {
  const { id, serverName, parts, status, actorId, actorName, startedAt, finishedAt, step, error } = row;
  return conformanceRunSchema.parse({
    id,
    server: serverName,
    parts,
    status,
    actor: { id: actorId, name: actorName },
    startedAt: Number(startedAt),
    finishedAt: finishedAt === null ? null : Number(finishedAt),
    step,
    error,
    versions: readText(row.versions, conformanceVersionsSchema),
    counts: readText(row.counts, conformanceRunSchema.shape.counts) ?? countOutcomes([]),
    newFailures: readText(row.comparison, conformanceComparisonSchema)?.newFailures.length ?? 0,
  });
}

/** Null for what was never written, and for what cannot be read. */
function readText<T>(text: string | null, schema: z.ZodType<T>): T | null {
  if (text === null) return null;
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

export async function forgetConformanceRuns(db: Database, server: string): Promise<void> {
  await db.change('DELETE FROM "ConformanceRun" WHERE "serverName" = ?', server);
}

export async function renameConformanceRuns(db: Database, from: string, to: string): Promise<void> {
  await forgetConformanceRuns(db, to);
  await db.change('UPDATE "ConformanceRun" SET "serverName" = ? WHERE "serverName" = ?', to, from);
}
