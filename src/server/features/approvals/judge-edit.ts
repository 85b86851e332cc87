import type { ApprovalDecision } from "../../../lib/contract/approval";
import type { Fault } from "../../../lib/contract/envelope";
import { CallArguments } from "../../engine/executor/call-arguments";
import { maskFaults } from "../../engine/masking/masked-arguments";
import type { ApprovalContext } from "./approval-context";
import type { StoredApproval } from "./approval-store";
import { editOf } from "./approved-call";

/** The arguments as a person edited them, null where unchanged, and what is wrong with those that would run. */
export async function judgeEdit(
  context: ApprovalContext,
  stored: StoredApproval,
  decision: ApprovalDecision,
): Promise<{ edit: CallArguments | null; faults: Fault[] }> {
  const { executionId, toolName, validationSkipped } = stored;
  const { held } = context;
  const sent = editOf(stored, decision.argumentsText);
  const edit = sent === null ? null : held.restore(executionId, sent);
  if (decision.approved && (edit !== null || !held.has(executionId))) {
    const masks = maskFaults(edit ?? CallArguments.parse(stored.argumentsText));
    if (masks.length > 0) return { edit, faults: masks };
  }
  if (edit === null || validationSkipped) return { edit, faults: [] };
  return { edit, faults: await context.faultsOf(toolName, edit.value) };
}
