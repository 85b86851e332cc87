import type { Webhook, WebhookDelivery, WebhookInput } from "../../../lib/contract/webhook";

export interface StoredWebhook extends Omit<Webhook, "lastDelivery"> {
  /** `whsec_…`. */
  secret: string;
}

/** What became of an attempt. */
export type DeliveryUpdate = Pick<
  WebhookDelivery,
  "status" | "attempts" | "lastAt" | "nextAt" | "responseStatus" | "error"
>;

export interface WebhookStore {
  list(): Promise<StoredWebhook[]>;
  create(webhook: StoredWebhook): Promise<void>;
  /** @returns false for an unknown one */
  update(id: string, input: WebhookInput & { disabledReason: string | null; updatedAt: number }): Promise<boolean>;
  setSecret(id: string, secret: string, updatedAt: number): Promise<boolean>;
  /** With its deliveries. @returns false for an unknown one */
  delete(id: string): Promise<boolean>;
  /** Deletes older ones that have ended, beyond what is kept of a webhook. */
  addDelivery(delivery: WebhookDelivery): Promise<void>;
  updateDelivery(id: string, update: DeliveryUpdate): Promise<void>;
  findDelivery(id: string): Promise<WebhookDelivery | null>;
  /** Newest first. */
  deliveries(webhookId: string, limit: number): Promise<WebhookDelivery[]>;
  pending(): Promise<{ id: string; nextAt: number }[]>;
  countPending(webhookId: string): Promise<number>;
}
