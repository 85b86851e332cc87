import type { Webhook, WebhookDelivery, WebhookEvent, WebhookInput } from "../../../lib/contract/webhook";

export interface StoredWebhook extends Omit<Webhook, "lastDelivery" | "approverConfirmed" | "waiting"> {
  /** The whole address, which leaves the server only in requests. */
  url: string;
  /** The secret, such as `whsec_…`. */
  secret: string;
}

/** The outcome of an attempt. */
export type DeliveryUpdate = Pick<
  WebhookDelivery,
  "status" | "attempts" | "lastAt" | "nextAt" | "responseStatus" | "error"
>;

/** An event, stored once for all webhooks. */
export interface StoredEvent {
  event: WebhookEvent;
  /** Names the event: instances that notice the same one store it once. */
  identity: string;
  /** The event that was stored shortly before under this name; the same one. */
  earlier: string | null;
  /** The tool of a call. */
  tool: string | null;
  /** Epoch milliseconds. */
  createdAt: number;
  data: Record<string, string | number | null>;
}

/** The events to which a webhook subscribes; no tools mean all. */
export type WantedEvents = Pick<WebhookInput, "events" | "tools">;

/** How events of a webhook become its deliveries. */
export interface Taking {
  wanted: WantedEvents;
  /** Has no other effect: a transaction may run again. */
  toDelivery(event: StoredEvent): NewDelivery;
}

/** A delivery of an event that may have been noticed before, under another id. */
export interface NewDelivery extends WebhookDelivery {
  otherId?: string;
}

/** How a receiver did lately. */
export interface ReceiverHealth {
  /** Failed attempts since the last delivery that arrived. */
  failures: number;
  /** The time of the first of these failures; null where there are none. */
  failingSince: number | null;
  /** The time until which no attempt is made. */
  restsUntil: number | null;
}

/** Epoch milliseconds. */
export interface LatestTimes {
  /** The latest time of the next attempt, by the number of attempts before. */
  attempts: readonly number[];
  /** The latest end of a receiver's pause. */
  rest: number;
}

export interface WebhookStore {
  /** Encrypts the addresses that earlier versions stored in plain text. */
  sealAddresses(): Promise<void>;
  list(): Promise<StoredWebhook[]>;
  create(webhook: StoredWebhook): Promise<void>;
  /**
   * Begins with the events that come from now on. @param taking how those that wait become deliveries; null to leave them out
   * @returns false for an unknown one
   */
  update(
    id: string,
    input: WebhookInput & { disabledReason: string | null; updatedAt: number },
    taking: Taking | null,
  ): Promise<boolean>;
  setSecret(id: string, secret: string, updatedAt: number): Promise<boolean>;
  /** Deletes a webhook with its deliveries. @returns false for an unknown one */
  delete(id: string): Promise<boolean>;
  /** Leaves out what is stored already, under its name or the earlier one. @returns what was added, and the health of every webhook */
  addEvents(
    events: readonly StoredEvent[],
  ): Promise<{ added: Pick<StoredEvent, "event" | "tool">[]; health: Map<string, ReceiverHealth> }>;
  /**
   * Turns the next events that a webhook wants into deliveries, and moves its cursor behind them. Leaves them where they are
   * while the webhook has too many pending deliveries. @returns whether more may be taken at once
   */
  takeEvents(webhookId: string, taking: Taking, limit: number): Promise<boolean>;
  /** The number of events that wait for a webhook, without a delivery so far. */
  countWaiting(webhookId: string, wanted: WantedEvents): Promise<number>;
  /** Enabled webhooks with events behind their cursor, and the end of their pause. */
  listBehind(): Promise<{ webhookId: string; restsUntil: number }[]>;
  /**
   * Deletes events that no enabled webhook waits for, and of one with too many those that it would get last.
   * @returns how many are left, and the webhooks with too many
   */
  pruneEvents(): Promise<{ left: number; overfull: string[] }>;
  /** Adds deliveries, without those that are stored under the same id or the other one. */
  addDeliveries(deliveries: readonly NewDelivery[]): Promise<void>;
  /** @param attempts of the pending delivery that was read before; absent to overwrite any @returns false where it is another by now */
  updateDelivery(id: string, update: DeliveryUpdate, attempts?: number): Promise<boolean>;
  findDelivery(id: string): Promise<WebhookDelivery | null>;
  /** Newest first. */
  deliveries(webhookId: string, limit: number): Promise<WebhookDelivery[]>;
  /** Pending deliveries of a webhook that are due, the earliest first. */
  due(webhookId: string, now: number, limit: number): Promise<WebhookDelivery[]>;
  /** When the next pending one of a webhook is due; null where none is pending. */
  nextDue(webhookId: string): Promise<number | null>;
  /** The webhooks with pending deliveries, and when the next one is due. */
  pending(): Promise<{ webhookId: string; nextAt: number }[]>;
  /** Moves pending attempts and pauses that are later than possible to their latest times. */
  bringForward(latest: LatestTimes): Promise<void>;
  /** Ends every pending delivery of a webhook. */
  failPending(webhookId: string, error: string): Promise<void>;
  /** Deletes ended deliveries of a webhook beyond those that are kept. */
  prune(webhookId: string): Promise<void>;
  readHealth(webhookId: string): Promise<ReceiverHealth>;
  setHealth(webhookId: string, health: ReceiverHealth): Promise<void>;
}
