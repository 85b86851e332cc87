import type { ApprovalDecision, Fault } from "../../../lib/contract";
import { isWithin } from "../../../lib/json-schema/json-pointer";
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
  const isElsewhere = !stored.own && !stored.detached && (await context.isAlive?.(stored.instanceId)) === true;
  if (decision.approved && !isElsewhere && (edit !== null || !held.has(executionId))) {
    const masks = maskFaults(edit ?? CallArguments.parse(stored.argumentsText));
    if (masks.length > 0) return { edit, faults: masks };
  }
  if (edit === null || validationSkipped) return { edit, faults: [] };
  const masked = isElsewhere ? maskFaults(edit).map(({ pointer }) => pointer) : [];
  const faults = await context.faultsOf(toolName, edit.value);
  return { edit, faults: faults.filter(({ pointer }) => !masked.some((mask) => isWithin(mask, pointer))) };
}
