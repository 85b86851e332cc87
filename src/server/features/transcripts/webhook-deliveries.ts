import type { TranscriptQuery } from "../../../lib/contract";
import type { Logger } from "../../engine/ports";
import type { Webhook } from "./transcript-ports";
import type { StoredQuery, TranscriptStore } from "./transcript-store";

export interface WebhookDeliveries {
  /** Delivers in the background; a delivery of the same query that goes on is left to itself. */
  deliver(url: string, query: StoredQuery): void;
  /** Stops between attempts; what is pending is delivered after the next start. */
  close(): Promise<void>;
}

export interface WebhookDeliveriesPorts {
  store: Pick<TranscriptStore, "setWebhook">;
  webhook: Webhook;
  logger: Logger;
  /** The state of a delivery changed. */
  onChange: (transcriptId: string) => void;
  /** Pauses between attempts; there is one attempt more than pauses. */
  pausesMs?: readonly number[];
}

const PAUSES_MS = [1000, 5000];

/** Tells webhooks of answers: a few attempts each, their state in the store after every one. */
export function createWebhookDeliveries(ports: WebhookDeliveriesPorts): WebhookDeliveries {
  const pausesMs = ports.pausesMs ?? PAUSES_MS;
  const aborting = new AbortController();
  const going = new Map<string, Promise<void>>();

  async function save(query: StoredQuery, webhook: TranscriptQuery["webhook"]): Promise<void> {
    await ports.store.setWebhook(query.id, webhook);
    ports.onChange(query.transcriptId);
  }

  async function run(url: string, query: StoredQuery): Promise<void> {
    await save(query, { state: "pending", attempts: 0, error: null });
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await ports.webhook.post(url, webhookBody(query), aborting.signal);
      if (outcome.ok) return await save(query, { state: "delivered", attempts, error: null });
      if (aborting.signal.aborted) return;
      const pauseMs = outcome.retry ? pausesMs[attempts - 1] : undefined;
      const state = pauseMs === undefined ? "failed" : "pending";
      await save(query, { state, attempts, error: outcome.reason });
      if (pauseMs === undefined) {
        ports.logger.warn({ queryId: query.id, attempts, reason: outcome.reason }, "A webhook could not be told");
        return;
      }
      await pause(pauseMs, aborting.signal);
      if (aborting.signal.aborted) return;
    }
  }

  return {
    deliver(url, query) {
      if (going.has(query.id) || aborting.signal.aborted) return;
      const delivery = run(url, query)
        .catch((error: unknown) => {
          ports.logger.error({ err: error, queryId: query.id }, "A webhook's state could not be kept");
        })
        .finally(() => going.delete(query.id));
      going.set(query.id, delivery);
    },
    async close() {
      aborting.abort();
      await Promise.all(going.values());
    },
  };
}

/** What a webhook is sent. */
function webhookBody({ transcriptId, webhook: _webhook, ...query }: StoredQuery) {
  return { type: "answer", transcriptId, query };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
