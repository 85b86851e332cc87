"use client";

import dynamic from "next/dynamic";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { CancelButton } from "./running-panel";

const ApprovalCard = dynamic(
  () => import("@/app/_components/approvals/detail/approval-card").then((module) => module.ApprovalCard),
  { ssr: false, loading: () => <Skeleton className="h-40" /> },
);

export interface WaitingPanelProps {
  execution: Pick<ExecutionDetail, "id" | "status">;
  /** False where the button that ran it cancels it. */
  cancelable: boolean;
}

/** A call that asks a person first, right where it is watched; it stays to say what became of the question. */
export function WaitingPanel({ execution, cancelable }: WaitingPanelProps) {
  return (
    <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-3.5">
      <ApprovalCard executionId={execution.id} compact />
      {execution.status === "waiting" && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <p className="text-mute text-xs">The tool has not run. Canceling withdraws this request.</p>
          {cancelable && (
            <span className="ml-auto">
              <CancelButton executionId={execution.id} />
            </span>
          )}
        </div>
      )}
    </div>
  );
}
