import type { Actor } from "../../../lib/contract/actor";
import type { RunAllowance } from "../../../lib/contract/approval";
import type { ApprovalContext } from "./approval-context";
import type { StoredApproval } from "./approval-store";

/** The reason that calls show which an allowance of their run approved. */
export const ALLOWED_REASON = "Always allowed in this run";

/** "Always allow in this run": kept with the approval that granted it, so it holds after a restart. */
export function createRunAllowances({ store, clock, onChange, findRule }: ApprovalContext) {
  return {
    /** Approves a request that an allowance covers, in the name of who granted it. The request as it is then. */
    async apply(stored: StoredApproval): Promise<StoredApproval> {
      const { executionId } = stored;
      if (stored.runId === null || stored.status !== "open") return stored;
      // Whoever granted the allowance may not be one who may approve now.
      if (findRule(stored) !== null) return stored;
      const allowance = await store.findAllowance(executionId);
      if (allowance === null) return stored;
      const by = allowance.grantedBy;
      await store.decide({
        ...{ executionId, status: "approved", decidedAt: clock.now(), by, reason: ALLOWED_REASON },
      });
      return (await store.find(executionId)) ?? stored;
    },

    /** The tools that are always allowed in a run. */
    allowances: async (runId: string): Promise<{ items: RunAllowance[] }> => ({ items: await store.allowances(runId) }),

    /** Later calls need approval again. False where it was revoked before. */
    async revokeAllowance({ id, name }: Actor, executionId: string): Promise<{ revoked: boolean }> {
      const revoked = await store.revoke(executionId, { id, name }, clock.now());
      if (revoked) onChange();
      return { revoked };
    },
  };
}
