"use client";

import { useId } from "react";
import { ApprovalSelect } from "@/app/_components/approvals/summary/approval-select";
import { describeApprovalCause } from "@/app/_components/approvals/summary/approval-words";
import { useSetApproval } from "@/app/_components/approvals/summary/use-set-approval";
import { Link } from "@/app/_ui/link";
import { describeApprovers, findApproverRule } from "@/lib/contract/approver";
import type { ToolDetail } from "@/lib/contract/catalog-tool";

/** Whether the tool requires approval, why, and the setting that changes it. */
export function ApprovalSetting({ tool }: { tool: Pick<ToolDetail, "name" | "approval" | "server"> }) {
  const id = useId();
  const { approval, name, server } = tool;
  const save = useSetApproval(name);
  const rule = findApproverRule(approval.mode);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Approval
      </label>
      <ApprovalSelect id={id} approval={approval} save={save} describedBy={`${id}-why`} />
      <p id={`${id}-why`} data-status={approval.required ? "asks" : "free"} className="text-mute text-xs">
        {rule !== null && `Only ${describeApprovers(rule, null)} may approve. `}
        Reason: {describeApprovalCause(approval, server)}.
        {server !== null && (
          <>
            {" "}
            <Link href={`/servers/${encodeURIComponent(server)}`} className="rounded-xs underline">
              Server policy
            </Link>
          </>
        )}
      </p>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {save.error}
      </div>
    </div>
  );
}
