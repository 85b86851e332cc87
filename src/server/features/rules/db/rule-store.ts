import { type CallRuleInput, callRuleInputSchema } from "../../../../lib/contract/call-rule";
import { isPlainObject } from "../../../../lib/contract/json";
import type { Database } from "../../../platform/db/database";
import type { CallRule as Row } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import { AMONG, change, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import type { NewRule, RuleStore, StoredRule } from "../rule-store";
import { createCallReads } from "./call-reads";
import { ruleCaseSteps } from "./rule-case-store";

/** The lock of edits that give rules their positions. */
const LOCK = "call rules";
const LAST = 'SELECT COALESCE(MAX("position"), 0) AS "last" FROM "CallRule"';
const INSERT = `INSERT INTO "CallRule" ("id", "name", "nameKey", "position", "state", "settings", "createdAt", "updatedAt", "changedBy")
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const DELETE = 'DELETE FROM "CallRule" WHERE "id" = ?';
const NAME = 'SELECT "name" FROM "CallRule" WHERE "id" = ?';
const TOKEN = 'SELECT "tokenId" FROM "Execution" WHERE id = ?';
const IDS = 'SELECT "id" FROM "CallRule" ORDER BY "position", "id"';
const PLACE = 'UPDATE "CallRule" SET "position" = ? WHERE "id" = ? AND "position" <> ?';
const COUNT = 'SELECT "ruleId", COUNT(*) AS "calls" FROM "RuleMatch" WHERE "matchedAt" >= ? GROUP BY "ruleId"';

/** Names that differ only in case count as equal. */
const toKey = (name: string): string => name.toLowerCase();

function* number(ids: readonly string[]) {
  for (const [index, id] of ids.entries()) yield* change(PLACE, index + 1, id, index + 1);
}

const TAGS = `SELECT hash, json FROM "Definition" WHERE hash ${AMONG}`;
/** @returns false for an unknown one */
function* moveTo(id: string, position: number): Steps<boolean> {
  const ids = (yield* selectRows<{ id: string }>(IDS)).map((row) => row.id);
  if (!ids.includes(id)) return false;
  const others = ids.filter((each) => each !== id);
  others.splice(position - 1, 0, id);
  yield* number(others);
  return true;
}

const HOOK_SECRETS = 'SELECT "id", "hookSecret" FROM "CallRule" WHERE "hookSecret" IS NOT NULL';
const SET_HOOK_SECRET = 'UPDATE "CallRule" SET "hookSecret" = ? WHERE "id" = ?';
const ADD_HOOK_SECRET = `${SET_HOOK_SECRET} AND "hookSecret" IS NULL`;
const CLEAR_HOOK_SECRET = 'UPDATE "CallRule" SET "hookSecret" = NULL WHERE "id" = ?';
const REVIEW = 'UPDATE "CallRule" SET "reviewedAt" = ? WHERE "id" = ?';

const REPLACE = `UPDATE "CallRule" SET "name" = ?, "nameKey" = ?, "state" = ?, "settings" = ?, "updatedAt" = ?, "changedBy" = ?,
  "revision" = "revision" + 1 WHERE "id" = ?`;

const toSettings = ({ name: _name, state: _state, ...settings }: CallRuleInput): string => JSON.stringify(settings);

/** Steps of a transaction, which an import shares. */
export const ruleSteps = {
  *add({ id, input, at, by }: NewRule): Steps<void> {
    const last = yield* selectRow<{ last: number | bigint }>(LAST);
    const position = Number(last?.last ?? 0) + 1;
    yield* change(INSERT, id, input.name, toKey(input.name), position, input.state, toSettings(input), at, at, by);
  },
  /** @returns false for an unknown one, and one of another version */
  *replace(id: string, { input, at, by }: Omit<NewRule, "id">, version?: number): Steps<boolean> {
    const values = [input.name, toKey(input.name), input.state, toSettings(input), at, by, id];
    const before = yield* selectRow<{ name: string }>(NAME, id);
    const changes =
      version === undefined
        ? yield* change(REPLACE, ...values)
        : yield* change(`${REPLACE} AND "revision" = ?`, ...values, version);
    if (changes > 0 && before !== undefined) yield* ruleCaseSteps.followRule(before.name, input.name);
    if (changes > 0 && input.effect.kind !== "hook") yield* change(CLEAR_HOOK_SECRET, id);
    return changes > 0;
  },
};

export function createRuleStore(db: Database): RuleStore {
  const { callRule } = db.prisma;

  const findRow = async (id: string) => await callRule.findUnique({ where: { id } });

  return {
    ...createCallReads(db),

    async list() {
      const rows = await callRule.findMany({ orderBy: [{ position: "asc" }, { id: "asc" }] });
      return rows.flatMap((row) => db.damaged.read("rule", row.name, () => toRule(row)) ?? []);
    },

    create: (rule) =>
      db
        .transaction(function* () {
          yield* ruleSteps.add(rule);
          if (rule.position !== undefined) yield* moveTo(rule.id, rule.position);
        }, LOCK)
        .catch(refuseDuplicate("rule", rule.input.name)),

    async update(id, rule, { revision }) {
      const isWritten = await db
        .transaction(() => ruleSteps.replace(id, rule, revision), LOCK)
        .catch(refuseDuplicate("rule", rule.input.name));
      if (!isWritten) refuseOutdated("rule", rule.input.name, await findRow(id));
    },

    async delete(id, { revision }) {
      const isDeleted = await db.transaction(function* () {
        const changes =
          revision === undefined
            ? yield* change(DELETE, id)
            : yield* change(`${DELETE} AND "revision" = ?`, id, revision);
        if (changes === 0) return false;
        yield* number((yield* selectRows<{ id: string }>(IDS)).map((row) => row.id));
        return true;
      }, LOCK);
      if (!isDeleted) {
        const row = await findRow(id);
        refuseOutdated("rule", row?.name ?? id, row);
      }
    },

    async move(id, position) {
      const isKnown = await db.transaction(() => moveTo(id, position), LOCK);
      if (!isKnown) refuseOutdated("rule", id, null);
    },

    async readTags(hashes) {
      const rows = await db.rows<{ hash: string; json: string }>(TAGS, hashes);
      return new Map(rows.map(({ hash, json }) => [hash, toTags(json)]));
    },

    async markReviewed(id, at) {
      await db.change(REVIEW, at, id);
    },

    async findToken(executionId) {
      return (await db.row<{ tokenId: string | null }>(TOKEN, executionId))?.tokenId ?? null;
    },

    async readHookSecrets() {
      const rows = await db.rows<{ id: string; hookSecret: string }>(HOOK_SECRETS);
      return new Map(rows.map(({ id, hookSecret }) => [id, hookSecret]));
    },

    async addHookSecret(id, sealed) {
      await db.change(ADD_HOOK_SECRET, sealed, id);
    },

    async setHookSecret(id, sealed) {
      await db.change(SET_HOOK_SECRET, sealed, id);
    },

    async countMatches(since) {
      const rows = await db.rows<{ ruleId: string; calls: number | bigint }>(COUNT, since);
      return new Map(rows.map(({ ruleId, calls }) => [ruleId, Number(calls)]));
    },
  };
}

function toTags(json: string): string[] {
  const definition: unknown = JSON.parse(json);
  const tags = isPlainObject(definition) ? definition.tags : null;
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

/** A row of a later version, or one edited by hand, must not hide the others. */
function toRule(row: Row): StoredRule {
  const stored: unknown = JSON.parse(row.settings);
  if (!isPlainObject(stored)) throw new Error("its settings are no object");
  return {
    ...callRuleInputSchema.parse({ ...stored, name: row.name, state: row.state }),
    id: row.id,
    position: row.position,
    version: row.revision,
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    updatedBy: row.changedBy,
    reviewedAt: row.reviewedAt === null ? null : Number(row.reviewedAt),
    lastEdit: toLastEdit(row),
  };
}
