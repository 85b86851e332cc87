import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalDecision, ApprovalOutcome } from "../../../lib/contract/approval";
import { type ApproverRule, explainApproverDenial, explainEditDenial } from "../../../lib/contract/approver";
import { isCatalogCall } from "../../../lib/contract/catalog-call";
import type { Fault } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { CallArguments, maskFaults } from "../../engine/executor/call-arguments";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import type { ApprovalDesk } from "./approval-broker";
import type { ApprovalOwners, Decider } from "./approval-owners";
import type { StoredApproval } from "./approval-store";
import { ALLOWED_REASON, readEdit, tooLate } from "./approved-call";
import type { DecidedCalls } from "./decided-calls";

export interface ApprovalDecisionPorts {
  desk: ApprovalDesk;
  owners: ApprovalOwners;
  calls: DecidedCalls;
  /** Checks arguments for a tool as it is now. @throws AppError for an unknown tool */
  findFaults: (toolName: string, args: unknown) => Promise<Fault[]>;
  /** Masks arguments like stored ones. */
  maskArguments: (definition: ToolDefinition | null, text: string) => string;
}

const NO_EDIT =
  "only arguments of the catalog's tools can be edited: reject the call, and say in the reason what to change";
const OWN_APPROVAL = "each call of this tool needs an approval of its own, by its approval setting";

/** The allowances of a run: an approval can allow later calls. */
function createAllowances({ desk: { requests }, calls }: Pick<ApprovalDecisionPorts, "desk" | "calls">) {
  const { find, findRule } = requests;

  /** Calls of the same run that wait for the same tool. */
  async function approveAlike(actor: Actor, executionId: string): Promise<void> {
    for (const alike of await requests.openAlike(executionId)) {
      // The request may have been made under another setting.
      if (findRule(await find(alike)) !== null) continue;
      const decision = { status: "approved", by: actor, reason: ALLOWED_REASON } as const;
      if (await requests.decide({ executionId: alike, ...decision })) calls.deliverInBackground(alike);
    }
  }

  return {
    approveAlike,

    /**
     * Approves later calls of the same tool in the run of a call that this user approved. False where they are allowed
     * already.
     */
    async allowInRun({ id, name }: Actor, executionId: string): Promise<{ allowed: boolean }> {
      const stored = await find(executionId);
      if (stored.runId === null) throw new AppError("INVALID", "Only calls made in a run can be always allowed");
      if (findRule(stored) !== null) throw new AppError("INVALID", OWN_APPROVAL);
      if (stored.status !== "approved" || stored.decidedBy?.id !== id) {
        throw new AppError("INVALID", "Only the user who approved this call can always allow its tool in the run");
      }
      const allowed = await requests.allow(executionId);
      if (allowed) await approveAlike({ id, name }, executionId);
      return { allowed };
    },
  };
}

