import type { RetryOptions } from "./with-retries";

/** What every chat client is made of. */
export interface ChatClientOptions {
  /** In plain text, never logged; null where none is needed. */
  apiKey: string | null;
  /** Null for the vendor's own address. */
  baseUrl: string | null;
  retry?: RetryOptions;
}
