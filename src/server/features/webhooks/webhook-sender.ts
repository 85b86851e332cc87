import { randomInt } from "node:crypto";
import type { WebhookDelivery } from "../../../lib/contract/webhook";
import { getMessage } from "../../../lib/get-message";
import type { Jobs, RunningJob } from "../../platform/coordination/jobs";
import { signWebhook } from "../../platform/shared/webhook-signature";
import type { DeliveryUpdate, LatestTimes, ReceiverHealth, StoredWebhook, WebhookStore } from "./webhook-store";

const DELIVERY_JOB = "webhooks.deliver";
/** The prefix of the ids of deliveries. */
const DELIVERY_PREFIX = "msg_";
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
/** The pause after each failed attempt; the last attempt ends about a day after the first. */
const PAUSES_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 8 * HOUR, 8 * HOUR];
/** Up to this share is added to a pause, so that the deliveries do not reach receivers all at once. */
const JITTER = 0.2;
const TIMEOUT_MS = 15_000;
const GONE = 410;
/** The pause of a receiver after its first failure, doubled after each further one: other deliveries wait for it too. */
const FIRST_REST_MS = SECOND;
const LONGEST_REST_MS = 5 * MINUTE;
/** A receiver that fails for longer than all attempts of a delivery take is disabled. */
const MAX_FAILING_MS = PAUSES_MS.reduce((sum, pause) => sum + pause, 0);
/** Slow receivers must leave the other jobs their turn. */
const MAX_RECEIVERS = 4;
/** Deliveries to one receiver that are loaded and sent at once, and how often in one run of its job. */
const MAX_SENDING = 4;
const ROUNDS = 5;
const DISABLED = "The webhook is disabled";
const MAX_ERROR_CHARS = 300;

export interface SenderPorts {
  store: Pick<
    WebhookStore,
    "findDelivery" | "updateDelivery" | "due" | "nextDue" | "failPending" | "prune" | "readHealth" | "setHealth"
  >;
  jobs: Pick<Jobs, "handle" | "schedule" | "isStored">;
  /** Fetches from allowed addresses only; follows no redirects. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  userAgent: string;
  now(): number;
  find(webhookId: string): Promise<StoredWebhook | undefined>;
  /** Turns the next events of a webhook into deliveries. @returns whether more may be taken at once */
  takeEvents(webhook: StoredWebhook, limit: number): Promise<boolean>;
  /** The sent body: the stored one with the parts that are not stored. */
  toBody(webhook: StoredWebhook, delivery: WebhookDelivery): string;
  /** Called when all attempts failed, or the receiver reports that it is gone. */
  onExhausted(webhook: StoredWebhook, delivery: WebhookDelivery, update: DeliveryUpdate): Promise<void>;
}

/**
 * The latest possible times of an attempt, by the number of attempts before, and of the end of a pause.
 * @param at epoch milliseconds
 */
export function findLongestWaits(at: number): LatestTimes {
  return {
    attempts: [0, ...PAUSES_MS].map((pauseMs) => Math.round(at + pauseMs * (1 + JITTER))),
    rest: at + LONGEST_REST_MS,
  };
}

