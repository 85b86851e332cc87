import type { ConnectionStatus } from "@/lib/contract/server";

export const STATUS_WORDS: Record<ConnectionStatus, string> = {
  connected: "connected",
  connecting: "connecting",
  disconnected: "disconnected",
  failed: "failed",
  sign_in_needed: "sign-in required",
  disabled: "disabled",
  idle: "idle",
};
export const CONNECTION_STATUSES = Object.keys(STATUS_WORDS) as ConnectionStatus[];

export const PERSONAL_HINT = "Each person connects with a credential of their own";

/** Where a server's page is. */
export function toServerPath(name: string): string {
  return `/servers/${encodeURIComponent(name)}`;
}

/** What a tool of a server is called in the catalogue: the first `__` splits. */
export function toPrefixedName(server: string, tool: string): string {
  return `${server}__${tool}`;
}
