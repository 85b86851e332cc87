import { SYSTEM_ACTOR } from "../../../lib/contract/audit";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { WebhookDelivery } from "../../../lib/contract/webhook";
import type { Logger } from "../../engine/ports";
import { type Bulletin, createTopic } from "../../platform/coordination/bulletin";
import { AppError } from "../../platform/shared/app-error";
import type { AuditLog } from "../audit/audit-log";
import { createDelivery, createHappenings, type Happening, identifyDelivery } from "./webhook-events";
import { createWebhookSender, type SenderPorts } from "./webhook-sender";
import type { StoredWebhook, WebhookStore } from "./webhook-store";

/** Of one webhook: more events than that are left out until some are delivered. */
const MAX_PENDING = 1_000;
/** Looked at before a webhook is disabled. */
const RECENT_DELIVERIES = 50;
const GONE = 410;
/** A delivery that is late by more has no job: the copy that noted it was lost before it ordered one. */
const LATE_MS = 10_000;
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

/** Turns what happens into deliveries, and disables receivers that do not take them. */
export function createWebhookOutbox(ports: OutboxPorts) {
  const { store, audit, logger, now } = ports;
  const { list, get, find, read, reload } = createKnownWebhooks(ports);
  const readHappenings = createHappenings(ports.readServer, now);
  const sender = createWebhookSender({ ...ports, find, onExhausted, toBody });

  async function addTest(webhook: StoredWebhook): Promise<WebhookDelivery> {
    const what = { event: "test", data: { webhook: webhook.id } };
    const delivery = createDelivery(ports, webhook, { ...what, id: ports.newId("msg"), runAt: now() + TEST_MS });
    await store.addDelivery(delivery);
    return delivery;
  }

  /** To every webhook that wants it. */
  async function tellAll(happening: Happening): Promise<void> {
    const wanted = list().filter((webhook) => wants(webhook, happening));
    for (const told of await Promise.allSettled(wanted.map((webhook) => tell(webhook, happening))))
      if (told.status === "rejected") logger.error({ err: told.reason }, "An event for a webhook could not be stored");
  }

  async function tell(webhook: StoredWebhook, happening: Happening): Promise<void> {
    const { event, identity, earlier } = happening;
    if ((await store.countPending(webhook.id)) >= MAX_PENDING) {
      logger.warn({ webhook: webhook.id, event }, "A webhook has too many undelivered events: this one is left out");
      return;
    }
    const toId = (name: string): string => identifyDelivery(webhook.id, event, name);
    const data = (await bringsLink(webhook, event)) ? { ...happening.data, approve: LINK } : happening.data;
    const delivery = createDelivery(ports, webhook, { ...happening, data, id: toId(identity), runAt: now() });
    if (!(await store.addDelivery(delivery, earlier === undefined ? undefined : toId(earlier)))) return;
    await sender.schedule(delivery.id, now());
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
    if (await store.addDelivery(delivery)) await sender.schedule(id, now());
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

  /** @param onlyLate leaves out what has a job */
  async function resume(onlyLate: boolean): Promise<void> {
    const before = onlyLate ? now() - LATE_MS : Number.POSITIVE_INFINITY;
    for (const { id, nextAt } of await store.pending()) if (nextAt < before) await sender.schedule(id, nextAt);
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
      await resume(ports.jobs.isStored);
    },
    /** Continues what a lost copy noted, and did not order. */
    resume: () => resume(true),

    /** For every live event of this process: costs nothing where no webhook wants it. */
    notice(event: LiveEvent): void {
      if (list().length === 0) return;
      for (const happening of readHappenings(event)) void tellAll(happening);
    },
    /** Resolves once the event is stored for every webhook that wants it. */
    publish: tellAll,
  };
}
