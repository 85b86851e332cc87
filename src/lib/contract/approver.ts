import { hasRole, type Role } from "./access";
import type { Actor } from "./actor";
import type { ApprovalMode } from "./approval";

/** Who may approve the calls of a tool. */
export interface ApproverRule {
  role: Role;
  /** Not the person who requested the call. */
  notRequester: boolean;
}

const APPROVERS: Readonly<Record<ApprovalMode, ApproverRule | null>> = {
  always: null,
  never: null,
  editor: { role: "editor", notRequester: false },
  admin: { role: "admin", notRequester: false },
  other: { role: "operator", notRequester: true },
  other_editor: { role: "editor", notRequester: true },
  other_admin: { role: "admin", notRequester: true },
};

/** Null where any operator may approve. */
export function findApproverRule(mode: ApprovalMode | null): ApproverRule | null {
  return mode === null ? null : (APPROVERS[mode] ?? null);
}

/** `an admin other than Ada`: who may approve a call, in the middle of a sentence. */
export function describeApprovers({ role, notRequester }: ApproverRule, requester: string | null): string {
  const roles =
    role === "operator" ? "an operator, editor or admin" : role === "editor" ? "an editor or admin" : "an admin";
  return notRequester ? `${roles} other than ${requester ?? "the requester"}` : roles;
}

/** Why a person may not approve a call; null where the rule lets them. */
export function explainApproverDenial(
  rule: ApproverRule | null,
  person: { id: string; role: Role },
  requester: Actor,
): string | null {
  if (rule === null) return null;
  const isRequester = rule.notRequester && person.id === requester.id;
  if (!isRequester && hasRole(person.role, rule.role)) return null;
  return `This call needs the approval of ${describeApprovers(rule, isRequester ? "you" : requester.name)}`;
}
