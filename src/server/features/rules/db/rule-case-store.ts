import { isPlainObject } from "../../../../lib/contract/json";
import { type RuleCaseInput, ruleCaseInputSchema } from "../../../../lib/contract/rule-case";
import { parseWithDigits, stringifyWithDigits } from "../../../../lib/json/number-digits";
import type { Database } from "../../../platform/db/database";
import type { RuleCase as Row } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import { change, type Steps } from "../../../platform/db/sql";
import type { NewRuleCase, RuleCaseStore, StoredRuleCase } from "../rule-case-store";

const INSERT = `INSERT INTO "RuleCase" ("id", "name", "nameKey", "rule", "settings", "createdAt", "updatedAt", "changedBy")
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const REPLACE = `UPDATE "RuleCase" SET "name" = ?, "nameKey" = ?, "rule" = ?, "settings" = ?, "updatedAt" = ?, "changedBy" = ?,
  "revision" = "revision" + 1 WHERE "id" = ?`;
const DELETE = 'DELETE FROM "RuleCase" WHERE "id" = ?';
const FOLLOW = 'UPDATE "RuleCase" SET "rule" = ?, "revision" = "revision" + 1 WHERE "rule" = ?';

/** Names that differ only in case count as equal. */
const toKey = (name: string): string => name.toLowerCase();

const toSettings = ({ call, expect }: RuleCaseInput): string => {
  const { outcome, effects } = expect;
  return stringifyWithDigits(effects === undefined ? { call, outcome } : { call, outcome, effects });
};

/** Steps of a transaction, which an import and the edits of rules share. */
export const ruleCaseSteps = {
  *add({ id, input, at, by }: NewRuleCase): Steps<void> {
    const rule = input.expect.rule ?? null;
    yield* change(INSERT, id, input.name, toKey(input.name), rule, toSettings(input), at, at, by);
  },
  /** @returns false for an unknown one, and one of another version */
  *replace(id: string, { input, at, by }: Omit<NewRuleCase, "id">, revision?: number): Steps<boolean> {
    const rule = input.expect.rule ?? null;
    const values = [input.name, toKey(input.name), rule, toSettings(input), at, by, id];
    const changes =
      revision === undefined
        ? yield* change(REPLACE, ...values)
        : yield* change(`${REPLACE} AND "revision" = ?`, ...values, revision);
    return changes > 0;
  },
  /** The cases that name a rule follow it to its new name. */
  *followRule(before: string, after: string): Steps<void> {
    if (before !== after) yield* change(FOLLOW, after, before);
  },
};

export function createRuleCaseStore(db: Database): RuleCaseStore {
  const { ruleCase } = db.prisma;
  const findRow = async (id: string) => await ruleCase.findUnique({ where: { id } });

  return {
    async list() {
      const rows = await ruleCase.findMany({ orderBy: [{ nameKey: "asc" }] });
      return rows.flatMap((row) => db.damaged.read("rule case", row.name, () => toRuleCase(row)) ?? []);
    },

    create: (made) =>
      db.transaction(() => ruleCaseSteps.add(made)).catch(refuseDuplicate("rule case", made.input.name)),

    async update(id, made, { revision }) {
      const isWritten = await db
        .transaction(() => ruleCaseSteps.replace(id, made, revision))
        .catch(refuseDuplicate("rule case", made.input.name));
      if (!isWritten) refuseOutdated("rule case", made.input.name, await findRow(id));
    },

    async delete(id, { revision }) {
      const changes = await db.transaction(() =>
        revision === undefined ? change(DELETE, id) : change(`${DELETE} AND "revision" = ?`, id, revision),
      );
      if (changes > 0) return;
      const row = await findRow(id);
      refuseOutdated("rule case", row?.name ?? id, row);
    },
  };
}

/** A row of a later version, or one edited by hand, must not hide the others. */
function toRuleCase(row: Row): StoredRuleCase {
  const stored = parseWithDigits(row.settings);
  if (!isPlainObject(stored)) throw new Error("its settings are no object");
  const { call, outcome, effects } = stored;
  const expect = {
    outcome,
    ...(row.rule !== null && { rule: row.rule }),
    ...(effects !== undefined && { effects }),
  };
  return {
    ...ruleCaseInputSchema.parse({ name: row.name, call, expect }),
    id: row.id,
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    updatedBy: row.changedBy,
    lastEdit: toLastEdit(row),
  };
}
