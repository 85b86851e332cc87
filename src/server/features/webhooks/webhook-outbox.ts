import { SYSTEM_ACTOR } from "../../../lib/contract/audit";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { WebhookDelivery } from "../../../lib/contract/webhook";
import type { Logger } from "../../engine/ports";
import { type Bulletin, createTopic } from "../../platform/coordination/bulletin";
import { AppError } from "../../platform/shared/app-error";
import type { AuditLog } from "../audit/audit-log";
import { createEventBuffer } from "./event-buffer";
import { createDelivery, createHappenings, type Happening, identifyDelivery } from "./webhook-events";
import { createWebhookSender, findLongestWaits, type SenderPorts } from "./webhook-sender";
import type { NewDelivery, StoredWebhook, WebhookStore } from "./webhook-store";

/** Of one webhook: about this many; further events are left out until some are delivered. */
const MAX_PENDING = 1_000;
/** For so long the counted numbers of pending deliveries hold; where there is no room, shorter. */
const COUNT_MS = 10_000;
const FULL_COUNT_MS = 1_000;
/** Looked at before a webhook is disabled. */
const RECENT_DELIVERIES = 50;
const GONE = 410;
/** A test that ends is never due; one whose copy was lost is sent by another. */
const TEST_MS = 60_000;
/** Stands in stored bodies for an approval link, which is made when it is sent. */
const LINK = "(approval link)";
const LINK_USED = "approval.link_used";
const WEBHOOKS_CHANGED = createTopic<null, null>("webhooks.changed");

export interface OutboxPorts extends Pick<SenderPorts, "jobs" | "fetch" | "userAgent" | "now"> {
  store: WebhookStore;
  audit: AuditLog;
  logger: Logger;
  newId(prefix: string): string;
  /**
   * The address of a page that decides a call in the name of the webhook's approver; null where links are not possible. The same
   * time of issue gives the same address.
   */
  createApprovalLink(
    executionId: string,
    webhook: { id: string; approverId: string | null },
    issuedAt: number,
  ): string | null;
  /** What approvers confirmed about the webhooks that bring their links. */
  channels: {
    findConfirmation(webhook: { id: string; url: string; approverId: string | null }): Promise<number | null>;
    confirm(webhook: { id: string; url: string; approverId: string | null }, userId: string): Promise<void>;
    withdraw(webhookId: string): Promise<void>;
  };
  /** Why a user cannot decide by links; null for one who can. */
  explainApprover(userId: string): Promise<string | null>;
  readServer: Parameters<typeof createHappenings>[0];
  /** The address of the console in what is sent; null where none is known. */
  publicUrl: string | null;
  bulletin: Pick<Bulletin, "ask" | "on" | "onGap">;
  onChange(): void;
}

/** The webhooks, in the memory of each copy of the server. */
function createKnownWebhooks({ store, bulletin, logger, onChange }: OutboxPorts) {
  let webhooks: StoredWebhook[] = [];
  bulletin.on(WEBHOOKS_CHANGED, async () => {
    await read();
    return null;
  });
  bulletin.onGap(
    () => void read().catch((err: unknown) => logger.error({ err }, "The webhooks could not be read again")),
  );

  async function read(): Promise<void> {
    webhooks = await store.list();
  }

  /** After a change: the other copies know it when this resolves. */
  async function reload(): Promise<void> {
    await read();
    await bulletin.ask(WEBHOOKS_CHANGED, null);
    onChange();
  }

  /** What this copy does not know may have been created or enabled at another one. */
  async function find(id: string): Promise<StoredWebhook | undefined> {
    const found = webhooks.find((webhook) => webhook.id === id);
    if (found?.enabled === true) return found;
    await read();
    return webhooks.find((webhook) => webhook.id === id);
  }

  function get(id: string): StoredWebhook {
    const found = webhooks.find((webhook) => webhook.id === id);
    if (found === undefined) throw new AppError("NOT_FOUND", `Webhook '${id}' not found`);
    return found;
  }

  return { list: () => webhooks, get, find, read, reload };
}

