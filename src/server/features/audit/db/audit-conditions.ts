import type { AuditFilter } from "../../../../lib/contract/audit-filter";
import { AMONG } from "../../../platform/db/sqlite/prepare-with";
import { likePattern } from "../../executions/db/execution-text";

const SEARCHED = ["actorName", "token", "address", "action", "targetName", "error", "before", "after"];

/** The part of a WHERE clause, beginning with AND, and what its question marks stand for. */
export function toConditions(filter: AuditFilter): { sql: string; values: (string | number)[] } {
  const { actor, action, target, outcome, since, until, q } = filter;
  const conditions: [sql: string, ...values: (string | number)[]][] = [];
  const among = (column: string, chosen: readonly string[] | undefined): void => {
    if (chosen !== undefined && chosen.length > 0) conditions.push([`"${column}" ${AMONG}`, JSON.stringify(chosen)]);
  };
  among("actorId", actor);
  among("action", action);
  among("targetKind", target);
  if (outcome !== undefined) conditions.push(['"outcome" = ?', outcome]);
  if (since !== undefined) conditions.push(['"at" >= ?', since]);
  if (until !== undefined) conditions.push(['"at" <= ?', until]);
  if (q !== undefined && q !== "") {
    const matches = SEARCHED.map((column) => `"${column}" LIKE ? ESCAPE '!'`).join(" OR ");
    conditions.push([`(${matches})`, ...SEARCHED.map(() => likePattern(q))]);
  }
  return {
    sql: conditions.map(([sql]) => `AND ${sql}`).join(" "),
    values: conditions.flatMap(([, ...values]) => values),
  };
}
