import type { ApprovalItem, ApprovalOutcome } from "../../../lib/contract";
import type { ApprovalVerdict } from "../../engine/approval-ports";
import type { ExecuteOptions } from "../../engine/tool-executor";
import type { StoredApproval } from "./approval-store";

/** Somebody else was first, or its time had run out. */
export function tooLate({ status, decidedBy }: StoredApproval): ApprovalOutcome {
  return { decided: false, status, faults: [], decidedBy };
}

export function withdrawal(): DOMException {
  return new DOMException("The request for approval was withdrawn", "AbortError");
}

/** Null for what is open or was withdrawn. */
export function verdictOf(stored: StoredApproval): ApprovalVerdict | null {
  const { status, decidedBy, reason, requestedAt, expiresAt } = stored;
  const at = stored.decidedAt ?? requestedAt;
  switch (status) {
    case "approved": {
      if (decidedBy === null) return null;
      const edited = stored.requestedArgumentsText !== null;
      return {
        approved: true,
        by: decidedBy,
        at,
        reason,
        definition: stored.definition,
        ...(edited ? { args: JSON.parse(stored.argumentsText) } : {}),
      };
    }
    case "rejected":
      return { approved: false, kind: "rejected", by: decidedBy, at, reason };
    case "expired":
      return { approved: false, kind: "approval_expired", by: null, at, reason, waitedMs: expiresAt - requestedAt };
    case "open":
    case "withdrawn":
      return null;
  }
}

/** The call as it was made. Its effective time limit stays. */
export function callOf(stored: StoredApproval): ExecuteOptions {
  const { executionId, source, actor, client, protocol, runId, callId, parentId, timeoutMs } = stored;
  return {
    executionId,
    waiting: true,
    source,
    actor,
    skipValidation: stored.validationSkipped,
    ...(client === null ? {} : { client }),
    ...(protocol === null ? {} : { protocol }),
    ...(runId === null ? {} : { runId }),
    ...(callId === null ? {} : { callId }),
    ...(parentId === null ? {} : { parentId }),
    ...(timeoutMs === null ? {} : { timeoutMs }),
  };
}

export function itemOf(stored: StoredApproval): ApprovalItem {
  const { waits, own, instanceId, callId, parentId, protocol, timeoutMs, validationSkipped, ...item } = stored;
  return item;
}
