import { createHmac, randomBytes, randomInt } from "node:crypto";
import type { WebhookDelivery } from "../../../lib/contract/webhook";
import { getMessage } from "../../../lib/get-message";
import type { Jobs, RunningJob } from "../../platform/coordination/jobs";
import type { DeliveryUpdate, StoredWebhook, WebhookStore } from "./webhook-store";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;
const DELIVERY_JOB = "webhooks.deliver";
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** After each failed attempt; the last one ends about a day after the first. */
const PAUSES_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 8 * HOUR, 8 * HOUR];
/** Up to this share is added to a pause, so that receivers are not asked by all deliveries at once. */
const JITTER = 0.2;
const TIMEOUT_MS = 15_000;
const GONE = 410;
/** Slow receivers must leave the other jobs their turn. */
const MAX_SENDING = 4;
const MAX_ERROR_CHARS = 300;

export interface SenderPorts {
  store: Pick<WebhookStore, "findDelivery" | "updateDelivery">;
  jobs: Pick<Jobs, "handle" | "schedule" | "isStored">;
  /** To allowed addresses only; follows no redirects. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  userAgent: string;
  now(): number;
  find(webhookId: string): Promise<StoredWebhook | undefined>;
  /** What is sent: the stored body with what is not stored. */
  toBody(webhook: StoredWebhook, delivery: WebhookDelivery): string;
  /** All attempts failed, or the receiver says that it is gone. */
  onExhausted(webhook: StoredWebhook, delivery: WebhookDelivery, update: DeliveryUpdate): Promise<void>;
}

/** Sends deliveries, and again those that failed. */
export function createWebhookSender(ports: SenderPorts) {
  const { store, jobs, now } = ports;

  async function send(webhook: StoredWebhook, delivery: WebhookDelivery, signal: AbortSignal): Promise<DeliveryUpdate> {
    const attempts = delivery.attempts + 1;
    const outcome = await post(webhook, delivery, signal);
    const pauseMs = outcome.responseStatus === GONE ? undefined : PAUSES_MS[attempts - 1];
    const isDelivered = outcome.error === null;
    const isOver = isDelivered || pauseMs === undefined;
    return {
      ...outcome,
      attempts,
      lastAt: now(),
      status: isDelivered ? "delivered" : isOver ? "failed" : "pending",
      nextAt: isOver ? null : now() + Math.round(pauseMs * (1 + JITTER * (randomInt(1_000) / 1_000))),
    };
  }

  async function post(
    webhook: StoredWebhook,
    delivery: WebhookDelivery,
    signal: AbortSignal,
  ): Promise<Pick<DeliveryUpdate, "responseStatus" | "error">> {
    const { url, secret } = webhook;
    const { id } = delivery;
    try {
      const body = ports.toBody(webhook, delivery);
      const response = await ports.fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": ports.userAgent,
          ...signWebhook(secret, id, now(), body),
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      const { status } = response;
      const isMoved = status >= 300 && status < 400;
      const hint = isMoved ? ": redirects are not followed, enter the address that it leads to" : "";
      return { responseStatus: status, error: response.ok ? null : `The receiver answered ${status}${hint}` };
    } catch (error) {
      signal.throwIfAborted();
      const isLate = (error as { name?: unknown }).name === "TimeoutError";
      const reason = isLate ? `No answer within ${TIMEOUT_MS / SECOND} s` : withoutAddress(getMessage(error), url);
      return { responseStatus: null, error: reason.slice(0, MAX_ERROR_CHARS) };
    }
  }

  /** @returns the next attempt; nothing when the delivery has ended */
  async function attempt(id: string, signal: AbortSignal): Promise<{ runAt: number } | undefined> {
    const delivery = await store.findDelivery(id);
    if (delivery?.status !== "pending") return undefined;
    const webhook = await ports.find(delivery.webhookId);
    if (webhook?.enabled !== true) {
      const { attempts, lastAt, responseStatus } = delivery;
      const ended = { attempts, lastAt, responseStatus, status: "failed", nextAt: null } as const;
      await store.updateDelivery(id, { ...ended, error: "The webhook is disabled" }, attempts);
      return undefined;
    }
    const update = await send(webhook, delivery, signal);
    // Another copy has sent it meanwhile, or a person has begun it again.
    if (!(await store.updateDelivery(id, update, delivery.attempts))) return undefined;
    if (update.status === "failed") await ports.onExhausted(webhook, delivery, update);
    return update.nextAt === null ? undefined : { runAt: update.nextAt };
  }

  jobs.handle(DELIVERY_JOB, ({ key, signal }: RunningJob) => attempt(key, signal), { atOnce: MAX_SENDING });

  return {
    schedule: (id: string, runAt: number): Promise<void> => jobs.schedule({ kind: DELIVERY_JOB, key: id, runAt }),
    /** Now, and once; for tests that a person starts. */
    attemptNow: (id: string): Promise<unknown> => attempt(id, new AbortController().signal),
  };
}

/** The address in a message of the network, as it is shown: by its origin. */
function withoutAddress(message: string, url: string): string {
  const { href, origin, pathname, search } = new URL(url);
  const parts = [url, href, pathname + search].filter((part) => part.length > 1);
  return parts.reduce((text, part) => text.replaceAll(part, part.startsWith("/") ? "/…" : origin), message);
}

export const createWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/** The headers of a delivery by Standard Webhooks 1.0. @param at epoch milliseconds of this attempt */
function signWebhook(secret: string, id: string, at: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
