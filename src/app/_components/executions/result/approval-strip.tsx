import { ApprovalBadge } from "@/app/_components/approvals/summary/approval-badge";
import { formatDecider } from "@/app/_components/approvals/summary/approval-words";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ApprovalFacts } from "@/lib/contract/approval";

/** In a line: that a person was asked before the tool ran, and what came of it. The call's own page has all of it. */
export function ApprovalStrip({ approval }: { approval: ApprovalFacts }) {
  const { status, decidedAt, reason, requestedArgumentsText } = approval;
  const byPerson = status === "approved" || status === "rejected";
  return (
    <section
      aria-label="Approval"
      className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-0.5 border-line border-b bg-rail px-3.5 py-1.5 text-xs"
    >
      <ApprovalBadge status={status} />
      <span className="min-w-0 text-mute [overflow-wrap:anywhere]">
        {byPerson && `by ${formatDecider(approval)} `}
        {decidedAt !== null && <RelativeTime at={decidedAt} />}
        {status === "approved" && requestedArgumentsText !== null && ", with changed arguments"}
        {reason !== null && reason !== "" && (
          <>
            : <bdi>{reason.slice(0, MAX_REASON_CHARS)}</bdi>
          </>
        )}
      </span>
    </section>
  );
}

const MAX_REASON_CHARS = 300;
