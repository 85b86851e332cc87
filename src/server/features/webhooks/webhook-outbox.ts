import { SYSTEM_ACTOR } from "../../../lib/contract/audit";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { WebhookDelivery, WebhookEvent, WebhookInput } from "../../../lib/contract/webhook";
import type { Logger } from "../../engine/ports";
import { type Bulletin, createTopic } from "../../platform/coordination/bulletin";
import { AppError } from "../../platform/shared/app-error";
import type { AuditLog } from "../audit/audit-log";
import { createEventBuffer } from "./event-buffer";
import { createDelivery, createHappenings, type Happening, identifyDelivery, toStoredEvent } from "./webhook-events";
import { createWebhookSender, findLongestWaits, type SenderPorts } from "./webhook-sender";
import type { StoredWebhook, Taking, WebhookStore } from "./webhook-store";

/** Events that this process stores between two looks for those that no webhook waits for. */
const PRUNE_EVERY = 500;
const PRUNE_JOB = "webhooks.prune";
/** Looked at before a webhook is disabled. */
const RECENT_DELIVERIES = 50;
const GONE = 410;
/** A test that ends is never due; one whose instance was lost is sent by another. */
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
  /** The confirmations of approvers for webhooks that carry their links. */
  channels: {
    findConfirmation(webhook: { id: string; url: string; approverId: string | null }): Promise<number | null>;
    confirm(webhook: { id: string; url: string; approverId: string | null }, userId: string): Promise<void>;
    withdraw(webhookId: string): Promise<void>;
  };
  /** Why a user cannot decide by links; null for one who can. */
  explainApprover(userId: string): Promise<string | null>;
  readServer: Parameters<typeof createHappenings>[0];
  /** The address of the console in sent events; null where none is known. */
  publicUrl: string | null;
  bulletin: Pick<Bulletin, "ask" | "on" | "onGap">;
  onChange(): void;
}

/** The webhooks, in the memory of each instance of the server. */
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

  /** Called after a change: the other instances have it when this resolves. */
  async function reload(): Promise<void> {
    await read();
    await bulletin.ask(WEBHOOKS_CHANGED, null);
    onChange();
  }

  /** What this instance does not know may have been created or enabled at another one. */
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

function wants(
  { enabled, events, tools }: StoredWebhook,
  { event, tool = null }: { event: WebhookEvent; tool?: string | null },
): boolean {
  return enabled && events.includes(event) && (tool === null || tools.length === 0 || tools.includes(tool));
}