function wants({ enabled, events, tools }: StoredWebhook, { event, tool }: Happening): boolean {
  return enabled && events.includes(event) && (tool === undefined || tools.length === 0 || tools.includes(tool));
}

/** How many more deliveries each webhook may have pending; not exact where several copies of the server add some. */
function createPendingLimit({ store, now, logger }: Pick<OutboxPorts, "store" | "now" | "logger">) {
  const rooms = new Map<string, number>();
  let readAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    readAt = now();
    rooms.clear();
    for (const { webhookId, count } of await store.pending()) rooms.set(webhookId, MAX_PENDING - count);
  }

  return {
    async refresh(): Promise<void> {
      const isFull = [...rooms.values()].some((room) => room <= 0);
      const ageMs = Math.abs(now() - readAt);
      if (ageMs >= (isFull ? FULL_COUNT_MS : COUNT_MS)) await read();
    },
    take(webhookId: string): boolean {
      const room = rooms.get(webhookId) ?? MAX_PENDING;
      rooms.set(webhookId, room - 1);
      // Once until they are counted again.
      if (room === 0)
        logger.warn({ webhook: webhookId }, "A webhook has too many undelivered events: events are left out");
      return room > 0;
    },
  };
}

/** Turns what happens into deliveries, and disables receivers that do not take them. */
export function createWebhookOutbox(ports: OutboxPorts) {
  const { store, audit, logger, now } = ports;
  const { list, get, find, read, reload } = createKnownWebhooks(ports);
  const readHappenings = createHappenings(ports.readServer, now);
  const sender = createWebhookSender({ ...ports, find, onExhausted, toBody });
  const limit = createPendingLimit(ports);
  const buffer = createEventBuffer(writeAll, logger);
  /** The end of the rest for which a webhook's job was ordered here. */
  const ordered = new Map<string, number>();

  async function addTest(webhook: StoredWebhook): Promise<WebhookDelivery> {
    const what = { event: "test", data: { webhook: webhook.id } };
    const delivery = createDelivery(ports, webhook, { ...what, id: ports.newId("msg"), runAt: now() + TEST_MS });
    await store.addDeliveries([delivery]);
    return delivery;
  }

  const listWanting = (happening: Happening): StoredWebhook[] => list().filter((webhook) => wants(webhook, happening));

  /** To every webhook that wants it. Resolves once it is stored. */
  async function publish(happening: Happening): Promise<void> {
    if (list().some((webhook) => wants(webhook, happening))) await buffer.add(happening);
  }

  /** Stores the deliveries of some events with one statement. */
  async function writeAll(happenings: readonly Happening[]): Promise<void> {
    await limit.refresh();
    const deliveries = await Promise.all(
      happenings.flatMap((happening) =>
        listWanting(happening)
          .filter(({ id }) => limit.take(id))
          .map((webhook) => toDelivery(webhook, happening)),
      ),
    );
    if (deliveries.length === 0) return;
    const got = await store.addDeliveries(deliveries);
    for (const [webhookId, { restsUntil }] of got) await order(webhookId, restsUntil ?? 0);
  }

  async function toDelivery(webhook: StoredWebhook, happening: Happening): Promise<NewDelivery> {
    const { event, identity, earlier } = happening;
    const toId = (name: string): string => identifyDelivery(webhook.id, event, name);
    const data = (await bringsLink(webhook, event)) ? { ...happening.data, approve: LINK } : happening.data;
    const delivery = createDelivery(ports, webhook, { ...happening, data, id: toId(identity), runAt: now() });
    return earlier === undefined ? delivery : { ...delivery, otherId: toId(earlier) };
  }

  /** A job that waits for the end of a rest is ordered once: whichever copy runs it earlier puts it back. */
  async function order(webhookId: string, restsUntil: number): Promise<void> {
    const isResting = restsUntil > now();
    if (isResting && ordered.get(webhookId) === restsUntil) return;
    await sender.schedule(webhookId, isResting ? restsUntil : now());
    if (isResting) ordered.set(webhookId, restsUntil);
    else ordered.delete(webhookId);
  }

  async function bringsLink(webhook: StoredWebhook, event: string): Promise<boolean> {
    if (event !== "approval.requested" || ports.publicUrl === null) return false;
    return (await ports.channels.findConfirmation(webhook)) !== null;
  }

  /** Puts the approval link into a body, which is stored without it: a copy of the database must not be able to approve. */
  function toBody(webhook: StoredWebhook, { body, createdAt }: WebhookDelivery): string {
    if (!body.includes(LINK)) return body;
    const message: { data: Record<string, unknown> } = JSON.parse(body);
    if (message.data.approve !== LINK) return body;
    const approve = ports.createApprovalLink(String(message.data.execution), webhook, createdAt);
    return JSON.stringify({ ...message, data: { ...message.data, approve } });
  }

  /** Sends the receiver of a webhook's links an event about a use, also where it has not chosen that event. */
  async function noteLinkUse(webhookId: string, data: Happening["data"]): Promise<void> {
    const webhook = await find(webhookId);
    if (webhook?.enabled !== true) return;
    const identity = `${data.execution} ${data.status}`;
    const id = identifyDelivery(webhookId, LINK_USED, identity);
    const delivery = createDelivery(ports, webhook, { id, event: LINK_USED, data, runAt: now() });
    const got = await store.addDeliveries([delivery]);
    for (const [receiver, { restsUntil }] of got) await order(receiver, restsUntil ?? 0);
  }

  /** A receiver that failed for a day, or says that it is gone, is not asked any more. */
  async function onExhausted(
    webhook: StoredWebhook,
    delivery: WebhookDelivery,
    { error, responseStatus }: { error: string | null; responseStatus: number | null },
  ): Promise<void> {
    const recent = await store.deliveries(webhook.id, RECENT_DELIVERIES);
    const isWorking = recent.some(({ status, lastAt }) => status === "delivered" && (lastAt ?? 0) > delivery.createdAt);
    if (isWorking && responseStatus !== GONE) return;
    const disabledReason = `Disabled after a delivery failed for good: ${error ?? "no answer"}`;
    const { url, description, events, tools, approverId } = webhook;
    await store.update(webhook.id, {
      ...{ url, description, events, tools, approverId, enabled: false, disabledReason },
      updatedAt: now(),
    });
    await reload();
    logger.warn({ webhook: webhook.id, error }, "A webhook was disabled");
    await audit.record({
      ...{ by: { ...SYSTEM_ACTOR, token: null }, action: "webhooks.disable", outcome: "done" },
      ...{ target: { kind: "webhook", name: webhook.id }, after: { disabledReason } },
    });
  }

  /** One job for each webhook with something pending. */
  async function resume(): Promise<void> {
    for (const { webhookId, nextAt } of await store.pending()) await sender.schedule(webhookId, nextAt);
  }

  return {
    ...{ reload, get, addTest, sender, list },

    /** The user whose links a webhook brings, and when this user confirmed it; null for none. */
    async findApprover(id: string): Promise<{ userId: string; confirmedAt: number } | null> {
      const found = await find(id);
      if (found?.enabled !== true || found.approverId === null) return null;
      const confirmedAt = await ports.channels.findConfirmation(found);
      return confirmedAt === null ? null : { userId: found.approverId, confirmedAt };
    },
    noteLinkUse,

    /** Continues what was not delivered before the start. */
    async load(): Promise<void> {
      await store.sealAddresses();
      await read();
      await resume();
    },
    /** Continues what a lost copy noted, and did not order. */
    resume,

    /** After the clock was put back: an attempt that was noted while it was ahead would come too late. */
    async followClock(): Promise<void> {
      ordered.clear();
      await store.bringForward(findLongestWaits(now()));
      await resume();
    },

    /** For every live event of this process: costs nothing where no webhook wants it. */
    notice(event: LiveEvent): void {
      if (list().length === 0) return;
      for (const happening of readHappenings(event))
        void publish(happening).catch((err: unknown) =>
          logger.error({ err }, "An event for a webhook could not be stored"),
        );
    },
    publish,
  };
}
