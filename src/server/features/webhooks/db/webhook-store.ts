import { z } from "zod";
import { type WebhookDelivery as StoredDelivery, webhookEventSchema } from "../../../../lib/contract/webhook";
import type { Database } from "../../../platform/db/database";
import type { Webhook, WebhookDelivery } from "../../../platform/db/generated/client";
import { type Steps, selectRows } from "../../../platform/db/sql";
import type { SecretBox } from "../../servers/server-store";
import type { NewDelivery, ReceiverHealth, StoredWebhook, WebhookStore } from "../webhook-store";

/** Ended deliveries of a webhook. */
const KEPT_DELIVERIES = 200;
const LOCK = "webhooks";
const COLUMNS = { id: "text", webhookId: "text", event: "text", createdAt: "bigint", nextAt: "bigint", body: "text" };
const LISTED = Object.keys(COLUMNS)
  .map((column) => `"${column}"`)
  .join(", ");
const ROWS = {
  sqlite: `(SELECT ${Object.keys(COLUMNS)
    .map((column) => `value ->> '${column}' AS "${column}"`)
    .join(", ")}, value ->> 'otherId' AS "otherId" FROM json_each(?)) r`,
  postgres: `json_to_recordset(?::json) AS r(${Object.entries(COLUMNS)
    .map(([column, type]) => `"${column}" ${type}`)
    .join(", ")}, "otherId" text)`,
};
const insertFrom = (rows: string): string =>
  `INSERT INTO "WebhookDelivery" (${LISTED}, "status", "attempts")
   SELECT ${LISTED}, 'pending', 0 FROM ${rows}
   WHERE NOT EXISTS (SELECT 1 FROM "WebhookDelivery" d WHERE d."id" = r."otherId")
   ON CONFLICT ("id") DO NOTHING RETURNING "webhookId"`;
const PENDING = `SELECT "webhookId", COUNT(*) AS "count", MIN("nextAt") AS "nextAt" FROM "WebhookDelivery"
  WHERE "status" = 'pending' GROUP BY "webhookId"`;
const NEXT_DUE = `SELECT MIN("nextAt") AS "nextAt" FROM "WebhookDelivery" WHERE "status" = 'pending' AND "webhookId" = ?`;
const FAIL_PENDING = `UPDATE "WebhookDelivery" SET "status" = 'failed', "nextAt" = NULL, "error" = ?
  WHERE "status" = 'pending' AND "webhookId" = ?`;
const PRUNE = `DELETE FROM "WebhookDelivery" WHERE "webhookId" = ? AND "status" <> 'pending' AND seq <= (
  SELECT seq FROM "WebhookDelivery" WHERE "webhookId" = ? AND "status" <> 'pending'
  ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT_DELIVERIES})`;
const HEALTH = `SELECT "id", "failures", "failingSince", "restsUntil" FROM "Webhook"`;
const SET_HEALTH = `UPDATE "Webhook" SET "failures" = ?, "failingSince" = ?, "restsUntil" = ? WHERE "id" = ?`;
const BRING_FORWARD = `UPDATE "WebhookDelivery" SET "nextAt" = ? WHERE status = 'pending' AND attempts = ? AND "nextAt" > ?`;
const HEALTHY: ReceiverHealth = { failures: 0, failingSince: null, restsUntil: null };

type HealthRow = { id: string; failures: number; failingSince: bigint | null; restsUntil: bigint | null };

const toHealth = ({ failures, failingSince, restsUntil }: HealthRow): ReceiverHealth => ({
  failures: Number(failures),
  failingSince: toNumber(failingSince),
  restsUntil: toNumber(restsUntil),
});

function* addRows(insert: string, rows: string): Steps<Map<string, ReceiverHealth>> {
  const added = yield* selectRows<{ webhookId: string }>(insert, rows);
  const ids = new Set(added.map(({ webhookId }) => webhookId));
  if (ids.size === 0) return new Map();
  const found = yield* selectRows<HealthRow>(HEALTH);
  return new Map(found.filter(({ id }) => ids.has(id)).map((row) => [row.id, toHealth(row)]));
}

const namesSchema = z.array(z.string()).catch([]);
/** Events of a later version are left out. */
const eventsSchema = z
  .array(z.unknown())
  .transform((events) => events.flatMap((event) => webhookEventSchema.safeParse(event).data ?? []));

const toContext = (id: string): string => `webhook:${id}`;
const toAddressContext = (id: string): string => `webhook address:${id}`;
/** An address that an earlier version stored; what is encrypted begins otherwise. */
const isPlainAddress = (url: string): boolean => /^https?:/i.test(url);
const toNumber = (value: bigint | null): number | null => (value === null ? null : Number(value));
const toBigInt = (value: number | null): bigint | null => (value === null ? null : BigInt(value));

