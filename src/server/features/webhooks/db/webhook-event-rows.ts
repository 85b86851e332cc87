import { z } from "zod";
import { webhookEventSchema } from "../../../../lib/contract/webhook";
import type { Database } from "../../../platform/db/database";
import { AMONG, change, type Steps, selectRow, selectRows } from "../../../platform/db/sql";
import type { NewDelivery, ReceiverHealth, StoredEvent, Taking, WantedEvents, WebhookStore } from "../webhook-store";

/** The limit of one webhook: pending deliveries, and events that wait without a delivery. */
export const MAX_PENDING = 1_000;
/** Events that are looked at within one turn of the event loop. */
const PRUNE_SLICE = 500;
const DELIVERY_COLUMNS = {
  id: "text",
  webhookId: "text",
  event: "text",
  createdAt: "bigint",
  nextAt: "bigint",
  body: "text",
};
const EVENT_COLUMNS = {
  event: "text",
  identity: "text",
  earlier: "text",
  tool: "text",
  createdAt: "bigint",
  data: "text",
};

const listColumns = (columns: object): string =>
  Object.keys(columns)
    .map((column) => `"${column}"`)
    .join(", ");

/** The rows of a JSON text, in either kind of database. */
function selectFromJson(kind: Database["kind"], columns: Record<string, string>): string {
  const entries = Object.entries(columns);
  if (kind === "postgres")
    return `json_to_recordset(?::json) AS r(${entries.map(([column, type]) => `"${column}" ${type}`).join(", ")})`;
  return `(SELECT ${entries.map(([column]) => `value ->> '${column}' AS "${column}"`).join(", ")} FROM json_each(?)) r`;
}

const insertDeliveries = (kind: Database["kind"]): string =>
  `INSERT INTO "WebhookDelivery" (${listColumns(DELIVERY_COLUMNS)}, "status", "attempts")
   SELECT ${listColumns(DELIVERY_COLUMNS)}, 'pending', 0 FROM ${selectFromJson(kind, { ...DELIVERY_COLUMNS, otherId: "text" })}
   WHERE NOT EXISTS (SELECT 1 FROM "WebhookDelivery" d WHERE d."id" = r."otherId")
   ON CONFLICT ("id") DO NOTHING`;
const insertEvents = (kind: Database["kind"]): string =>
  `INSERT INTO "WebhookEvent" (${listColumns(EVENT_COLUMNS)})
   SELECT ${listColumns(EVENT_COLUMNS)} FROM ${selectFromJson(kind, EVENT_COLUMNS)}
   WHERE NOT EXISTS (SELECT 1 FROM "WebhookEvent" e WHERE e."event" = r."event" AND e."identity" = r."earlier")
   ON CONFLICT ("event", "identity") DO NOTHING RETURNING "event", "tool"`;
export const END = `(SELECT COALESCE(MAX("seq"), 0) FROM "WebhookEvent")`;
const PLACE = `SELECT "cursor", ${END} AS "end",
  (SELECT COUNT(*) FROM "WebhookDelivery" WHERE "status" = 'pending' AND "webhookId" = ?) AS "pending"
  FROM "Webhook" WHERE "id" = ?`;
const WANTED = `"event" ${AMONG} AND ("tool" IS NULL OR ? = 0 OR "tool" ${AMONG})`;
const NEXT_EVENTS = `SELECT "seq", ${listColumns(EVENT_COLUMNS)} FROM "WebhookEvent"
  WHERE "seq" > ? AND ${WANTED} ORDER BY "seq" LIMIT ?`;
export const COUNT_WAITING = `SELECT COUNT(*) AS "count" FROM "WebhookEvent"
  WHERE "seq" > (SELECT "cursor" FROM "Webhook" WHERE "id" = ?) AND ${WANTED}`;
const SET_CURSOR = `UPDATE "Webhook" SET "cursor" = ? WHERE "id" = ?`;
const CURSORS = `SELECT "id", "cursor", "events", "tools" FROM "Webhook" WHERE "enabled"`;
const EVENT_SLICE = `SELECT "seq", "event", "tool" FROM "WebhookEvent" WHERE "seq" > ? AND "seq" <= ? ORDER BY "seq" LIMIT ${PRUNE_SLICE}`;
const DELETE_EVENTS = `DELETE FROM "WebhookEvent" WHERE "seq" ${AMONG}`;
export const HEALTH = `SELECT "id", "failures", "failingSince", "restsUntil" FROM "Webhook"`;

export const namesSchema = z.array(z.string()).catch([]);
/** Events of a later version are left out. */
export const eventsSchema = z
  .array(z.unknown())
  .transform((events) => events.flatMap((event) => webhookEventSchema.safeParse(event).data ?? []));

export const toNumber = (value: bigint | null): number | null => (value === null ? null : Number(value));

