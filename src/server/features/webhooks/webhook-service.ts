import type { Actor } from "../../../lib/contract/actor";
import { SYSTEM_ACTOR } from "../../../lib/contract/audit";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { NewWebhook, Webhook, WebhookDelivery, WebhookInput } from "../../../lib/contract/webhook";
import type { Logger } from "../../engine/ports";
import { AppError } from "../../platform/shared/app-error";
import { type MethodRules, READS } from "../../platform/shared/method-rules";
import type { AuditLog } from "../audit/audit-log";
import { createWebhookSecret } from "./sign-webhook";
import { createHappenings, type Happening } from "./webhook-events";
import { createWebhookSender, type SenderPorts } from "./webhook-sender";
import type { StoredWebhook, WebhookStore } from "./webhook-store";

const MAX_WEBHOOKS = 50;
/** Of one webhook: more events than that are left out until some are delivered. */
const MAX_PENDING = 1_000;
const SHOWN_DELIVERIES = 50;

export interface WebhookPorts extends Pick<SenderPorts, "jobs" | "fetch" | "userAgent" | "now"> {
  store: WebhookStore;
  audit: AuditLog;
  logger: Logger;
  newId(prefix: string): string;
  readServer: Parameters<typeof createHappenings>[0];
  /** The address of the console in what is sent; null where none is known. */
  publicUrl: string | null;
  onChange(): void;
}

export type WebhookService = ReturnType<typeof createWebhookService>;

/** Tells other programs what happens, by signed requests (decision 0071). */
export function createWebhookService(ports: WebhookPorts) {
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

  async function describeWebhook({ secret: _secret, ...webhook }: StoredWebhook): Promise<Webhook> {
    const [last] = await store.deliveries(webhook.id, 1);
    if (last === undefined) return { ...webhook, lastDelivery: null };
    const { body: _body, ...lastDelivery } = last;
    return { ...webhook, lastDelivery };
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
    const recent = await store.deliveries(webhook.id, SHOWN_DELIVERIES);
    const isWorking = recent.some(({ status, lastAt }) => status === "delivered" && (lastAt ?? 0) > delivery.createdAt);
    if (isWorking && responseStatus !== 410) return;
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

    list: (_actor: Actor): Promise<Webhook[]> => Promise.all([...webhooks.values()].map(describeWebhook)),

    async create(_actor: Actor, input: WebhookInput): Promise<NewWebhook> {
      if (webhooks.size >= MAX_WEBHOOKS)
        throw new AppError("CONFLICT", `There are ${MAX_WEBHOOKS} webhooks already: delete one`);
      const [id, at, secret] = [ports.newId("wh"), now(), createWebhookSecret()];
      await store.create({ ...input, id, secret, createdAt: at, updatedAt: at, disabledReason: null });
      await reload();
      return { ...(await describeWebhook(get(id))), secret };
    },

    async update(_actor: Actor, id: string, input: WebhookInput): Promise<Webhook> {
      const { disabledReason } = get(id);
      const reason = input.enabled ? null : disabledReason;
      await store.update(id, { ...input, disabledReason: reason, updatedAt: now() });
      await reload();
      return describeWebhook(get(id));
    },

    async delete(_actor: Actor, id: string): Promise<void> {
      get(id);
      await store.delete(id);
      await reload();
    },

    /** The former secret is useless at once. */
    async rotateSecret(_actor: Actor, id: string): Promise<{ secret: string }> {
      get(id);
      const secret = createWebhookSecret();
      await store.setSecret(id, secret, now());
      await reload();
      return { secret };
    },

    /** Sends a test event now. @returns what became of it; a failed one is not retried */
    async test(_actor: Actor, id: string): Promise<WebhookDelivery> {
      const webhook = get(id);
      if (!webhook.enabled) throw new AppError("CONFLICT", "The webhook is disabled: enable it first");
      const delivery = await order(webhook, "test", { webhook: id });
      await sender.attemptNow(delivery.id);
      const sent = (await store.findDelivery(delivery.id)) ?? delivery;
      const ended = sent.status === "pending" ? { ...sent, status: "failed" as const, nextAt: null } : sent;
      if (ended !== sent) await store.updateDelivery(sent.id, ended);
      ports.onChange();
      return ended;
    },

    deliveries: (_actor: Actor, id: string): Promise<WebhookDelivery[]> =>
      store.deliveries(get(id).id, SHOWN_DELIVERIES),

    /** Sends a delivery again, whatever became of it, with its own id. */
    async retry(_actor: Actor, deliveryId: string): Promise<void> {
      const found = await store.findDelivery(deliveryId);
      if (found === null) throw new AppError("NOT_FOUND", `Delivery '${deliveryId}' not found`);
      if (!get(found.webhookId).enabled) throw new AppError("CONFLICT", "The webhook is disabled: enable it first");
      const { lastAt, responseStatus, error } = found;
      await store.updateDelivery(found.id, {
        lastAt,
        responseStatus,
        error,
        status: "pending",
        attempts: 0,
        nextAt: now(),
      });
      await sender.schedule(found.id, now());
    },

    /** For the audit log: an address may hold a token of its receiver. */
    toState(id: string) {
      const { url, secret: _secret, ...rest } = get(id);
      return { ...rest, receiver: new URL(url).origin };
    },
  };
}

export function createWebhookRules(webhooks: WebhookService): MethodRules<WebhookService> {
  const target = ([id]: [id: string, ...unknown[]]) => ({ kind: "webhook", name: id });
  const state = ([id]: [id: string, ...unknown[]]) => webhooks.toState(id);
  return {
    list: { permission: "administer", ...READS },
    deliveries: { permission: "administer", ...READS },
    create: {
      permission: "administer",
      target: (_, made) => ({ kind: "webhook", name: made?.id ?? "" }),
      after: (_, made) => webhooks.toState(made.id),
    },
    update: { permission: "administer", target, state },
    delete: { permission: "administer", target, state },
    rotateSecret: { permission: "administer", target, after: () => ({ rotated: true }) },
    test: { permission: "administer", target, after: (_, { status, responseStatus }) => ({ status, responseStatus }) },
    retry: {
      permission: "administer",
      target: ([name]) => ({ kind: "webhook delivery", name }),
      after: () => ({ retried: true }),
    },
  };
}
