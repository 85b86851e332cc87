import type { Principal } from "../../../lib/contract/access";
import type { ApprovalDecision, ApprovalItem, ApprovalOutcome } from "../../../lib/contract/approval";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { type ActingPorts, assertAllowed, performAudited } from "../../platform/shared/audited-call";
import type { Decider } from "./approval-owners";

/** A decision in the audit log, for any door. */
export function describeDecision(
  tool: string,
  { argumentsText, ...decision }: ApprovalDecision,
  { decided, status }: ApprovalOutcome,
  client?: string,
): object {
  return { tool, client, ...decision, argumentsEdited: argumentsText !== undefined, decided, status };
}

/** @throws AppError that says why nothing was decided */
export function rejectUndecided({ decided, denied, faults, needsConfirmation, status }: ApprovalOutcome): void {
  if (decided) return;
  if (denied !== undefined) throw new AppError("DENIED", denied);
  if (faults.length > 0) throw invalidInput("The arguments are invalid: ", faults);
  const message = needsConfirmation
    ? "confirmed: the call is destructive and its caller disconnected: send confirmed: true to run it all the same"
    : `The request for approval is ${status}: nothing was decided`;
  throw new AppError("CONFLICT", message);
}

interface Approvals {
  get(executionId: string): Promise<ApprovalItem>;
  decide(
    by: Principal & Pick<Decider, "client">,
    executionId: string,
    decision: ApprovalDecision,
  ): Promise<ApprovalOutcome>;
}

/** The approvals for links and clients, which are no door to operations: a decision takes the rights and leaves the entry of `approvals.decide`. */
export function auditDecisions({ get, decide }: Approvals, { audit: log, answered }: ActingPorts): Approvals {
  return {
    get,
    async decide(by, executionId, decision) {
      const audit = {
        target: () => ({ kind: "execution", name: executionId }),
        after: async (outcome: ApprovalOutcome) =>
          describeDecision((await get(executionId)).toolName, decision, outcome, by.client),
      };
      const call = { log, audit, by, action: "approvals.decide", input: decision, services: null };
      return await answered(() =>
        performAudited(call, async () => {
          assertAllowed(by, "run");
          return await decide(by, executionId, decision);
        }),
      );
    },
  };
}
