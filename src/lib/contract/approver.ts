import { hasRole, type Permission, type Role } from "./access";
import { type Actor, AUTOMATION, isServiceAccount } from "./actor";
import type { ApprovalMode } from "./approval";

/** The rule for who may approve the calls of a tool. */
export interface ApproverRule {
  role: Role;
  /** Not the user who requested the call. */
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

/** Changing who may approve is for admins: an editor may be the requester. */
export function permissionForApproval(from: ApprovalMode | null, to: ApprovalMode | null): Permission {
  return from !== to && [from, to].some((mode) => findApproverRule(mode) !== null) ? "administer" : "edit";
}

const ANY_OPERATOR: ApproverRule = { role: "operator", notRequester: false };

/** The setting that demands what both do: the higher role, and another user where one of them demands that. */
export function joinModes(first: ApprovalMode | null, second: ApprovalMode | null): ApprovalMode | null {
  if (first === null || first === "never") return second ?? first;
  if (second === null || second === "never") return first;
  const a = findApproverRule(first) ?? ANY_OPERATOR;
  const b = findApproverRule(second) ?? ANY_OPERATOR;
  const role = hasRole(a.role, b.role) ? a.role : b.role;
  const notRequester = a.notRequester || b.notRequester;
  const joined = Object.entries(APPROVERS).find(
    ([, rule]) => rule?.role === role && rule.notRequester === notRequester,
  ) as [ApprovalMode, ApproverRule] | undefined;
  return joined?.[0] ?? "always";
}

/** `an admin other than Ada`: who may approve a call, in the middle of a sentence. */
export function describeApprovers({ role, notRequester }: ApproverRule, requester: string | null): string {
  const roles =
    role === "operator" ? "an operator, editor or admin" : role === "editor" ? "an editor or admin" : "an admin";
  return notRequester ? `${roles} other than ${requester ?? "the requester"}` : roles;
}

/** Why a user may not approve a call; null where the rule lets them. */
export function explainApproverDenial(
  rule: ApproverRule | null,
  user: { id: string; role: Role },
  requester: Actor,
): string | null {
  if (isServiceAccount(user)) return "A service account cannot approve calls: a user has to";
  if (rule === null) return null;
  if (user.id === AUTOMATION.id) {
    return `This call needs the approval of ${describeApprovers(rule, requester.name)}: TOOLROOM_API_TOKEN is no user and cannot approve it`;
  }
  const isRequester = rule.notRequester && user.id === requester.id;
  if (!isRequester && hasRole(user.role, rule.role)) return null;
  return `This call needs the approval of ${describeApprovers(rule, isRequester ? "you" : requester.name)}`;
}

/** The reason why an approver cannot edit the arguments of a call; null where an edit is allowed. */
export function explainEditDenial(rule: ApproverRule | null): string | null {
  if (rule?.notRequester !== true) return null;
  return "This call needs another user than the author of its arguments: approve them as they are, or reject the call and give the change as the reason";
}