/** A user's decisions. The first one counts. */
export function createApprovalDecisions({ desk, owners, calls, findFaults, maskArguments }: ApprovalDecisionPorts) {
  const { requests, retries, held } = desk;
  const { find, findRule } = requests;
  const { approveAlike, allowInRun } = createAllowances({ desk, calls });

  /** Closes a request whose call ended without closing it. */
  async function closeEnded(executionId: string): Promise<ApprovalOutcome> {
    await requests.withdraw(executionId);
    retries.forgetWithdrawal(executionId);
    return tooLate(await find(executionId));
  }

  async function decide(decider: Decider, executionId: string, decision: ApprovalDecision): Promise<ApprovalOutcome> {
    if (calls.isStopping()) throw new AppError("UNAVAILABLE", "The server is stopping: decide again once it is back");
    const stored = await find(executionId);
    const there = stored.status === "open" ? await owners.decide(stored, { executionId, decision, decider }) : null;
    return there ?? (await decideHere(decider, stored, decision));
  }

  async function decideHere(
    decider: Decider,
    stored: StoredApproval,
    decision: ApprovalDecision,
  ): Promise<ApprovalOutcome> {
    const { executionId } = stored;
    const actor = { id: decider.id, name: decider.name };
    refuseContradiction(stored, decision);
    if (stored.status !== "open") return tooLate(stored);
    if (!stored.waits || retries.isWithdrawn(executionId)) return await closeEnded(executionId);
    const sent = await readEdit(stored, decision.argumentsText);
    if (sent !== null && !isCatalogCall(stored)) throw invalidInput("", [{ path: "argumentsText", message: NO_EDIT }]);
    const denied = findDenial(findRule(stored), decider, stored, { ...decision, isEdited: sent !== null });
    if (denied !== null) return { decided: false, status: "open", faults: [], denied };
    if (decision.approved && decision.confirmed !== true && runsForNobody(stored)) {
      return { decided: false, status: "open", faults: [], needsConfirmation: true };
    }
    const { edit, faults } = await checkEdit({ desk, findFaults }, stored, decision.approved, sent);
    if (faults.length > 0) return { decided: false, status: "open", faults };
    const editedText = edit === null ? undefined : maskArguments(stored.definition, edit.text);
    const status = decision.approved ? "approved" : "rejected";
    const won = await requests.decide({
      executionId,
      status,
      by: actor,
      reason: decision.reason || null,
      client: decider.client,
      editedText,
      scope: decision.scope,
    });
    if (won && edit !== null && edit.text !== editedText) held.replace(executionId, edit);
    if (!won) {
      // Its time may have run out a moment ago.
      await calls.expireDue();
      const now = await find(executionId);
      return now.status === "open" && !now.waits ? await closeEnded(executionId) : tooLate(now);
    }
    if (decision.scope === "run") await approveAlike(actor, executionId);
    calls.deliverInBackground(executionId);
    return { decided: true, status, faults: [] };
  }

  owners.onDecide(async ({ executionId, decider, decision }) =>
    calls.isStopping() ? null : await decideHere(decider, await find(executionId), decision),
  );

  return {
    /** @throws AppError with the code DENIED for a user who may not approve this call */
    async decide(actor: Decider, executionId: string, decision: ApprovalDecision): Promise<ApprovalOutcome> {
      const outcome = await decide(actor, executionId, decision);
      if (outcome.denied !== undefined) throw new AppError("DENIED", outcome.denied);
      return outcome;
    },

    /** One decision for several requests; those that need more than that stay open. Their outcomes in the same order. */
    async decideMany(
      actor: Decider,
      executionIds: readonly string[],
      decision: Pick<ApprovalDecision, "approved" | "reason">,
    ): Promise<{ outcomes: ApprovalOutcome[] }> {
      const outcomes: ApprovalOutcome[] = [];
      for (const executionId of executionIds) outcomes.push(await decide(actor, executionId, decision));
      return { outcomes };
    },

    allowInRun,

    /** Withdraws a request and ends its call as cancelled. False when it was decided before, or does not exist. */
    async withdraw({ id, name }: Actor, executionId: string): Promise<boolean> {
      if (!(await requests.withdraw(executionId, { id, name }))) return false;
      await calls.deliver(executionId);
      return true;
    },
  };
}

/** The arguments with the values of the caller for the masks that a user left in them, and what is wrong with those that would run. */
async function checkEdit(
  { desk: { held }, findFaults }: Pick<ApprovalDecisionPorts, "desk" | "findFaults">,
  stored: StoredApproval,
  approved: boolean,
  sent: CallArguments | null,
): Promise<{ edit: CallArguments | null; faults: Fault[] }> {
  const { executionId, toolName, validationSkipped } = stored;
  const edit = sent === null ? null : held.restore(executionId, sent);
  if (approved && (edit !== null || !held.has(executionId))) {
    const masks = maskFaults(edit ?? CallArguments.parse(stored.argumentsText));
    if (masks.length > 0) return { edit, faults: masks };
  }
  if (edit === null || validationSkipped) return { edit, faults: [] };
  return { edit, faults: await findFaults(toolName, edit.value) };
}

/** Why this user may not approve the call; null where they may. Everyone who runs tools may reject. */
function findDenial(
  rule: ApproverRule | null,
  decider: Decider,
  stored: StoredApproval,
  { approved, scope, isEdited }: Pick<ApprovalDecision, "approved" | "scope"> & { isEdited: boolean },
): string | null {
  if (!approved) return null;
  const { id, role = "operator" } = decider;
  if (rule === null) return explainApproverDenial(rule, { id, role }, stored.actor);
  const editDenial = explainEditDenial(rule);
  if (editDenial !== null && isEdited) {
    throw invalidInput("", [{ path: "argumentsText", message: editDenial }]);
  }
  if (scope === "run") {
    throw new AppError("INVALID", `scope: ${OWN_APPROVAL}`);
  }
  return explainApproverDenial(rule, { id, role }, stored.actor);
}

/** @throws AppError for parts of a decision that do not go together */
function refuseContradiction({ runId }: StoredApproval, { approved, argumentsText, scope }: ApprovalDecision): void {
  if (!approved && argumentsText !== undefined) {
    throw new AppError("INVALID", "argumentsText is only valid with an approval: omit it to reject the call");
  }
  if (scope === "run" && (!approved || runId === null)) {
    throw new AppError("INVALID", "scope: 'run' is only valid for a call made in a run");
  }
}

/** Running it has effects that cannot be undone, and no caller or run receives the result. */
function runsForNobody({ detached, runId, definition }: StoredApproval): boolean {
  // The effect of a tool without its definition is unknown.
  const isDestructive = definition === null || definition.annotations?.destructiveHint === true;
  return detached && runId === null && isDestructive;
}
