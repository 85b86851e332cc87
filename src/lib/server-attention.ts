import type { ServerSummary } from "./contract/server";

/** Whether the tools of an enabled server cannot be called. Signing in with one's own account is a choice. */
export function needsAttention({
  enabled,
  state,
  credentials,
}: Pick<ServerSummary, "enabled" | "state" | "credentials">): boolean {
  if (credentials === "personal" && state.status === "sign_in_needed") return false;
  const { status, reason } = state;
  const isBroken = status === "failed" || status === "disconnected" || status === "sign_in_needed";
  return enabled && (isBroken || (status === "connected" && reason !== null));
}