export function createWebhookStore({ db, secretBox }: { db: Database; secretBox: SecretBox }): WebhookStore {
  const { webhook, webhookDelivery } = db.prisma;

  const sealAddress = (id: string, url: string): string => secretBox.seal(url, toAddressContext(id));
  const openAddress = ({ id, url }: Webhook): string =>
    isPlainAddress(url) ? url : secretBox.open(url, toAddressContext(id));

  const toStored = (row: Webhook): StoredWebhook => ({
    id: row.id,
    url: openAddress(row),
    description: row.description,
    enabled: row.enabled,
    approverId: row.approverId,
    ...{ events: eventsSchema.parse(JSON.parse(row.events)), tools: namesSchema.parse(JSON.parse(row.tools)) },
    ...{ createdAt: Number(row.createdAt), updatedAt: Number(row.updatedAt), disabledReason: row.disabledReason },
    secret: secretBox.open(row.secret, toContext(row.id)),
  });

  const toDelivery = (row: WebhookDelivery): StoredDelivery => ({
    ...{
      id: row.id,
      webhookId: row.webhookId,
      event: row.event,
      attempts: row.attempts,
      body: row.body,
      error: row.error,
    },
    ...{ createdAt: Number(row.createdAt), lastAt: toNumber(row.lastAt), nextAt: toNumber(row.nextAt) },
    responseStatus: row.responseStatus,
    status: row.status === "delivered" || row.status === "pending" ? row.status : "failed",
  });

  return {
    async list() {
      const rows = await webhook.findMany({ orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
      return rows.flatMap((row) => db.damaged.read("webhook", row.id, () => toStored(row)) ?? []);
    },
    async sealAddresses() {
      const rows = await webhook.findMany({ select: { id: true, url: true } });
      for (const { id, url } of rows) {
        if (!isPlainAddress(url)) continue;
        await db.write(() => webhook.updateMany({ where: { id, url }, data: { url: sealAddress(id, url) } }));
      }
    },
    async create({ id, url, secret, events, tools, createdAt, updatedAt, ...rest }) {
      const times = { createdAt: BigInt(createdAt), updatedAt: BigInt(updatedAt) };
      const lists = { events: JSON.stringify(events), tools: JSON.stringify(tools) };
      const sealed = secretBox.seal(secret, toContext(id));
      const address = sealAddress(id, url);
      await db.write(() => webhook.create({ data: { ...rest, id, url: address, ...times, ...lists, secret: sealed } }));
    },
    async update(id, { url, events, tools, updatedAt, ...rest }) {
      const data = {
        ...rest,
        url: sealAddress(id, url),
        events: JSON.stringify(events),
        tools: JSON.stringify(tools),
        updatedAt: BigInt(updatedAt),
      };
      return (await db.write(() => webhook.updateMany({ where: { id }, data }))).count > 0;
    },
    async setSecret(id, secret, updatedAt) {
      const data = { secret: secretBox.seal(secret, toContext(id)), updatedAt: BigInt(updatedAt) };
      return (await db.write(() => webhook.updateMany({ where: { id }, data }))).count > 0;
    },
    async delete(id) {
      await db.write(() => webhookDelivery.deleteMany({ where: { webhookId: id } }));
      return (await db.write(() => webhook.deleteMany({ where: { id } }))).count > 0;
    },
    async addDeliveries(deliveries) {
      const rows = deliveries.map(({ id, webhookId, event, createdAt, nextAt, body, otherId }: NewDelivery) => ({
        id,
        webhookId,
        event,
        createdAt,
        nextAt,
        body,
        otherId: otherId ?? null,
      }));
      return db.transaction(() => addRows(insertFrom(ROWS[db.kind]), JSON.stringify(rows)), LOCK);
    },

    async updateDelivery(id, { status, attempts, lastAt, nextAt, responseStatus, error }, before) {
      const data = { status, attempts, responseStatus, error, lastAt: toBigInt(lastAt), nextAt: toBigInt(nextAt) };
      const where = before === undefined ? { id } : { id, status: "pending", attempts: before };
      return (await db.write(() => webhookDelivery.updateMany({ where, data }))).count > 0;
    },
    async findDelivery(id) {
      const row = await webhookDelivery.findUnique({ where: { id } });
      return row === null ? null : toDelivery(row);
    },
    deliveries: async (webhookId, limit) =>
      (await webhookDelivery.findMany({ where: { webhookId }, orderBy: { seq: "desc" }, take: limit })).map(toDelivery),
    due: async (webhookId, now, limit) =>
      (
        await webhookDelivery.findMany({
          where: { webhookId, status: "pending", nextAt: { lte: BigInt(now) } },
          orderBy: [{ nextAt: "asc" }, { seq: "asc" }],
          take: limit,
        })
      ).map(toDelivery),

    async nextDue(webhookId) {
      const row = await db.row<{ nextAt: bigint | null }>(NEXT_DUE, webhookId);
      return toNumber(row?.nextAt ?? null);
    },

    pending: async () =>
      (await db.rows<{ webhookId: string; count: bigint; nextAt: bigint }>(PENDING)).map(
        ({ webhookId, count, nextAt }) => ({ webhookId, count: Number(count), nextAt: Number(nextAt) }),
      ),

    async failPending(webhookId, error) {
      await db.change(FAIL_PENDING, error, webhookId);
    },

    async prune(webhookId) {
      await db.change(PRUNE, webhookId, webhookId);
    },

    async readHealth(webhookId) {
      const row = await db.row<HealthRow>(`${HEALTH} WHERE "id" = ?`, webhookId);
      return row === undefined ? HEALTHY : toHealth(row);
    },

    async bringForward({ attempts, rest }) {
      for (const [count, latest] of attempts.entries()) await db.change(BRING_FORWARD, latest, count, latest);
      await db.change('UPDATE "Webhook" SET "restsUntil" = ? WHERE "restsUntil" > ?', rest, rest);
    },
    async setHealth(webhookId, { failures, failingSince, restsUntil }) {
      await db.change(SET_HEALTH, failures, failingSince, restsUntil, webhookId);
    },
  };
}
