import { ROLES } from "../../../../lib/contract/access";
import { type Alert, alertRuleSchema, alertSchema } from "../../../../lib/contract/alert";
import type { Database } from "../../../platform/db/database";
import type { Alert as Row, AlertRule as RuleRow } from "../../../platform/db/generated/client";
import { change, type Steps, selectRow } from "../../../platform/db/sql";
import { isUniqueViolation } from "../../../platform/db/storage-error";
import type { Outage } from "../alert-readings";
import type { AlertState } from "../alert-state";
import type { AlertEvent, AlertStore, Transition, Wait } from "../alert-store";

/** The lock of evaluations and edits of rules. */
const LOCK = "alerts";
const FIRED = "alert.fired";
const RESOLVED = "alert.resolved";
const SELECT_RULE = 'SELECT "id" FROM "AlertRule" WHERE "id" = ? AND "enabled"';
const ADD_STATE =
  'INSERT INTO "AlertState" ("ruleId", "subject", "state") VALUES (?, ?, ?) ON CONFLICT ("ruleId", "subject") DO NOTHING';
const CHANGE_STATE = 'UPDATE "AlertState" SET "state" = ? WHERE "ruleId" = ? AND "subject" = ? AND "state" = ?';
const DELETE_STATE = 'DELETE FROM "AlertState" WHERE "ruleId" = ? AND "subject" = ? AND "state" = ?';
const FIRE = `INSERT INTO "Alert" ("id", "ruleId", "rule", "kind", "tool", "server", "client", "limited", "value", "threshold", "windowMinutes", "notify", "firedAt", "pendingEvent")
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const resolveBy = (column: "id" | "ruleId"): string =>
  `UPDATE "Alert" SET "resolvedAt" = ?, "pendingEvent" = ? WHERE "${column}" = ? AND "resolvedAt" IS NULL`;
const MARK_READ = `INSERT INTO "AlertRead" ("userId", "seq") VALUES (?, ?)
  ON CONFLICT ("userId") DO UPDATE SET "seq" = excluded."seq" WHERE excluded."seq" > "AlertRead"."seq"`;

/** More requests than users decide in a week. */
const MAX_REQUESTS = 20_000;
const WAITS = {
  approval_waiting: `SELECT e."toolName" AS subject, a."requestedAt" AS "from", a."decidedAt" AS until
    FROM (SELECT * FROM "Approval" ORDER BY seq DESC LIMIT ${MAX_REQUESTS}) a JOIN "Execution" e ON e.id = a."executionId"
    WHERE a."decidedAt" IS NULL OR a."decidedAt" >= ?`,
  change_held: `SELECT "serverName" AS subject, "heldAt" AS "from", "decidedAt" AS until
    FROM (SELECT "serverName", "heldAt", "decidedAt" FROM "ToolPin"
      UNION ALL SELECT "serverName", "heldAt", "decidedAt" FROM "SkillPin") held
    WHERE "heldAt" IS NOT NULL AND ("decidedAt" IS NULL OR "decidedAt" >= ?)`,
  server_down: `SELECT "server" AS subject, "startedAt" AS "from", "endedAt" AS until FROM "ServerOutage"
    WHERE "endedAt" IS NULL OR "endedAt" >= ?`,
};
const OUTAGES = `SELECT "status", "startedAt", "endedAt" FROM "ServerOutage" WHERE "server" = ? ORDER BY "startedAt" DESC, "id" DESC LIMIT ?`;
const OPEN_OUTAGES = 'SELECT "server", "startedAt" FROM "ServerOutage" WHERE "endedAt" IS NULL';
const BEGIN_OUTAGE = `INSERT INTO "ServerOutage" ("server", "status", "startedAt") SELECT v.name, v.status, v.at
  FROM (SELECT CAST(? AS text) AS name, CAST(? AS text) AS status, CAST(? AS bigint) AS at) v
  WHERE NOT EXISTS (SELECT 1 FROM "ServerOutage" o WHERE o."server" = v.name AND o."endedAt" IS NULL)`;

/** Names that differ only in case count as equal. */
const toKey = (name: string): string => name.toLowerCase();
const toRole = (role: string) => ROLES.find((each) => each === role) ?? "admin";

const parseLimit = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** Null for an alert that a later version stored. */
function toAlerts({ firedAt, resolvedAt, pendingEvent: _pendingEvent, limited, ...row }: Row): Alert[] {
  const times = { firedAt: Number(firedAt), resolvedAt: resolvedAt === null ? null : Number(resolvedAt) };
  const { data } = alertSchema.safeParse({ ...row, ...times, limit: parseLimit(limited), notify: toRole(row.notify) });
  return data === undefined ? [] : [data];
}

function* commit({ ruleId, subject, before, after, fired, resolved, sendsEvents }: Transition): Steps<boolean> {
  if ((yield* selectRow(SELECT_RULE, ruleId)) === undefined) return false;
  const old = JSON.stringify(before);
  const next = JSON.stringify(after);
  const changes = yield* before === null
    ? change(ADD_STATE, ruleId, subject, next)
    : after === null
      ? change(DELETE_STATE, ruleId, subject, old)
      : change(CHANGE_STATE, next, ruleId, subject, old);
  if (changes === 0) return false;
  const toEvent = (event: AlertEvent): AlertEvent | null => (sendsEvents ? event : null);
  if (fired !== undefined) {
    const { id, rule, kind, tool, server, client, limit, value, threshold, windowMinutes, notify, firedAt } = fired;
    const limited = limit === null ? null : JSON.stringify(limit);
    const measured = [value, threshold, windowMinutes, notify, firedAt];
    yield* change(FIRE, id, ruleId, rule, kind, tool, server, client, limited, ...measured, toEvent(FIRED));
  }
  if (resolved !== undefined) yield* change(resolveBy("id"), resolved.at, toEvent(RESOLVED), resolved.id);
  return true;
}

export function createAlertStore(db: Database): AlertStore {
  const { alertRule, alert, alertState, alertRead } = db.prisma;
  /** The unique index decides between two that save one name at the same time. */
  const isTaken = (error: unknown): false => {
    if (isUniqueViolation(error)) return false;
    throw error;
  };

  async function toRules(rows: readonly RuleRow[]) {
    const counts = await alert.groupBy({ by: ["ruleId"], where: { resolvedAt: null }, _count: true });
    const firing = new Map(counts.map(({ ruleId, _count }) => [ruleId, _count]));
    return rows.flatMap(({ nameKey: _key, createdAt, updatedAt, ...row }) => {
      const times = { createdAt: Number(createdAt), updatedAt: Number(updatedAt) };
      const rule = { ...row, ...times, notify: toRole(row.notify), firing: firing.get(row.id) ?? 0 };
      return alertRuleSchema.safeParse(rule).data ?? [];
    });
  }

  return {
    listOutages: async (server, limit) =>
      (await db.rows<{ status: string; startedAt: bigint; endedAt: bigint | null }>(OUTAGES, server, limit)).map(
        ({ status, startedAt, endedAt }) => ({
          status,
          startedAt: Number(startedAt),
          endedAt: endedAt === null ? null : Number(endedAt),
        }),
      ),
    listOpenOutages: () => db.rows<Outage>(OPEN_OUTAGES),
    async beginOutage({ server, status, startedAt }) {
      await db.change(BEGIN_OUTAGE, server, status, startedAt);
    },
    async endOutage(server, at) {
      await db.change('UPDATE "ServerOutage" SET "endedAt" = ? WHERE "server" = ? AND "endedAt" IS NULL', at, server);
    },
    async pruneOutages(endedBefore) {
      await db.change('DELETE FROM "ServerOutage" WHERE "endedAt" < ?', endedBefore);
    },
    listWaits: (kind, since) => db.rows<Wait>(WAITS[kind], since),
    listRules: async () => toRules(await alertRule.findMany({ orderBy: { nameKey: "asc" } })),
    findRule: async (id) => (await toRules(await alertRule.findMany({ where: { id } })))[0] ?? null,
    createRule: ({ createdAt, updatedAt, ...rule }) => {
      const times = { createdAt: BigInt(createdAt), updatedAt: BigInt(updatedAt) };
      const data = { ...rule, ...times, nameKey: toKey(rule.name) };
      return db.write(() => alertRule.create({ data }).then(() => true, isTaken));
    },
    async updateRule(id, { updatedAt, ...rule }) {
      const data = { ...rule, nameKey: toKey(rule.name), updatedAt: BigInt(updatedAt) };
      const changed = await db.write(() => alertRule.updateMany({ where: { id }, data }).catch(isTaken));
      if (changed === false) return "taken";
      return changed.count > 0 ? "saved" : "unknown";
    },
    deleteRule: async (id) => (await db.write(() => alertRule.deleteMany({ where: { id } }))).count > 0,
    states: async () =>
      (await alertState.findMany()).map(({ ruleId, subject, state }) => ({
        ruleId,
        subject,
        state: JSON.parse(state) as AlertState,
      })),
    transition: (asked) => db.transaction(() => commit(asked), LOCK),
    settleRule: (ruleId, at, sendsEvents) =>
      db.transaction(function* () {
        yield* change('DELETE FROM "AlertState" WHERE "ruleId" = ?', ruleId);
        yield* change(resolveBy("ruleId"), at, sendsEvents ? RESOLVED : null, ruleId);
      }, LOCK),
    listPendingEvents: async () =>
      (await alert.findMany({ where: { pendingEvent: { not: null } }, orderBy: { seq: "asc" } })).flatMap((row) =>
        toAlerts(row).map((each) => ({ alert: each, event: row.pendingEvent === FIRED ? FIRED : RESOLVED })),
      ),
    // The alert may have been resolved since it was read: that newer event stays pending.
    clearPendingEvent: async (id, event) =>
      void (await db.change(
        'UPDATE "Alert" SET "pendingEvent" = NULL WHERE "id" = ? AND "pendingEvent" = ?',
        id,
        event,
      )),
    async list({ roles, ruleId, firing, cursor, limit }) {
      const rows = await alert.findMany({
        where: {
          notify: { in: [...roles] },
          ...(ruleId === undefined ? {} : { ruleId }),
          ...(firing === undefined ? {} : { resolvedAt: firing ? null : { not: null } }),
          ...(cursor === undefined ? {} : { seq: { lt: cursor } }),
        },
        orderBy: { seq: "desc" },
        take: limit + 1,
      });
      const page = rows.slice(0, limit);
      return { items: page.flatMap(toAlerts), nextCursor: rows.length > limit ? (page.at(-1)?.seq ?? null) : null };
    },
    countAfter: (seq, roles) => alert.count({ where: { seq: { gt: seq }, notify: { in: [...roles] } } }),
    readSeq: async (userId) => (await alertRead.findUnique({ where: { userId } }))?.seq ?? 0,
    setReadSeq: async (userId, seq) => void (await db.change(MARK_READ, userId, seq)),
    async prune(firedBefore, keep) {
      const ended = { resolvedAt: { not: null } };
      const [oldest] = await alert.findMany({ where: ended, orderBy: { seq: "desc" }, skip: keep, take: 1 });
      const where = { OR: [{ firedAt: { lt: BigInt(firedBefore) } }, { seq: { lte: oldest?.seq ?? 0 } }] };
      await db.write(() => alert.deleteMany({ where: { ...ended, ...where } }));
    },
  };
}
