import type { TranscriptQuery } from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import type { Jobs, RunningJob } from "../../coordination/jobs";
import type { Clock, Logger } from "../../engine/ports";
import type { Webhook, WebhookFailure } from "./transcript-ports";
import type { StoredQuery, TranscriptStore } from "./transcript-store";

export interface WebhookDeliveries {
  /** Delivers an answer in the background, in one of the server's processes; a delivery in progress continues. */
  deliver(queryId: string): Promise<void>;
}

export interface WebhookDeliveriesPorts {
  store: Pick<TranscriptStore, "webhookUrl" | "findQuery" | "setWebhook">;
  webhook: Webhook;
  jobs: Pick<Jobs, "handle" | "schedule">;
  clock: Clock;
  logger: Logger;
  /** Receives the addresses, which may hold secrets. */
  onSecret?: ((url: string) => void) | undefined;
  /** The state of a delivery changed. */
  onChange: (transcriptId: string) => void;
  /** Pauses between attempts; there is one attempt more than pauses. */
  pausesMs?: readonly number[];
}

const KIND = "webhooks.deliver";
const PAUSES_MS = [1000, 5000];

/** Posts answers to webhooks: a few attempts each, their state in the store after every one. */
export function createWebhookDeliveries(ports: WebhookDeliveriesPorts): WebhookDeliveries {
  const { store, clock } = ports;
  const pausesMs = ports.pausesMs ?? PAUSES_MS;

  async function save(query: StoredQuery, webhook: TranscriptQuery["webhook"]): Promise<void> {
    await store.setWebhook(query.id, webhook);
    ports.onChange(query.transcriptId);
  }

  /** Null where nothing is to be told any more. */
  async function post(query: StoredQuery, signal: AbortSignal): Promise<{ ok: true } | WebhookFailure | null> {
    let url: string | null;
    try {
      url = await store.webhookUrl(query.transcriptId);
    } catch (error) {
      return { ok: false, reason: `The address cannot be read: ${messageOf(error)}`, retry: false };
    }
    if (url === null) return null;
    ports.onSecret?.(url);
    return await ports.webhook.post(url, webhookBody(query), signal);
  }

  async function attempt({ key, signal }: RunningJob): Promise<{ runAt: number } | undefined> {
    const query = await store.findQuery(key);
    if (query === null || query.webhook.state !== "pending") return undefined;
    const outcome = await post(query, signal);
    if (outcome === null) return undefined;
    const attempts = query.webhook.attempts + 1;
    if (outcome.ok) return void (await save(query, { state: "delivered", attempts, error: null }));
    if (signal.aborted) return { runAt: clock.now() };
    const pauseMs = outcome.retry ? pausesMs[attempts - 1] : undefined;
    const state = pauseMs === undefined ? "failed" : "pending";
    await save(query, { state, attempts, error: outcome.reason });
    if (pauseMs !== undefined) return { runAt: clock.now() + pauseMs };
    ports.logger.warn({ queryId: query.id, attempts, reason: outcome.reason }, "A webhook could not be delivered");
    return undefined;
  }

  ports.jobs.handle(KIND, attempt);
  return {
    async deliver(queryId) {
      const query = await store.findQuery(queryId);
      if (query === null) return;
      if (query.webhook.state !== "pending") await save(query, { state: "pending", attempts: 0, error: null });
      await ports.jobs.schedule({ kind: KIND, key: queryId, runAt: clock.now() });
    },
  };
}

/** What a webhook is sent. */
function webhookBody({ transcriptId, webhook: _webhook, ...query }: StoredQuery) {
  return { type: "answer", transcriptId, query };
}
