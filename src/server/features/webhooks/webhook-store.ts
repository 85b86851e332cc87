import type { Webhook, WebhookDelivery, WebhookInput } from "../../../lib/contract/webhook";

export interface StoredWebhook extends Omit<Webhook, "lastDelivery" | "approverConfirmed"> {
  /** The whole address, which leaves the server in requests alone. */
  url: string;
  /** `whsec_…`. */
  secret: string;
}

/** What became of an attempt. */
export type DeliveryUpdate = Pick<
  WebhookDelivery,
  "status" | "attempts" | "lastAt" | "nextAt" | "responseStatus" | "error"
>;

export interface WebhookStore {
  /** Encrypts the addresses that earlier versions stored in plain text. */
  sealAddresses(): Promise<void>;
  list(): Promise<StoredWebhook[]>;
  create(webhook: StoredWebhook): Promise<void>;
  /** @returns false for an unknown one */
  update(id: string, input: WebhookInput & { disabledReason: string | null; updatedAt: number }): Promise<boolean>;
  setSecret(id: string, secret: string, updatedAt: number): Promise<boolean>;
  /** With its deliveries. @returns false for an unknown one */
  delete(id: string): Promise<boolean>;
  /**
   * Deletes older ones that have ended, beyond what is kept of a webhook.
   * @returns false where it, or the one with the other id, is stored already
   */
  addDelivery(delivery: WebhookDelivery, otherId?: string): Promise<boolean>;
  /** @param attempts of the pending delivery that was read before; absent to overwrite any @returns false where it is another by now */
  updateDelivery(id: string, update: DeliveryUpdate, attempts?: number): Promise<boolean>;
  findDelivery(id: string): Promise<WebhookDelivery | null>;
  /** Newest first. */
  deliveries(webhookId: string, limit: number): Promise<WebhookDelivery[]>;
  pending(): Promise<{ id: string; nextAt: number }[]>;
  countPending(webhookId: string): Promise<number>;
}