/** Turns what happens into deliveries, and disables receivers that do not take them. */
export function createWebhookOutbox(ports: OutboxPorts) {
  const { store, audit, logger, now } = ports;
  const { list, get, find, read, reload } = createKnownWebhooks(ports);
  const readHappenings = createHappenings(ports.readServer, now);
  const sender = createWebhookSender({ ...ports, find, takeEvents, onExhausted, toBody });
  const buffer = createEventBuffer(writeAll, logger);
  /** The end of the pause for which this process scheduled a webhook's job. */
  const ordered = new Map<string, number>();
  /** Events that were stored since the last look for those that no webhook waits for, and how many it left. */
  let stored = 0;
  let left = 0;
  /** Webhooks with too many events: each is warned about once. */
  const overfull = new Set<string>();
  ports.jobs.handle(PRUNE_JOB, pruneEvents, { atOnce: 1, staysInside: true });

  async function addTest(webhook: StoredWebhook): Promise<WebhookDelivery> {
    const createdAt = now();
    const delivery = createDelivery(ports.publicUrl, {
      id: ports.newId("msg"),
      webhookId: webhook.id,
      event: "test",
      data: { webhook: webhook.id },
      createdAt,
      runAt: createdAt + TEST_MS,
    });
    await store.addDeliveries([delivery]);
    return delivery;
  }

  /** Adds the event for every webhook that subscribes to it. Resolves once it is stored. */
  async function publish(happening: Happening): Promise<void> {
    if (list().some((webhook) => wants(webhook, happening))) await buffer.add(happening);
  }

  /** Stores events with one statement, for any number of webhooks. */
  async function writeAll(happenings: readonly Happening[]): Promise<void> {
    const { added, health } = await store.addEvents(happenings.map((happening) => toStoredEvent(happening, now())));
    for (const webhook of list())
      if (added.some((event) => wants(webhook, event)))
        await order(webhook.id, health.get(webhook.id)?.restsUntil ?? 0);
    stored += added.length;
    if (stored >= Math.max(PRUNE_EVERY, left)) await orderPruning();
  }

  async function orderPruning(): Promise<void> {
    stored = 0;
    await ports.jobs.schedule({ kind: PRUNE_JOB, key: "all", runAt: now() });
  }

  async function pruneEvents(): Promise<undefined> {
    const pruned = await store.pruneEvents();
    left = pruned.left;
    for (const id of pruned.overfull)
      if (!overfull.has(id))
        logger.warn({ webhook: id }, "A webhook has too many undelivered events: events are left out");
    overfull.clear();
    for (const id of pruned.overfull) overfull.add(id);
  }

  async function prepareTaking(webhook: StoredWebhook): Promise<Taking> {
    const { id: webhookId, events, tools } = webhook;
    const confirmedAt = events.includes("approval.requested") ? await findConfirmation(webhook) : null;
    const at = now();
    return {
      wanted: { events, tools },
      toDelivery({ event, identity, earlier, data, createdAt }) {
        const toId = (name: string): string => identifyDelivery(webhookId, event, name);
        const bringsLink = event === "approval.requested" && confirmedAt !== null && confirmedAt <= createdAt;
        const delivery = createDelivery(ports.publicUrl, {
          id: toId(identity),
          webhookId,
          event,
          data: bringsLink ? { ...data, approve: LINK } : data,
          createdAt,
          runAt: Math.min(createdAt, at),
        });
        return earlier === null ? delivery : { ...delivery, otherId: toId(earlier) };
      },
    };
  }

  const findConfirmation = async (webhook: StoredWebhook): Promise<number | null> =>
    ports.publicUrl === null ? null : await ports.channels.findConfirmation(webhook);

  async function takeEvents(webhook: StoredWebhook, limit: number): Promise<boolean> {
    return store.takeEvents(webhook.id, await prepareTaking(webhook), limit);
  }

  /**
   * Turns events that an enabled webhook waits for into deliveries under its previous settings, and stores the change.
   */
  async function change(
    webhook: StoredWebhook,
    input: WebhookInput & { disabledReason: string | null },
  ): Promise<void> {
    const taking = webhook.enabled ? await prepareTaking(webhook) : null;
    await store.update(webhook.id, { ...input, updatedAt: now() }, taking);
  }

  /** A job that waits for the end of a rest is ordered once: whichever instance runs it earlier puts it back. */
  async function order(webhookId: string, restsUntil: number): Promise<void> {
    const isResting = restsUntil > now();
    if (isResting && ordered.get(webhookId) === restsUntil) return;
    await sender.schedule(webhookId, isResting ? restsUntil : now());
    if (isResting) ordered.set(webhookId, restsUntil);
    else ordered.delete(webhookId);
  }

  /**
   * Puts the approval link into a body, which is stored without it: a user with a copy of the database must not be able
   * to approve.
   */
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
    const createdAt = now();
    const what = { id, webhookId, event: LINK_USED, data, createdAt, runAt: createdAt };
    await store.addDeliveries([createDelivery(ports.publicUrl, what)]);
    await order(webhookId, (await store.readHealth(webhookId)).restsUntil ?? 0);
  }

  /** A receiver that failed for a day, or reports that it is gone, gets no further requests. */
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
    await change(webhook, { url, description, events, tools, approverId, enabled: false, disabledReason });
    await reload();
    logger.warn({ webhook: webhook.id, error }, "A webhook was disabled");
    await audit.record({
      by: { ...SYSTEM_ACTOR, token: null },
      action: "webhooks.disable",
      outcome: "done",
      target: { kind: "webhook", name: webhook.id },
      after: { disabledReason },
    });
  }

  /** Schedules one job for each webhook with pending deliveries or waiting events. */
  async function resume(): Promise<void> {
    for (const { webhookId, restsUntil } of await store.listBehind()) await sender.schedule(webhookId, restsUntil);
    for (const { webhookId, nextAt } of await store.pending()) await sender.schedule(webhookId, nextAt);
  }

  return {
    reload,
    get,
    addTest,
    sender,
    list,
    change,

    /** The user whose links a webhook brings, and when this user confirmed it; null for none. */
    async findApprover(id: string): Promise<{ userId: string; confirmedAt: number } | null> {
      const found = await find(id);
      if (found?.enabled !== true || found.approverId === null) return null;
      const confirmedAt = await ports.channels.findConfirmation(found);
      return confirmedAt === null ? null : { userId: found.approverId, confirmedAt };
    },
    noteLinkUse,

    /** Continues deliveries from before the start. */
    async load(): Promise<void> {
      await store.sealAddresses();
      await read();
      await resume();
      await orderPruning();
    },
    /** Continues what a lost instance noted, and did not order. */
    resume,

    /** Called after the clock was put back: an attempt that was scheduled while it was ahead would come too late. */
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
