import { SYSTEM_ACTOR } from "../../../lib/contract/audit";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { WebhookDelivery } from "../../../lib/contract/webhook";
import type { Logger } from "../../engine/ports";
import { AppError } from "../../platform/shared/app-error";
import type { AuditLog } from "../audit/audit-log";
import { createHappenings, type Happening } from "./webhook-events";
import { createWebhookSender, type SenderPorts } from "./webhook-sender";
import type { StoredWebhook, WebhookStore } from "./webhook-store";

/** Of one webhook: more events than that are left out until some are delivered. */
const MAX_PENDING = 1_000;
/** Looked at before a webhook is disabled. */
const RECENT_DELIVERIES = 50;
const GONE = 410;

export interface OutboxPorts extends Pick<SenderPorts, "jobs" | "fetch" | "userAgent" | "now"> {
  store: WebhookStore;
  audit: AuditLog;
  logger: Logger;
  newId(prefix: string): string;
  readServer: Parameters<typeof createHappenings>[0];
  /** The address of the console in what is sent; null where none is known. */
  publicUrl: string | null;
  onChange(): void;
}

/** Turns what happens into deliveries, and disables receivers that do not take them. */
export function createWebhookOutbox(ports: OutboxPorts) {
  const { store, audit, logger, now } = ports;
  let webhooks = new Map<string, StoredWebhook>();
  const readHappenings = createHappenings(ports.readServer);
  const sender = createWebhookSender({ ...ports, find: (id) => webhooks.get(id), onExhausted });

  async function reload(): Promise<void> {
    webhooks = new Map((await store.list()).map((webhook) => [webhook.id, webhook]));
    ports.onChange();
  }

  function get(id: string): StoredWebhook {
    const found = webhooks.get(id);
    if (found === undefined) throw new AppError("NOT_FOUND", `Webhook '${id}' not found`);
    return found;
  }

  async function order(webhook: StoredWebhook, event: string, data: Happening["data"]): Promise<WebhookDelivery> {
    const at = now();
    const link = ports.publicUrl === null ? {} : { toolroom: ports.publicUrl };
    const delivery: WebhookDelivery = {
      ...{ id: ports.newId("msg"), webhookId: webhook.id, event, status: "pending", createdAt: at, attempts: 0 },
      ...{ lastAt: null, nextAt: at, responseStatus: null, error: null },
      body: JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data: { ...data, ...link } }),
    };
    await store.addDelivery(delivery);
    return delivery;
  }

  async function tell(webhook: StoredWebhook, { event, data }: Happening): Promise<void> {
    if ((await store.countPending(webhook.id)) >= MAX_PENDING) {
      logger.warn({ webhook: webhook.id, event }, "A webhook has too many undelivered events: this one is left out");
      return;
    }
    const { id } = await order(webhook, event, data);
    await sender.schedule(id, now());
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
    const { url, description, events, tools } = webhook;
    await store.update(webhook.id, {
      url,
      description,
      events,
      tools,
      enabled: false,
      disabledReason,
      updatedAt: now(),
    });
    await reload();
    logger.warn({ webhook: webhook.id, error }, "A webhook was disabled");
    await audit.record({
      ...{ by: { ...SYSTEM_ACTOR, token: null }, action: "webhooks.disable", outcome: "done" },
      ...{ target: { kind: "webhook", name: webhook.id }, after: { disabledReason } },
    });
  }

  return {
    ...{ reload, get, order, sender, list: () => [...webhooks.values()] },

    /** Continues what was not delivered before the start. */
    async load(): Promise<void> {
      await reload();
      for (const { id, nextAt } of await store.pending()) await sender.schedule(id, nextAt);
    },

    /** For every live event of this process: costs nothing where no webhook wants it. */
    notice(event: LiveEvent): void {
      if (webhooks.size === 0) return;
      for (const happening of readHappenings(event)) {
        for (const webhook of webhooks.values()) {
          const { enabled, events, tools } = webhook;
          const isWanted = happening.tool === undefined || tools.length === 0 || tools.includes(happening.tool);
          if (!enabled || !events.includes(happening.event) || !isWanted) continue;
          tell(webhook, happening).catch((error: unknown) =>
            logger.error({ err: error, webhook: webhook.id }, "An event for a webhook could not be stored"),
          );
        }
      }
    },
  };
}
