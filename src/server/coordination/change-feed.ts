/** State that every copy of the server keeps in memory and reloads when another copy changes it. */
export type ChangeTopic =
  | "accounts"
  | "sign_ins"
  | "tools"
  | "toolsets"
  | "servers"
  | "credentials"
  | "model_providers"
  | "model_checks"
  | "approvals"
  | "executions"
  | "interactions";

/** @param key what changed: a name or an id; null for "anything of this topic, changes may have been missed" */
export type ChangeListener = (key: string | null) => void | Promise<void>;

/**
 * Durable notices between copies of the server. Delivery is at least once and in order of recording; equal changes that come
 * together are delivered once. Changes are kept for an hour: a copy that slept longer hears null for every topic.
 */
export interface ChangeFeed {
  /** Call it after the change is committed. Resolves when the record is durable. @throws the storage's error */
  record(topic: ChangeTopic, key: string | null): Promise<void>;
  /**
   * Listens to changes of other copies, never to this one's. They arrive within a second. A listener that rejects is called
   * again until it succeeds. @returns ends the subscription
   */
  subscribe(topic: ChangeTopic, listener: ChangeListener): () => void;
}