/**
 * Sends deliveries, and repeats failed ones. Each webhook has one job, which reads a few deliveries that are due: the
 * others stay in the database. A receiver that fails gets a pause, so that events for it cost no attempts.
 */
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

  /** @returns undefined where it has ended, or is another one's by now */
  async function attempt(
    webhook: StoredWebhook,
    delivery: WebhookDelivery,
    signal: AbortSignal,
  ): Promise<DeliveryUpdate | undefined> {
    const update = await send(webhook, delivery, signal);
    // Another instance has sent it, or a user has retried it.
    if (!(await store.updateDelivery(delivery.id, update, delivery.attempts))) return undefined;
    if (update.status === "failed") await ports.onExhausted(webhook, delivery, update);
    return update;
  }

  /** @returns whether to continue with other due deliveries */
  async function sendDue(webhook: StoredWebhook, signal: AbortSignal): Promise<boolean> {
    const health = await store.readHealth(webhook.id);
    if ((health.restsUntil ?? 0) > now()) return false;
    const due = await store.due(webhook.id, now(), health.failures > 0 ? 1 : MAX_SENDING);
    if (due.length === 0) return false;
    const updates = await Promise.all(due.map((delivery) => attempt(webhook, delivery, signal)));
    const known = updates.filter((update) => update !== undefined);
    if (known.some(({ status }) => status === "delivered")) {
      if (health.failures > 0) await store.setHealth(webhook.id, HEALTHY);
      return true;
    }
    const [delivery] = due;
    const [update] = known;
    if (update === undefined || delivery === undefined) return true;
    const failing = countFailure(health, now());
    await store.setHealth(webhook.id, failing);
    const isOver = failing.failures > PAUSES_MS.length && now() - (failing.failingSince ?? 0) >= MAX_FAILING_MS;
    if (isOver && update.status === "pending") await ports.onExhausted(webhook, delivery, update);
    return false;
  }

  /** A receiver that fails gets a delivery for each attempt: its other events cost no rows. @returns whether more may be taken at once */
  async function takeNext(webhook: StoredWebhook): Promise<boolean> {
    const { failures, restsUntil } = await store.readHealth(webhook.id);
    if ((restsUntil ?? 0) > now()) return false;
    return ports.takeEvents(webhook, failures > 0 ? 1 : ROUNDS * MAX_SENDING);
  }

  /** @returns when the webhook's next delivery is due; undefined where none is pending */
  async function deliver(webhookId: string, signal: AbortSignal): Promise<{ runAt: number } | undefined> {
    const webhook = await ports.find(webhookId);
    if (webhook?.enabled !== true) {
      await store.failPending(webhookId, DISABLED);
      return undefined;
    }
    const hasMore = await takeNext(webhook);
    for (let round = 0; round < ROUNDS && (await sendDue(webhook, signal)); round += 1);
    await store.prune(webhookId);
    if ((await ports.find(webhookId))?.enabled !== true) {
      await store.failPending(webhookId, DISABLED);
      return undefined;
    }
    const { restsUntil } = await store.readHealth(webhookId);
    const nextAt = await store.nextDue(webhookId);
    const rest = (restsUntil ?? 0) > now() ? restsUntil : null;
    if (hasMore && rest === null) return { runAt: now() };
    // An event that arrives during the pause relies on this job.
    return nextAt === null && rest === null ? undefined : { runAt: Math.max(nextAt ?? 0, rest ?? 0) };
  }

  /** Runs a webhook's job. In the previous version, each delivery had a job. */
  async function run({ key, signal }: RunningJob): Promise<{ runAt: number } | undefined> {
    if (!key.startsWith(DELIVERY_PREFIX)) return deliver(key, signal);
    const delivery = await store.findDelivery(key);
    if (delivery?.status === "pending") await schedule(delivery.webhookId, delivery.nextAt ?? now());
    return undefined;
  }

  const schedule = (webhookId: string, runAt: number): Promise<void> =>
    jobs.schedule({ kind: DELIVERY_JOB, key: webhookId, runAt });

  jobs.handle(DELIVERY_JOB, run, { atOnce: MAX_RECEIVERS });

  return {
    /** Schedules the check for due deliveries of a webhook. */
    schedule,
    /** Sends one delivery now, once, also during its receiver's pause; for tests that a user starts. */
    async attemptNow(webhook: StoredWebhook, delivery: WebhookDelivery): Promise<void> {
      const update = await attempt(webhook, delivery, new AbortController().signal);
      if (update?.status !== "delivered") return;
      await store.setHealth(webhook.id, HEALTHY);
      await schedule(webhook.id, now());
    },
  };
}

/** The address in a message of the network, as it is shown: by its origin. */
function withoutAddress(message: string, url: string): string {
  const { href, origin, pathname, search } = new URL(url);
  const parts = [url, href, pathname + search].filter((part) => part.length > 1);
  return parts.reduce((text, part) => text.replaceAll(part, part.startsWith("/") ? "/…" : origin), message);
}

export const HEALTHY: ReceiverHealth = { failures: 0, failingSince: null, restsUntil: null };

function countFailure({ failures, failingSince }: ReceiverHealth, at: number): ReceiverHealth {
  const restMs = Math.min(FIRST_REST_MS * 2 ** Math.min(failures, 30), LONGEST_REST_MS);
  return { failures: failures + 1, failingSince: failingSince ?? at, restsUntil: at + restMs };
}
