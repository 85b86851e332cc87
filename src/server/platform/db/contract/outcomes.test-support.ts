/** The statuses in a filter that find a call, written down without the code that the product uses. */
export function listOutcomes(call: { status: string; errorKind?: string | null; source: string }): string[] {
  const { status, errorKind, source } = call;
  if (status === "timed_out" || status === "interrupted") return [status, "failed"];
  if (status !== "failed") return [status];
  if (errorKind === "invalid_arguments" || errorKind === "malformed_arguments") {
    return source === "console" || source === "replay" ? ["invalid"] : ["invalid", "failed"];
  }
  const rejected = ["rejected", "approval_expired", "approval_pending", "definition_changed"];
  return rejected.includes(errorKind ?? "") ? ["rejected"] : ["error", "failed"];
}
