import type { ServerSummary } from "@/lib/contract/server";

/** Whether a person should look: its tools cannot be called, and nobody meant it to be so. */
export function needsAttention({ enabled, state }: Pick<ServerSummary, "enabled" | "state">): boolean {
  return enabled && (state.status === "failed" || state.status === "disconnected" || state.status === "sign_in_needed");
}
