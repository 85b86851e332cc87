import type { ServerSummary } from "@/lib/contract/server";

/** Whether the tools of an enabled server cannot be called. */
export function needsAttention({ enabled, state }: Pick<ServerSummary, "enabled" | "state">): boolean {
  return enabled && (state.status === "failed" || state.status === "disconnected" || state.status === "sign_in_needed");
}
