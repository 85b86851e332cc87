import type { Actor } from "../../../lib/contract/actor";
import type { NewWebhook, Webhook, WebhookDelivery, WebhookInput } from "../../../lib/contract/webhook";
import { AppError } from "../../platform/shared/app-error";
import { type MethodRules, READS } from "../../platform/shared/method-rules";
import { createWebhookOutbox, type OutboxPorts } from "./webhook-outbox";
import { createWebhookSecret } from "./webhook-sender";
import type { StoredWebhook } from "./webhook-store";

const MAX_WEBHOOKS = 50;
const SHOWN_DELIVERIES = 50;

export type WebhookService = ReturnType<typeof createWebhookService>;

/** Tells other programs what happens, by signed requests (decision 0072). */
export function createWebhookService(ports: OutboxPorts) {
  const { store, now } = ports;
  const outbox = createWebhookOutbox(ports);
  const { get, reload, sender, load, resume, notice, publish, findApproverId } = outbox;

  async function describeWebhook({ secret: _secret, ...webhook }: StoredWebhook): Promise<Webhook> {
    const [last] = await store.deliveries(webhook.id, 1);
    if (last === undefined) return { ...webhook, lastDelivery: null };
    const { body: _body, ...lastDelivery } = last;
    return { ...webhook, lastDelivery };
  }

  return {
    ...{ load, resume, notice, publish, findApproverId },

    list: (_actor: Actor): Promise<Webhook[]> => Promise.all(outbox.list().map(describeWebhook)),

    async create(_actor: Actor, input: WebhookInput): Promise<NewWebhook> {
      await assertApprover(ports, input);
      if (outbox.list().length >= MAX_WEBHOOKS)
        throw new AppError("CONFLICT", `There are ${MAX_WEBHOOKS} webhooks already: delete one`);
      const [id, at, secret] = [ports.newId("wh"), now(), createWebhookSecret()];
      await store.create({ ...input, id, secret, createdAt: at, updatedAt: at, disabledReason: null });
      await reload();
      return { ...(await describeWebhook(get(id))), secret };
    },

    async update(_actor: Actor, id: string, input: WebhookInput): Promise<Webhook> {
      const { disabledReason, approverId } = get(id);
      // An approver who has left must not keep a webhook from being disabled.
      if (input.approverId !== approverId) await assertApprover(ports, input);
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
      const delivery = await outbox.addTest(webhook);
      await sender.attemptNow(delivery.id);
      const sent = (await store.findDelivery(delivery.id)) ?? delivery;
      const ended = sent.status === "pending" ? { ...sent, status: "failed" as const, nextAt: null } : sent;
      if (ended !== sent) await store.updateDelivery(sent.id, ended);
      ports.onChange();
      return ended;
    },

    deliveries: async (_actor: Actor, id: string): Promise<WebhookDelivery[]> =>
      (await store.deliveries(get(id).id, SHOWN_DELIVERIES)).map(withoutLink),

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

async function assertApprover(
  { explainApprover }: Pick<OutboxPorts, "explainApprover">,
  { approverId }: WebhookInput,
): Promise<void> {
  const refusal = approverId === null ? null : await explainApprover(approverId);
  if (refusal !== null) throw new AppError("INVALID", `approverId: ${refusal}`);
}

/** A link decides in the name of its user: it is for the receiver alone. */
function withoutLink(delivery: WebhookDelivery): WebhookDelivery {
  return { ...delivery, body: delivery.body.replace(/(\/approve#)[\w.-]+/g, "$1…") };
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
