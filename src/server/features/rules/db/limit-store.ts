import { CHARGE_LIMIT_SQL, toChargeValues } from "../../../calls/executions/db/limit-charges";
import type { LimitCharge } from "../../../engine/rules/limits/limit-ports";
import { getOldestPart, type Usage } from "../../../engine/rules/limits/sliding-usage";
import type { Database } from "../../../platform/db/database";
import type { SqlValue } from "../../../platform/db/sql";
import type { LimitStore, StoredCount } from "../limit-store";

/**
 * PostgreSQL locks the row that another instance has charged and looks at its newest state, so that no two calls take the
 * last unit. SQLite's text is the journal's.
 */
const LIVE = `FROM json_each_text(c."parts"::json) e WHERE e.key::bigint >= ?`;
const CHARGE = `INSERT INTO "LimitCount" AS c ("ruleId", "key", "parts", "expiresAt")
  VALUES (?, ?, json_build_object(?::text, ?::numeric)::text, ?)
  ON CONFLICT ("ruleId", "key") DO UPDATE SET "expiresAt" = GREATEST(c."expiresAt", excluded."expiresAt"), "parts" = (
    SELECT json_object_agg(part, units)::text FROM (
      SELECT part, SUM(units) AS units FROM (
        SELECT e.key AS part, e.value::numeric AS units ${LIVE}
        UNION ALL SELECT ?::text, ?::numeric
      ) AS every GROUP BY part) AS summed)`;
const CHARGE_SQLITE = `${CHARGE_LIMIT_SQL} RETURNING "parts"`;
const CHARGE_ALWAYS = `${CHARGE} RETURNING "parts"`;
const CHARGE_IF_ROOM = `${CHARGE}
  WHERE (SELECT COALESCE(SUM(e.value::numeric), 0) ${LIVE}) < ?::numeric RETURNING "parts"`;
const LIST = `SELECT "ruleId", "key", "parts", "expiresAt" FROM "LimitCount" WHERE "expiresAt" > ?`;
const FIND = `SELECT "parts" FROM "LimitCount" WHERE "ruleId" = ? AND "key" = ?`;
const RESET = `DELETE FROM "LimitCount" WHERE "ruleId" = ?`;
const PRUNE = `DELETE FROM "LimitCount" WHERE "expiresAt" <= ?`;

interface PartsRow {
  parts: string;
}

export function createLimitStore(db: Database): LimitStore {
  async function write(sql: string, values: readonly SqlValue[]): Promise<Usage | null> {
    const [row] = await db.write(() => db.rows<PartsRow>(sql, ...values));
    return row === undefined ? null : toUsage(row.parts);
  }

  return {
    async list(now) {
      const rows = await db.rows<PartsRow & Omit<StoredCount, "usage">>(LIST, now);
      return rows.map(({ parts, expiresAt, ...row }) => ({
        ...row,
        usage: toUsage(parts),
        expiresAt: Number(expiresAt),
      }));
    },
    take: ({ most }, charge) => write(CHARGE_IF_ROOM, [...toValues(charge), getOldestPart(charge.part), most]),
    add: async (charge) =>
      (db.kind === "postgres"
        ? await write(CHARGE_ALWAYS, toValues(charge))
        : await write(CHARGE_SQLITE, toChargeValues(charge))) ?? new Map(),
    async find({ ruleId, key }) {
      const row = await db.row<PartsRow>(FIND, ruleId, key);
      return row === undefined ? new Map() : toUsage(row.parts);
    },
    async reset(ruleId, key) {
      if (key === undefined) await db.change(RESET, ruleId);
      else await db.change(`${RESET} AND "key" = ?`, ruleId, key);
    },
    async prune(now) {
      await db.change(PRUNE, now);
    },
  };
}

function toValues({ ruleId, key, part, units, expiresAt }: LimitCharge): SqlValue[] {
  return [ruleId, key, String(part), units, expiresAt, getOldestPart(part), String(part), units];
}

function toUsage(parts: string): Usage {
  const stored = JSON.parse(parts) as Record<string, number>;
  return new Map(Object.entries(stored).map(([part, units]) => [Number(part), Number(units)]));
}
