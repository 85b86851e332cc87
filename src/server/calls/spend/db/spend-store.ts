import type { SpendDimension } from "../../../../lib/contract/spend-days";
import { toUnits } from "../../../engine/rules/limits/limit-slot";
import type { Database } from "../../../platform/db/database";
import { change } from "../../../platform/db/sql";
import type { SpendRow, SpendStore } from "../spend-store";
import { ADD_MODEL_CALL_SQL, toDay } from "./spend-sql";

const COLUMNS: Readonly<Record<SpendDimension, string>> = {
  day: '"day"',
  user: '"actorId"',
  client: '"client"',
  tool: '"name"',
  model: '"name"',
};
const ONLY: Readonly<Partial<Record<SpendDimension, string>>> = {
  tool: `AND "kind" = 'tool'`,
  model: `AND "kind" = 'model'`,
};

const sumOf = (kind: "tool" | "model"): string => `sum(CASE WHEN "kind" = '${kind}' THEN "micros" ELSE 0 END)`;

const toSql = (by: SpendDimension, isOfUser: boolean): string =>
  `SELECT ${COLUMNS[by]} AS value, max("actorName") AS "actorName", sum("calls") AS calls, ${sumOf("tool")} AS tools, ${sumOf("model")} AS models
   FROM "Spend" WHERE "day" >= ? AND "day" <= ? ${isOfUser ? 'AND "actorId" = ?' : ""} ${ONLY[by] ?? ""}
   GROUP BY ${COLUMNS[by]}`;

/** Reads sums of days: as many rows as users, clients and tools had a price on each. */
export function createSpendStore(db: Database): SpendStore {
  return {
    async addModelCall({ actor, model, cost, at }) {
      const { id, name } = actor;
      await db.transaction(function* () {
        yield* change(ADD_MODEL_CALL_SQL, toDay(at), id, model, name, toUnits("money", cost));
      });
    },

    async read({ first, last, user, by }) {
      const rows = await db.rows<Record<keyof SpendRow, string | number | bigint>>(
        toSql(by, user !== null),
        first,
        last,
        ...(user === null ? [] : [user]),
      );
      return rows.map(({ value, actorName, calls, tools, models }) => ({
        value: String(value),
        actorName: String(actorName),
        calls: Number(calls),
        tools: Number(tools),
        models: Number(models),
      }));
    },
  };
}
