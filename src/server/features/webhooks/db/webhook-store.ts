import { z } from "zod";
import { type WebhookDelivery as StoredDelivery, webhookEventSchema } from "../../../../lib/contract/webhook";
import type { Database } from "../../../platform/db/database";
import type { Webhook, WebhookDelivery } from "../../../platform/db/generated/client";
import { isUniqueViolation } from "../../../platform/db/storage-error";
import type { SecretBox } from "../../servers/server-store";
import type { StoredWebhook, WebhookStore } from "../webhook-store";

/** Ended deliveries of a webhook. */
const KEPT_DELIVERIES = 200;
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
    async addDelivery({ createdAt, lastAt, nextAt, ...rest }, otherId) {
      const data = { ...rest, createdAt: BigInt(createdAt), lastAt: toBigInt(lastAt), nextAt: toBigInt(nextAt) };
      const { id, webhookId } = rest;
      const ids = otherId === undefined ? [id] : [id, otherId];
      if ((await webhookDelivery.count({ where: { id: { in: ids } } })) > 0) return false;
      const isNew = await db.write(() =>
        webhookDelivery.create({ data }).then(
          () => true,
          (error: unknown) => (isUniqueViolation(error) ? false : Promise.reject(error)),
        ),
      );
      if (!isNew) return false;
      const ended = { webhookId, status: { not: "pending" } };
      const [oldest] = await webhookDelivery.findMany({
        where: ended,
        orderBy: { seq: "desc" },
        skip: KEPT_DELIVERIES,
        take: 1,
      });
      if (oldest !== undefined) {
        await db.write(() => webhookDelivery.deleteMany({ where: { ...ended, seq: { lte: oldest.seq } } }));
      }
      return true;
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
    pending: async () =>
      (await webhookDelivery.findMany({ where: { status: "pending" }, select: { id: true, nextAt: true } })).map(
        ({ id, nextAt }) => ({ id, nextAt: Number(nextAt ?? 0) }),
      ),
    countPending: (webhookId) => webhookDelivery.count({ where: { webhookId, status: "pending" } }),
  };
}
