import { nanoid } from "nanoid";
import { isPlainObject } from "../../../../lib/contract/json";
import { suiteInputSchema } from "../../../../lib/contract/suite";
import type { Database } from "../../../platform/db/database";
import type { Suite as SuiteRow } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import { change, selectRow } from "../../../platform/db/sql";
import type { SealedSuite, StoredSuite, SuiteStore, SuiteTiming } from "../suite-store";
import { createRunRows } from "./suite-run-rows";

interface StorePorts {
  db: Database;
  now: () => number;
  /** The instance of the server that writes. */
  owner?: string | undefined;
}

const UPDATE = `UPDATE "Suite" SET name = ?, settings = ?, "updatedAt" = ?, "nextRunAt" = ?, "actorId" = ?, "actorName" = ?,
  "changedBy" = ?, revision = revision + 1 WHERE name = ?`;
const SEEN = " AND revision = ?";

export function createSuiteStore({ db, now, owner = "local" }: StorePorts): SuiteStore {
  const { suite: table } = db.prisma;
  const readSuite = (row: SuiteRow | null): StoredSuite | null =>
    row === null ? null : (db.damaged.read("suite", row.name, () => toSuite(row)) ?? null);
  const toSettings = ({ name: _name, kind: _kind, ...settings }: SealedSuite): string => JSON.stringify(settings);

  return {
    async suites() {
      const rows = await table.findMany({ orderBy: { name: "asc" } });
      return rows.flatMap((row) => readSuite(row) ?? []);
    },
    findSuite: async (name) => readSuite(await table.findUnique({ where: { name } })),
    findSuiteById: async (id) => readSuite(await table.findUnique({ where: { id } })),

    async createSuite(input, { nextRunAt, scheduledBy }, by) {
      const at = BigInt(now());
      const data = {
        id: nanoid(12),
        kind: input.kind,
        name: input.name,
        settings: toSettings(input),
        createdAt: at,
        updatedAt: at,
        changedBy: by.name,
        nextRunAt: nextRunAt === null ? null : BigInt(nextRunAt),
        actorId: scheduledBy?.id ?? null,
        actorName: scheduledBy?.name ?? null,
      };
      return toSuite(await db.write(() => table.create({ data })).catch(refuseDuplicate("suite", input.name)));
    },
    async updateSuite(name, input, { nextRunAt, scheduledBy }: SuiteTiming, { by, revision }) {
      const values = [
        input.name,
        toSettings(input),
        now(),
        nextRunAt,
        scheduledBy?.id ?? null,
        scheduledBy?.name ?? null,
        by?.name ?? null,
        name,
      ];
      const isWritten = await db
        .transaction(function* () {
          const changed =
            revision === undefined
              ? yield* change(UPDATE, ...values)
              : yield* change(`${UPDATE}${SEEN}`, ...values, revision);
          if (changed === 0) return false;
          if (input.name !== name) yield* change(`UPDATE "Eval" SET suite = ? WHERE suite = ?`, input.name, name);
          return true;
        })
        .catch(refuseDuplicate("suite", input.name));
      if (!isWritten) refuseOutdated("suite", name, await table.findUnique({ where: { name } }));
      return toSuite(await table.findUniqueOrThrow({ where: { name: input.name } }));
    },
    async deleteSuite(name, revision) {
      const isDeleted = await db.transaction(function* () {
        const row = yield* selectRow<{ id: string; revision: number }>(
          `SELECT id, revision FROM "Suite" WHERE name = ?`,
          name,
        );
        if (row === undefined || (revision !== undefined && row.revision !== revision)) return false;
        yield* change(`DELETE FROM "Suite" WHERE id = ?`, row.id);
        yield* change(`DELETE FROM "Eval" WHERE suite = ? AND NOT dismissed`, name);
        const ended = `FROM "SuiteRun" WHERE "suiteId" = ? AND status <> 'running'`;
        yield* change(`DELETE FROM "SuiteResult" WHERE "runId" IN (SELECT id ${ended})`, row.id);
        yield* change(`DELETE ${ended}`, row.id);
        return true;
      });
      if (!isDeleted) refuseOutdated("suite", name, await table.findUnique({ where: { name } }));
    },
    async claimNextRun(id, before, next) {
      const where = { id, nextRunAt: BigInt(before) };
      const data = { nextRunAt: next === null ? null : BigInt(next) };
      return (await db.write(() => table.updateMany({ where, data }))).count > 0;
    },
    async scheduled() {
      const where = { nextRunAt: { not: null } };
      const rows = await table.findMany({ where, select: { id: true, nextRunAt: true } });
      return rows.map(({ id, nextRunAt }) => ({ id, nextRunAt: Number(nextRunAt) }));
    },

    ...createRunRows(db, owner),
  };
}

/** @throws Error for settings of a later version */
function toSuite(row: SuiteRow): StoredSuite {
  const stored: unknown = JSON.parse(row.settings);
  if (!isPlainObject(stored)) throw new Error("its settings are no object");
  const { actorId, actorName } = row;
  const { sealed, ...settings } = stored;
  return {
    ...suiteInputSchema.parse({ ...settings, kind: row.kind, name: row.name }),
    ...(typeof sealed === "string" && { sealed }),
    id: row.id,
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    lastEdit: toLastEdit(row),
    nextRunAt: row.nextRunAt === null ? null : Number(row.nextRunAt),
    scheduledBy: actorId === null ? null : { id: actorId, name: actorName ?? actorId },
  };
}
