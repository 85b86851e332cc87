import { useHasAccounts, usePrincipal } from "@/app/_ui/access";
import { NativeSelect } from "@/app/_ui/field";
import { explainDenial } from "@/lib/contract/access";
import type { ApprovalMode, ToolApproval } from "@/lib/contract/approval";
import { findApproverRule } from "@/lib/contract/approver";
import type { SetApproval } from "./use-set-approval";

interface ApprovalSelectProps {
  approval: ToolApproval;
  save: SetApproval;
  id?: string;
  /** The accessible name where no `<label>` gives one. */
  label?: string;
  describedBy?: string;
  className?: string;
}

/** The approval setting of one tool. */
export function ApprovalSelect({ approval, save, id, label, describedBy, className }: ApprovalSelectProps) {
  const { role, token } = usePrincipal();
  const isAdmin = explainDenial({ role, token }, "administer") === null;
  const hasAccounts = useHasAccounts();
  // Only an admin changes who approves.
  const needs = findApproverRule(approval.mode) === null ? "edit" : "administer";
  const shown = (save.saving === undefined ? approval.mode : save.saving) ?? "default";
  return (
    <NativeSelect
      needs={needs}
      id={id}
      aria-label={label}
      value={shown}
      disabled={save.saving !== undefined}
      aria-describedby={describedBy}
      className={className}
      onChange={({ target }) => save.set(readMode(target.value))}
    >
      <option value="default">{defaultLabel(approval)}</option>
      <option value="always">Always require approval</option>
      <option value="never">Never require approval</option>
      <optgroup label={`Always, approved by${isAdmin ? "" : " (set by an admin)"}`}>
        {BY_ROLE.map((mode) => (
          <option key={mode} value={mode} disabled={!isAdmin}>
            {APPROVER_LABELS[mode]}
          </option>
        ))}
      </optgroup>
      <optgroup label={`Always, approved by someone else${hasAccounts ? "" : " (needs accounts)"}`}>
        {BY_OTHERS.map((mode) => (
          <option key={mode} value={mode} disabled={!isAdmin || !hasAccounts}>
            {APPROVER_LABELS[mode]}
          </option>
        ))}
      </optgroup>
    </NativeSelect>
  );
}

const BY_ROLE = ["editor", "admin"] as const;
const BY_OTHERS = ["other", "other_editor", "other_admin"] as const;
const APPROVER_LABELS: Readonly<Record<(typeof BY_ROLE | typeof BY_OTHERS)[number], string>> = {
  editor: "An editor or admin",
  admin: "An admin",
  other: "Anyone but the requester",
  other_editor: "An editor or admin, not the requester",
  other_admin: "An admin, not the requester",
};

function readMode(choice: string): ApprovalMode | null {
  if (choice === "always" || choice === "never") return choice;
  return [...BY_ROLE, ...BY_OTHERS].find((mode) => mode === choice) ?? null;
}

/** The effect of the default is only known while the tool has no setting of its own. */
export function defaultLabel({ mode, required }: ToolApproval): string {
  if (mode !== null) return "Default";
  return `Default (${required ? "approval required" : "no approval"})`;
}
