import type { ApprovalItem } from "@/lib/contract/approval";

/** A call that waits, and whatever the test is about. */
export function approvalItem(part: Partial<ApprovalItem> = {}): ApprovalItem {
  const now = Date.now();
  return {
    executionId: "exec_waiting00",
    status: "open",
    requestedAt: now - 60_000,
    expiresAt: now + 30 * 60_000 + 5_000,
    decidedAt: null,
    decidedBy: null,
    reason: null,
    requestedArgumentsText: null,
    askedIn: null,
    decidedIn: null,
    toolName: "delete_files",
    source: "agent",
    actor: { id: "local-owner", name: "Local owner" },
    client: null,
    runId: "run_aaaaaaaa1",
    argumentsText: '{"path":"/tmp/old","recursive":true}',
    definition: {
      name: "delete_files",
      title: "Delete files",
      description: "Deletes files.",
      type: "function",
      handler: "files",
      parameters: {
        type: "object",
        properties: { path: { type: "string" }, recursive: { type: "boolean" } },
        required: ["path"],
      },
      implementation: { type: "mock", mock_response: { deleted: 3 } },
      annotations: { destructiveHint: true },
    },
    approval: { required: true, because: "hint", mode: null },
    version: 1,
    toolChanged: false,
    detached: false,
    mode: null,
    ...part,
  };
}
