import type { WebhookDelivery as StoredDelivery } from "../../../../lib/contract/webhook";
import type { Database } from "../../../platform/db/database";
import type { Webhook, WebhookDelivery } from "../../../platform/db/generated/client";
import { change } from "../../../platform/db/sql";
import type { SecretBox } from "../../servers/server-store";
import type { ReceiverHealth, StoredWebhook, WebhookStore } from "../webhook-store";
import {
  addDeliveryRows,
  addEventRows,
  COUNT_WAITING,
  END,
  eventsSchema,
  HEALTH,
  type HealthRow,
  MAX_PENDING,
  namesSchema,
  pruneEvents,
  takeEventRows,
  toHealth,
  toNumber,
  toWantedValues,
} from "./webhook-event-rows";

/** Ended deliveries of a webhook. */
const KEPT_DELIVERIES = 200;
const LOCK = "webhooks";
const UPDATE = `UPDATE "Webhook" SET "url" = ?, "description" = ?, "events" = ?, "tools" = ?, "approverId" = ?, "enabled" = ?,
  "disabledReason" = ?, "updatedAt" = ?, "cursor" = ${END} WHERE "id" = ?`;
const BEHIND = `SELECT "id", "restsUntil" FROM "Webhook" WHERE "enabled" AND "cursor" < ${END}`;
const PENDING = `SELECT "webhookId", MIN("nextAt") AS "nextAt" FROM "WebhookDelivery"
  WHERE "status" = 'pending' GROUP BY "webhookId"`;
const NEXT_DUE = `SELECT MIN("nextAt") AS "nextAt" FROM "WebhookDelivery" WHERE "status" = 'pending' AND "webhookId" = ?`;
const FAIL_PENDING = `UPDATE "WebhookDelivery" SET "status" = 'failed', "nextAt" = NULL, "error" = ?
  WHERE "status" = 'pending' AND "webhookId" = ?`;
const PRUNE = `DELETE FROM "WebhookDelivery" WHERE "webhookId" = ? AND "status" <> 'pending' AND seq <= (
  SELECT seq FROM "WebhookDelivery" WHERE "webhookId" = ? AND "status" <> 'pending'
  ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT_DELIVERIES})`;
const SET_HEALTH = `UPDATE "Webhook" SET "failures" = ?, "failingSince" = ?, "restsUntil" = ? WHERE "id" = ?`;
const BRING_FORWARD = `UPDATE "WebhookDelivery" SET "nextAt" = ? WHERE status = 'pending' AND attempts = ? AND "nextAt" > ?`;
const HEALTHY: ReceiverHealth = { failures: 0, failingSince: null, restsUntil: null };

const toContext = (id: string): string => `webhook:${id}`;
const toAddressContext = (id: string): string => `webhook address:${id}`;
/** An address that an earlier version stored; what is encrypted begins otherwise. */
const isPlainAddress = (url: string): boolean => /^https?:/i.test(url);
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
    events: eventsSchema.parse(JSON.parse(row.events)),
    tools: namesSchema.parse(JSON.parse(row.tools)),
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    disabledReason: row.disabledReason,
    secret: secretBox.open(row.secret, toContext(row.id)),
  });

  const toDelivery = (row: WebhookDelivery): StoredDelivery => ({
    id: row.id,
    webhookId: row.webhookId,
    event: row.event,
    attempts: row.attempts,
    body: row.body,
    error: row.error,
    createdAt: Number(row.createdAt),
    lastAt: toNumber(row.lastAt),
    nextAt: toNumber(row.nextAt),
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
      const cursor = Number((await db.row<{ end: bigint }>(`SELECT ${END} AS "end"`))?.end ?? 0);
      await db.write(() =>
        webhook.create({ data: { ...rest, id, url: address, ...times, ...lists, secret: sealed, cursor } }),
      );
    },
    async update(id, { url, description, events, tools, approverId, enabled, disabledReason, updatedAt }, taking) {
      const values = [
        sealAddress(id, url),
        description,
        JSON.stringify(events),
        JSON.stringify(tools),
        approverId,
        Number(enabled),
        disabledReason,
        updatedAt,
        id,
      ];
      const count = await db.transaction(function* () {
        if (taking !== null) yield* takeEventRows(db.kind, id, taking, MAX_PENDING);
        return yield* change(UPDATE, ...values);
      }, LOCK);
      return count > 0;
    },
    async setSecret(id, secret, updatedAt) {
      const data = { secret: secretBox.seal(secret, toContext(id)), updatedAt: BigInt(updatedAt) };
      return (await db.write(() => webhook.updateMany({ where: { id }, data }))).count > 0;
    },
    async delete(id) {
      await db.write(() => webhookDelivery.deleteMany({ where: { webhookId: id } }));
      return (await db.write(() => webhook.deleteMany({ where: { id } }))).count > 0;
    },
    async addEvents(events) {
      const rows = JSON.stringify(events.map((event) => ({ ...event, data: JSON.stringify(event.data) })));
      return db.transaction(() => addEventRows(db.kind, rows), LOCK);
    },
    takeEvents: (webhookId, taking, limit) =>
      db.transaction(() => takeEventRows(db.kind, webhookId, taking, limit), LOCK),
    async countWaiting(webhookId, wanted) {
      const row = await db.row<{ count: bigint }>(COUNT_WAITING, webhookId, ...toWantedValues(wanted));
      return Number(row?.count ?? 0);
    },
    listBehind: async () =>
      (await db.rows<Pick<HealthRow, "id" | "restsUntil">>(BEHIND)).map(({ id, restsUntil }) => ({
        webhookId: id,
        restsUntil: toNumber(restsUntil) ?? 0,
      })),
    pruneEvents: () => pruneEvents(db),
    addDeliveries: (deliveries) => db.transaction(() => addDeliveryRows(db.kind, deliveries), LOCK),

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
      (await db.rows<{ webhookId: string; nextAt: bigint }>(PENDING)).map(({ webhookId, nextAt }) => ({
        webhookId,
        nextAt: Number(nextAt),
      })),

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
