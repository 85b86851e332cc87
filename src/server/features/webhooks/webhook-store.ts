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

/** A delivery of an event that may have been noticed before, under another id. */
export interface NewDelivery extends WebhookDelivery {
  otherId?: string;
}

/** How a receiver did lately. */
export interface ReceiverHealth {
  /** Failed attempts since the last delivery that arrived. */
  failures: number;
  /** The first of these; null where there are none. */
  failingSince: number | null;
  /** No attempt is made until then. */
  restsUntil: number | null;
}

/** Epoch milliseconds. */
export interface LatestTimes {
  /** Of the next attempt, by the number of attempts before. */
  attempts: readonly number[];
  /** Of the end of a receiver's rest. */
  rest: number;
}

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
  /** Leaves out what is stored already, under its id or the other one. @returns the webhooks that got some, with their health */
  addDeliveries(deliveries: readonly NewDelivery[]): Promise<Map<string, ReceiverHealth>>;
  /** @param attempts of the pending delivery that was read before; absent to overwrite any @returns false where it is another by now */
  updateDelivery(id: string, update: DeliveryUpdate, attempts?: number): Promise<boolean>;
  findDelivery(id: string): Promise<WebhookDelivery | null>;
  /** Newest first. */
  deliveries(webhookId: string, limit: number): Promise<WebhookDelivery[]>;
  /** Pending ones of a webhook whose time has come, the earliest first. */
  due(webhookId: string, now: number, limit: number): Promise<WebhookDelivery[]>;
  /** When the next pending one of a webhook is due; null where none is pending. */
  nextDue(webhookId: string): Promise<number | null>;
  /** The webhooks with pending deliveries, with how many, and when the next one is due. */
  pending(): Promise<{ webhookId: string; count: number; nextAt: number }[]>;
  /** Brings pending attempts and rests that are later than they can be to their latest times. */
  bringForward(latest: LatestTimes): Promise<void>;
  /** Ends every pending delivery of a webhook. */
  failPending(webhookId: string, error: string): Promise<void>;
  /** Deletes ended deliveries of a webhook beyond those that are kept. */
  prune(webhookId: string): Promise<void>;
  readHealth(webhookId: string): Promise<ReceiverHealth>;
  setHealth(webhookId: string, health: ReceiverHealth): Promise<void>;
}