export type HealthRow = { id: string; failures: number; failingSince: bigint | null; restsUntil: bigint | null };

export const toHealth = ({ failures, failingSince, restsUntil }: HealthRow): ReceiverHealth => ({
  failures: Number(failures),
  failingSince: toNumber(failingSince),
  restsUntil: toNumber(restsUntil),
});

type EventRow = Omit<StoredEvent, "createdAt" | "data"> & { seq: number; createdAt: bigint; data: string };

const toEvent = ({ event, identity, earlier, tool, createdAt, data }: EventRow): StoredEvent => ({
  event,
  identity,
  earlier,
  tool,
  createdAt: Number(createdAt),
  data: JSON.parse(data),
});

export const toWantedValues = ({ events, tools }: WantedEvents) => [events, tools.length, tools] as const;

export function* addDeliveryRows(kind: Database["kind"], deliveries: readonly NewDelivery[]): Steps<void> {
  const rows = deliveries.map(({ id, webhookId, event, createdAt, nextAt, body, otherId }) => ({
    id,
    webhookId,
    event,
    createdAt,
    nextAt,
    body,
    otherId: otherId ?? null,
  }));
  yield* change(insertDeliveries(kind), JSON.stringify(rows));
}

export function* addEventRows(
  kind: Database["kind"],
  rows: string,
): Steps<Awaited<ReturnType<WebhookStore["addEvents"]>>> {
  const added = yield* selectRows<Pick<StoredEvent, "event" | "tool">>(insertEvents(kind), rows);
  const health = added.length === 0 ? [] : yield* selectRows<HealthRow>(HEALTH);
  return { added, health: new Map(health.map((row) => [row.id, toHealth(row)])) };
}

/** Events are added under the same lock, so none is committed behind the end that is read here. */
export function* takeEventRows(
  kind: Database["kind"],
  webhookId: string,
  { wanted, toDelivery }: Taking,
  limit: number,
): Steps<boolean> {
  const place = yield* selectRow<{ cursor: number; end: bigint; pending: bigint }>(PLACE, webhookId, webhookId);
  if (place === undefined || place.cursor >= Number(place.end)) return false;
  const taken = Math.min(limit, MAX_PENDING - Number(place.pending));
  if (taken <= 0) return false;
  const rows = yield* selectRows<EventRow>(NEXT_EVENTS, place.cursor, ...toWantedValues(wanted), taken);
  if (rows.length > 0)
    yield* addDeliveryRows(
      kind,
      rows.map((row) => toDelivery(toEvent(row))),
    );
  const isAll = rows.length < taken;
  yield* change(SET_CURSOR, isAll ? Number(place.end) : (rows.at(-1)?.seq ?? place.cursor), webhookId);
  return !isAll && taken === limit;
}

interface WaitingWebhook extends WantedEvents {
  id: string;
  cursor: number;
  waiting: number;
}

/** Counts an event for each webhook that waits for it. @returns whether one of them will get it */
function countNeed(
  webhooks: readonly WaitingWebhook[],
  { seq, event, tool }: Pick<EventRow, "seq" | "event" | "tool">,
): boolean {
  let isNeeded = false;
  for (const webhook of webhooks) {
    const { cursor, events, tools } = webhook;
    if (cursor >= seq || !events.includes(event)) continue;
    if (tool !== null && tools.length > 0 && !tools.includes(tool)) continue;
    webhook.waiting += 1;
    if (webhook.waiting <= MAX_PENDING) isNeeded = true;
  }
  return isNeeded;
}

/** Deletes in slices: each is a turn of the event loop. */
export async function pruneEvents(db: Database): ReturnType<WebhookStore["pruneEvents"]> {
  const end = Number((await db.row<{ end: bigint }>(`SELECT ${END} AS "end"`))?.end ?? 0);
  const rows = await db.rows<{ id: string; cursor: number; events: string; tools: string }>(CURSORS);
  const webhooks = rows.map(({ id, cursor, events, tools }) => ({
    id,
    cursor,
    events: eventsSchema.parse(JSON.parse(events)),
    tools: namesSchema.parse(JSON.parse(tools)),
    waiting: 0,
  }));
  let left = 0;
  for (let from = 0; ; ) {
    const slice = await db.rows<Pick<EventRow, "seq" | "event" | "tool">>(EVENT_SLICE, from, end);
    const unneeded = slice.filter((event) => !countNeed(webhooks, event)).map(({ seq }) => seq);
    if (unneeded.length > 0) await db.change(DELETE_EVENTS, unneeded);
    left += slice.length - unneeded.length;
    from = slice.at(-1)?.seq ?? end;
    if (slice.length < PRUNE_SLICE) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { left, overfull: webhooks.filter(({ waiting }) => waiting > MAX_PENDING).map(({ id }) => id) };
}
