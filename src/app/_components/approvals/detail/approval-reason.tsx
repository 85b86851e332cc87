"use client";

import { useId } from "react";
import { ApprovalSelect } from "@/app/_components/approvals/summary/approval-select";
import { describeApprovalReason } from "@/app/_components/approvals/summary/approval-words";
import { useSetApproval } from "@/app/_components/approvals/summary/use-set-approval";
import { Link } from "@/app/_ui/link";
import type { ApprovalItem, ToolApproval } from "@/lib/contract/approval";
import { getServerName } from "@/lib/contract/tool-definition";

/** Why the tool of an open request requires approval, and the setting that changes it for the next calls. */
export function ApprovalReason({ item }: { item: ApprovalItem }) {
  const { approval, definition, toolName } = item;
  if (approval === null) return null;
  const server = definition === null ? null : getServerName(definition);
  return <KnownReason toolName={toolName} approval={approval} server={server} />;
}

interface KnownReasonProps {
  toolName: string;
  approval: ToolApproval;
  server: string | null;
}

function KnownReason({ toolName, approval, server }: KnownReasonProps) {
  const id = useId();
  const save = useSetApproval(toolName);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs">
      <p id={`${id}-why`} className="min-w-0 text-mute [overflow-wrap:anywhere]">
        {approval.required
          ? describeApprovalReason(approval, server)
          : `The settings changed after this request. ${describeApprovalReason(approval, server)}`}
      </p>
      <ApprovalSelect
        approval={approval}
        save={save}
        label={`Approval setting of ${toolName}`}
        describedBy={`${id}-why`}
        className="w-56! max-w-full"
      />
      {server !== null && (
        <Link href={`/servers/${encodeURIComponent(server)}`} className="rounded-xs text-mute underline">
          Server policy
        </Link>
      )}
      <div role="alert" className="w-full text-bad empty:hidden">
        {save.error}
      </div>
    </div>
  );
}
