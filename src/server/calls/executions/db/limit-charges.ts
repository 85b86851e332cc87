import type { ExecutionStart } from "../../../engine/ports";
import type { LimitCharge } from "../../../engine/rules/limits/limit-ports";
import { getOldestPart } from "../../../engine/rules/limits/sliding-usage";

/** Adds to one part of a count, and drops the parts that no longer count. */
export const CHARGE_LIMIT_SQL = `INSERT INTO "LimitCount" ("ruleId", "key", "parts", "expiresAt")
  VALUES (?, ?, json_object(?, CAST(? AS INTEGER)), ?)
  ON CONFLICT ("ruleId", "key") DO UPDATE SET "expiresAt" = max("expiresAt", excluded."expiresAt"), "parts" = (
    SELECT json_group_object(part, units) FROM (
      SELECT part, CAST(SUM(units) AS INTEGER) AS units FROM (
        SELECT e.key AS part, e.value AS units FROM json_each("LimitCount"."parts") e WHERE CAST(e.key AS INTEGER) >= ?
        UNION ALL SELECT e.key, e.value FROM json_each(excluded."parts") e
      ) GROUP BY part))`;

export const toChargeValues = ({ ruleId, key, part, units, expiresAt }: LimitCharge): (string | number)[] => [
  ruleId,
  key,
  String(part),
  units,
  expiresAt,
  getOldestPart(part),
];

export const chargeValues = ({ charges = [] }: ExecutionStart): (string | number)[][] => charges.map(toChargeValues);
