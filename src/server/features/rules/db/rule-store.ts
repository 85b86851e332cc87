import { type CallRuleInput, callRuleInputSchema } from "../../../../lib/contract/call-rule";
import { isPlainObject } from "../../../../lib/contract/json";
import { allConditions, buildQuery } from "../../../calls/executions/db/execution-queries";
import { createPostgresReads } from "../../../calls/executions/db/postgres/reads";
import type { Database } from "../../../platform/db/database";
import type { CallRule as Row } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import { AMONG, change, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import type { CallTime, NewRule, RecordedCall, RuleStore, StoredRule } from "../rule-store";
import { ruleCaseSteps } from "./rule-case-store";

/** Of edits that give rules their positions. */
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

/** Names that differ in case alone are one. */
const toKey = (name: string): string => name.toLowerCase();

type CallRow = RecordedCall & { seq: number | bigint; queuedAt: number | bigint; bytes: number | bigint };

function* number(ids: readonly string[]) {
  for (const [index, id] of ids.entries()) yield* change(PLACE, index + 1, id, index + 1);
}

/** Calls that ended before rules are asked. */
const UNRULED = `coalesce("errorKind", '') NOT IN ('not_found', 'invalid_arguments', 'malformed_arguments', 'definition_changed')`;
const CALL_COLUMNS = `seq, id, "toolName", "implementationType", "serverName", toolset, "actorId", "actorName", client, source, "tokenId", "queuedAt", status,
  "errorKind", "definitionHash", "runId", octet_length(arguments) + coalesce("resultBytes", 0) AS bytes, coalesce("argumentsPreview", arguments) AS "argumentsPreview"`;
/** Hundreds are in memory at once. */
const SHORT_ARGUMENTS = "CASE WHEN length(arguments) <= 131072 THEN arguments END";
const SHORT_RESULT = `CASE WHEN length(result) <= 131072 AND NOT "resultTruncated" THEN result END`;
const FIRST_SINCE = 'SELECT seq FROM "Execution" WHERE "queuedAt" >= ? ORDER BY "queuedAt", seq LIMIT 1';
const NEWEST = 'SELECT max(seq) AS seq FROM "Execution"';
const TIMES = `SELECT seq, "actorId", "toolName", "queuedAt" FROM "Execution" WHERE seq > ? AND seq <= ? AND ${UNRULED} ORDER BY seq`;
const PRICES = `SELECT "executionId", facts FROM "RuleMatch" WHERE effect = 'price' AND NOT "recordOnly" AND "executionId" ${AMONG}`;
const TAGS = `SELECT hash, json FROM "Definition" WHERE hash ${AMONG}`;
const ARGUMENTS = `SELECT id, arguments AS text FROM "Execution" WHERE "toolName" = ? AND length(arguments) <= 10000 ORDER BY seq DESC LIMIT ?`;

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
    return changes > 0;
  },
};

export function createRuleStore(db: Database): RuleStore {
  // The conditions of filters are written for SQLite.
  const postgres = db.kind === "postgres" ? createPostgresReads(db.pool) : null;
  const read = <Row>(sql: string, values: readonly (string | number | null)[]): Promise<Row[]> =>
    postgres === null ? db.rows<Row>(sql, ...values) : postgres.rows<Row>(sql, values);
  const { callRule } = db.prisma;

  const findRow = async (id: string) => await callRule.findUnique({ where: { id } });

  return {
    async list() {
      const rows = await callRule.findMany({ orderBy: [{ position: "asc" }, { id: "asc" }] });
      return rows.flatMap((row) => db.damaged.read("rule", row.name, () => toRule(row)) ?? []);
    },

    create: (rule) => db.transaction(() => ruleSteps.add(rule), LOCK).catch(refuseDuplicate("rule", rule.input.name)),

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
      const isKnown = await db.transaction(function* () {
        const ids = (yield* selectRows<{ id: string }>(IDS)).map((row) => row.id);
        if (!ids.includes(id)) return false;
        const others = ids.filter((each) => each !== id);
        others.splice(position - 1, 0, id);
        yield* number(others);
        return true;
      }, LOCK);
      if (!isKnown) refuseOutdated("rule", id, null);
    },

    async findRange(since) {
      const first = await db.row<{ seq: number }>(FIRST_SINCE, since);
      const newest = await db.row<{ seq: number | null }>(NEWEST);
      const upTo = Number(newest?.seq ?? 0);
      return { above: first === undefined ? upTo : Number(first.seq) - 1, upTo };
    },

    async readCalls(filter, { above, upTo }, parts) {
      const conditions = allConditions(buildQuery(filter));
      const rows = await read<CallRow>(
        `SELECT ${CALL_COLUMNS}, ${parts.arguments ? SHORT_ARGUMENTS : "NULL"} AS "argumentsText",
         ${parts.results ? SHORT_RESULT : "NULL"} AS "resultText", ${parts.results ? "error" : "NULL"} AS error FROM "Execution"
         WHERE ${["seq > ?", "seq <= ?", UNRULED, ...conditions.map(({ sql }) => sql)].join(" AND ")} ORDER BY seq DESC`,
        [above, upTo, ...conditions.flatMap(({ values }) => values)],
      );
      return rows.map((row) => ({
        ...row,
        seq: Number(row.seq),
        queuedAt: Number(row.queuedAt),
        bytes: Number(row.bytes),
      }));
    },

    readTimes: async ({ above, upTo }) =>
      (await db.rows<CallTime>(TIMES, above, upTo)).map((row) => ({
        ...row,
        seq: Number(row.seq),
        queuedAt: Number(row.queuedAt),
      })),

    async readCosts(ids) {
      const costs = new Map<string, number>();
      for (const { executionId, facts } of await db.rows<{ executionId: string; facts: string }>(PRICES, ids)) {
        const values: unknown = JSON.parse(facts);
        const price = isPlainObject(values) && typeof values.price === "number" ? values.price : 0;
        costs.set(executionId, (costs.get(executionId) ?? 0) + price);
      }
      return costs;
    },

    async readTags(hashes) {
      const rows = await db.rows<{ hash: string; json: string }>(TAGS, hashes);
      return new Map(rows.map(({ hash, json }) => [hash, toTags(json)]));
    },

    listArguments: (toolName, limit) => db.rows<{ id: string; text: string }>(ARGUMENTS, toolName, limit),

    async findToken(executionId) {
      return (await db.row<{ tokenId: string | null }>(TOKEN, executionId))?.tokenId ?? null;
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
    lastEdit: toLastEdit(row),
  };
}
