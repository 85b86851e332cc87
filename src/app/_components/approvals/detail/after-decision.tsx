import { useId } from "react";
import { ApprovalSelect } from "@/app/_components/approvals/summary/approval-select";
import { describeApprovalReason } from "@/app/_components/approvals/summary/approval-words";
import { useSetApproval } from "@/app/_components/approvals/summary/use-set-approval";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { useHasAccounts } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import type { ApprovalItem, ToolApproval } from "@/lib/contract/approval";
import { findApproverRule } from "@/lib/contract/approver";
import { getServerName } from "@/lib/contract/tool-definition";

/** Shown after a decision made in this tab: asks whether the next calls of the tool need approval too. */
export function AfterDecision({ item }: { item: ApprovalItem }) {
  const { approval, status, runId } = item;
  const hasRule = useHasAccounts() && findApproverRule(item.mode) !== null;
  const isAllowable = status === "approved" && runId !== null && !hasRule;
  if (approval === null && !isAllowable) return null;
  return (
    <section
      aria-label="Next calls"
      className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 border-line border-t pt-3 text-xs"
    >
      {isAllowable && <AllowInRun item={item} />}
      {approval !== null && <ToolSetting item={item} approval={approval} />}
    </section>
  );
}

function AllowInRun({ item: { executionId, toolName } }: { item: ApprovalItem }) {
  const { mutate, isPending, isSuccess, problem } = useAction(trpc.approvals.allowInRun, {
    stale: [trpc.approvals],
  });
  if (isSuccess) {
    return (
      <p role="status">
        Later calls of <span className="font-mono">{toolName}</span> in this run need no approval. You can revoke this
        on the run.
      </p>
    );
  }
  return (
    <>
      <Button needs="run" disabled={isPending} onClick={() => mutate({ executionId })}>
        Always allow in this run
      </Button>
      <div role="alert" className="w-full text-bad empty:hidden">
        {problem}
      </div>
    </>
  );
}

function ToolSetting({ item, approval }: { item: ApprovalItem; approval: ToolApproval }) {
  const id = useId();
  const { toolName, definition } = item;
  const save = useSetApproval(toolName);
  const server = definition === null ? null : getServerName(definition);
  return (
    <>
      <p id={`${id}-why`} className="min-w-0 text-mute [overflow-wrap:anywhere]">
        {describeApprovalReason(approval, server)}
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
    </>
  );
}
