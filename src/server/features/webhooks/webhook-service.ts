import type { Principal } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type {
  NewWebhook,
  Webhook,
  WebhookChannel,
  WebhookDelivery,
  WebhookInput,
  WebhookUpdate,
} from "../../../lib/contract/webhook";
import { AppError } from "../../platform/shared/app-error";
import { createWebhookSecret } from "../../platform/shared/webhook-signature";
import { createWebhookOutbox, type OutboxPorts } from "./webhook-outbox";
import { HEALTHY } from "./webhook-sender";
import type { StoredWebhook } from "./webhook-store";

const MAX_WEBHOOKS = 50;
const SHOWN_DELIVERIES = 50;

/** Sends events to other programs, by signed requests. */
export function createWebhookService(ports: OutboxPorts) {
  const { store, now, channels } = ports;
  const outbox = createWebhookOutbox(ports);
  const { get, reload, sender, load, resume, followClock, notice, publish, findApprover, noteLinkUse } = outbox;

  async function describeWebhook(stored: StoredWebhook): Promise<Webhook> {
    const { secret: _secret, ...webhook } = stored;
    const shown = {
      ...webhook,
      url: showAddress(webhook.url),
      approverConfirmed: (await channels.findConfirmation(stored)) !== null,
      waiting: stored.enabled ? await store.countWaiting(stored.id, stored) : 0,
    };
    const [last] = await store.deliveries(webhook.id, 1);
    if (last === undefined) return { ...shown, lastDelivery: null };
    const { body: _body, ...lastDelivery } = last;
    return { ...shown, lastDelivery };
  }

  /** Admins who name themselves have confirmed it with that, in a session of their own. */
  async function confirmOwn(actor: Principal, id: string): Promise<void> {
    const webhook = get(id);
    const isOwn = webhook.approverId === actor.id && actor.token === null;
    if (isOwn && (await channels.findConfirmation(webhook)) === null) await channels.confirm(webhook, actor.id);
  }

  /** The webhook whose links decide in the actor's name. @throws AppError for another one, so that its existence stays unknown */
  function getOwnChannel(actor: Actor, id: string): StoredWebhook {
    const found = outbox.list().find((webhook) => webhook.id === id && webhook.approverId === actor.id);
    if (found === undefined) throw new AppError("NOT_FOUND", `No webhook '${id}' brings approval links for you`);
    return found;
  }

  return {
    load,
    resume,
    followClock,
    notice,
    publish,
    findApprover,
    noteLinkUse,

    list: (_actor: Actor): Promise<Webhook[]> => Promise.all(outbox.list().map(describeWebhook)),

    async create(actor: Principal, input: WebhookInput): Promise<NewWebhook> {
      await assertApprover(ports, input);
      if (outbox.list().length >= MAX_WEBHOOKS)
        throw new AppError("CONFLICT", `There are ${MAX_WEBHOOKS} webhooks already: delete one`);
      const id = ports.newId("wh");
      const at = now();
      const secret = createWebhookSecret();
      await store.create({ ...input, id, secret, createdAt: at, updatedAt: at, disabledReason: null });
      await reload();
      await confirmOwn(actor, id);
      return { ...(await describeWebhook(get(id))), secret };
    },

    async update(actor: Principal, id: string, { url: entered, ...input }: WebhookUpdate): Promise<Webhook> {
      const before = get(id);
      const { disabledReason, approverId, url: stored } = before;
      const isKept = entered === undefined || entered === showAddress(stored);
      // An approver who has left must not prevent a webhook from being disabled.
      if (input.approverId !== approverId) await assertApprover(ports, input);
      const reason = input.enabled ? null : disabledReason;
      await outbox.change(before, { ...input, url: isKept ? stored : entered, disabledReason: reason });
      // The address may have changed, and a disabled webhook loses its pending deliveries.
      await store.setHealth(id, HEALTHY);
      await reload();
      await confirmOwn(actor, id);
      await sender.schedule(id, now());
      return describeWebhook(get(id));
    },

    /** The webhooks that bring links which decide in the actor's name. */
    async channels(actor: Actor): Promise<WebhookChannel[]> {
      const own = outbox.list().filter(({ approverId, enabled }) => enabled && approverId === actor.id);
      return Promise.all(
        own.map(async (webhook) => {
          const { id, description, url } = webhook;
          const isConfirmed = (await channels.findConfirmation(webhook)) !== null;
          return { id, description, receiver: new URL(url).origin, isConfirmed };
        }),
      );
    },

    /** Makes the webhook carry links from then on. Requires a session: a token does not prove that the user agreed. */
    async confirmChannel(actor: Principal, id: string): Promise<void> {
      const webhook = getOwnChannel(actor, id);
      if (actor.token !== null) {
        throw new AppError("DENIED", "Confirm approval links in the console, signed in: an API token cannot do that");
      }
      await channels.confirm(webhook, actor.id);
      ports.onChange();
    },

    /** Ends the links of a webhook that decide in the actor's name, those that were sent too. */
    async leaveChannel(actor: Actor, id: string): Promise<void> {
      const before = getOwnChannel(actor, id);
      const { events, tools, url, description, enabled, disabledReason } = before;
      await channels.withdraw(id);
      await outbox.change(before, { events, tools, url, description, enabled, disabledReason, approverId: null });
      await reload();
    },

    async delete(_actor: Actor, id: string): Promise<void> {
      get(id);
      await store.delete(id);
      await channels.withdraw(id);
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

    /** Sends a test event now. @returns its outcome; a failed one is not retried */
    async test(_actor: Actor, id: string): Promise<WebhookDelivery> {
      const webhook = get(id);
      if (!webhook.enabled) throw new AppError("CONFLICT", "The webhook is disabled: enable it first");
      const delivery = await outbox.addTest(webhook);
      await sender.attemptNow(webhook, delivery);
      const sent = (await store.findDelivery(delivery.id)) ?? delivery;
      const ended = sent.status === "pending" ? { ...sent, status: "failed" as const, nextAt: null } : sent;
      if (ended !== sent) await store.updateDelivery(sent.id, ended);
      ports.onChange();
      return ended;
    },

    async deliveries(_actor: Actor, id: string): Promise<WebhookDelivery[]> {
      const found = await store.deliveries(get(id).id, SHOWN_DELIVERIES);
      const { restsUntil } = await store.readHealth(id);
      return found.map((delivery) => withoutLink(delayUntil(delivery, restsUntil)));
    },

    /** Sends a delivery again with its own id, regardless of its outcome. */
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
      await store.setHealth(found.webhookId, HEALTHY);
      await sender.schedule(found.webhookId, now());
    },

    /** For the audit log: an address may hold a token of its receiver. */
    toState(id: string) {
      const { url, secret: _secret, ...rest } = get(id);
      return { ...rest, receiver: showAddress(url) };
    },
  };
}

/** The path and the query of an address often let anyone send in its name. */
const showAddress = (url: string): string => new URL(url).origin;

async function assertApprover(
  { explainApprover }: Pick<OutboxPorts, "explainApprover">,
  { approverId }: Pick<WebhookInput, "approverId">,
): Promise<void> {
  const refusal = approverId === null ? null : await explainApprover(approverId);
  if (refusal !== null) throw new AppError("INVALID", `approverId: ${refusal}`);
}

/** Delays a delivery to the end of its receiver's pause. */
function delayUntil(delivery: WebhookDelivery, restsUntil: number | null): WebhookDelivery {
  const { nextAt } = delivery;
  return nextAt === null || restsUntil === null ? delivery : { ...delivery, nextAt: Math.max(nextAt, restsUntil) };
}

/** A link decides in the name of its user: it is for the receiver alone. */
function withoutLink(delivery: WebhookDelivery): WebhookDelivery {
  return { ...delivery, body: delivery.body.replace(/(\/approve#)[\w.-]+/g, "$1…") };
}
