import type { Actor, ApprovalDecision, ApprovalOutcome } from "../../../lib/contract";
import { AppError } from "../../shared/app-error";
import type { ApprovalContext } from "./approval-context";
import { editOf, tooLate } from "./approved-call";
import type { DecidedCalls } from "./decided-calls";

/** A person's decisions. The first one counts; `expireDue` closes requests whose time has run out. */
export function createApprovalDecisions(
  context: ApprovalContext,
  { retries, deliver, deliverInBackground }: DecidedCalls,
  expireDue: () => Promise<void>,
) {
  const { store, clock, find } = context;

  /** Closes a request whose call ended without closing it. */
  async function closeEnded(executionId: string): Promise<ApprovalOutcome> {
    await context.withdraw(executionId);
    retries.forgetWithdrawal(executionId);
    return tooLate(await find(executionId));
  }

  return {
    async decide(actor: Actor, executionId: string, decision: ApprovalDecision): Promise<ApprovalOutcome> {
      if (context.isStopping) throw new AppError("UNAVAILABLE", "The server is stopping: decide again once it is back");
      if (!decision.approved && decision.argumentsText !== undefined) {
        throw new AppError("INVALID", "argumentsText goes only with an approval: leave it out to reject the call");
      }
      const stored = await find(executionId);
      if (stored.status !== "open") return tooLate(stored);
      if (!stored.waits || retries.isWithdrawn(executionId)) return await closeEnded(executionId);
      const edit = editOf(stored, decision.argumentsText);
      if (edit !== null) {
        const faults = await context.faultsOf(stored.toolName, edit.value);
        if (faults.length > 0 && !stored.validationSkipped) return { decided: false, status: "open", faults };
      }
      const status = decision.approved ? "approved" : "rejected";
      const won = await store.decide({
        executionId,
        status,
        decidedAt: clock.now(),
        by: actor,
        reason: decision.reason || null,
        editedText: edit?.text,
      });
      if (!won) {
        // Its time may have run out a moment ago.
        await expireDue();
        const now = await find(executionId);
        return now.status === "open" && !now.waits ? await closeEnded(executionId) : tooLate(now);
      }
      context.onChange();
      deliverInBackground(executionId);
      return { decided: true, status, faults: [] };
    },

    /** Takes a request back and ends its call as cancelled. False when it was decided before, or there is none. */
    async withdraw(actor: Actor, executionId: string): Promise<boolean> {
      if (!(await context.withdraw(executionId, actor))) return false;
      await deliver(executionId);
      return true;
    },
  };
}
