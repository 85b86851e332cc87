import { ApprovalBadge } from "@/app/_components/approvals/summary/approval-badge";
import { ApprovalOutcomeView } from "@/app/_components/approvals/summary/approval-outcome";
import type { ApprovalFacts } from "@/lib/contract/approval";

/** Who was asked before the call ran, what was said, and what a person made of the arguments. */
export function ApprovalSection({ approval, argumentsText }: { approval: ApprovalFacts; argumentsText: string }) {
  return (
    <section aria-label="Approval" className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-center gap-2">
        <h2 className="font-medium">Approval</h2>
        <ApprovalBadge status={approval.status} />
      </div>
      <ApprovalOutcomeView facts={approval} argumentsText={argumentsText} />
    </section>
  );
}
