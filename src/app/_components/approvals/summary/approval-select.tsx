"use client";

import { NativeSelect } from "@/app/_ui/field";
import type { ApprovalMode, ToolApproval } from "@/lib/contract/approval";
import type { SetApproval } from "./use-set-approval";

export interface ApprovalSelectProps {
  approval: ToolApproval;
  save: SetApproval;
  id?: string;
  /** Where no `<label>` names it. */
  label?: string;
  describedBy?: string;
  className?: string;
}

/** The approval setting of one tool. */
export function ApprovalSelect({ approval, save, id, label, describedBy, className }: ApprovalSelectProps) {
  const shown = (save.saving === undefined ? approval.mode : save.saving) ?? "default";
  return (
    <NativeSelect
      needs="edit"
      id={id}
      aria-label={label}
      value={shown}
      disabled={save.saving !== undefined}
      aria-describedby={describedBy}
      className={className}
      onChange={({ target }) => save.set(modeOf(target.value))}
    >
      <option value="default">{defaultLabel(approval)}</option>
      <option value="always">Always require approval</option>
      <option value="never">Never require approval</option>
    </NativeSelect>
  );
}

function modeOf(choice: string): ApprovalMode | null {
  return choice === "always" || choice === "never" ? choice : null;
}

/** The effect of the default is only known while the tool has no setting of its own. */
export function defaultLabel({ mode, required }: ToolApproval): string {
  if (mode !== null) return "Default";
  return `Default (${required ? "approval required" : "no approval"})`;
}
