"use client";

import { describeApprovalReason } from "@/app/_components/approvals/summary/approval-words";
import { useSetApproval } from "@/app/_components/approvals/summary/use-set-approval";
import { Guard } from "@/app/_ui/access";
import { cx } from "@/app/_ui/class-names";
import type { ToolApproval } from "@/lib/contract/approval";
import { findApproverRule } from "@/lib/contract/approver";

export interface ToolApprovalLineProps {
  /** The tool's name in the catalog. */
  name: string;
  approval: ToolApproval;
  server: string;
}

/** Why a tool of the server's list requires approval, with one click to change it; nothing where the default lets it run. */
export function ToolApprovalLine({ name, approval, server }: ToolApprovalLineProps) {
  const save = useSetApproval(name);
  if (!approval.required && approval.mode === null) return null;
  const next = approval.mode === null ? "never" : null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-mute text-xs">
      <span className={cx("min-w-0 [overflow-wrap:anywhere]", approval.required && "text-warn")}>
        {describeApprovalReason(approval, server)}
      </span>
      <Guard needs={findApproverRule(approval.mode) === null ? "edit" : "administer"}>
        <button
          type="button"
          disabled={save.saving !== undefined}
          onClick={() => save.set(next)}
          className="rounded-xs underline hover:text-text disabled:opacity-60 aria-disabled:cursor-not-allowed aria-disabled:opacity-60"
        >
          {next === null ? "Use default" : "Never require approval"}
          <span className="sr-only"> for {name}</span>
        </button>
      </Guard>
      {save.error !== null && (
        <span role="alert" className="text-bad">
          {save.error}
        </span>
      )}
    </p>
  );
}
