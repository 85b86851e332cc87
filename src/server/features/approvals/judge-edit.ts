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
  const lost = edit !== null && isElsewhere ? findLostValues(context, stored, edit) : [];
  if (lost.length > 0) return { edit, faults: lost };
  if (edit === null || validationSkipped) return { edit, faults: [] };
  const masked = isElsewhere ? maskFaults(edit).map(({ pointer }) => pointer) : [];
  const faults = await context.faultsOf(toolName, edit.value);
  return { edit, faults: faults.filter(({ pointer }) => !masked.some((mask) => isWithin(mask, pointer))) };
}

const LOST =
  "is masked, and the call waits in another server process, which gets masks only: leave the mask that was there, decide in that process, or reject the call and run it again";

/** Values that were entered here and would be stored, and so reach the call, as masks that nobody can undo. */
function findLostValues(
  { maskArguments }: ApprovalContext,
  { definition }: StoredApproval,
  edit: CallArguments,
): Fault[] {
  const kept = new Set(maskFaults(edit).map(({ pointer }) => pointer));
  const stored = maskFaults(CallArguments.parse(maskArguments(definition, edit.text)));
  return stored.filter(({ pointer }) => !kept.has(pointer)).map((fault) => ({ ...fault, message: LOST }));
}
