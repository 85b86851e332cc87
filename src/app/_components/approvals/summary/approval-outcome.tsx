import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ApprovalFacts } from "@/lib/contract/approval";
import { formatDecider, formatDecisionClient } from "./approval-words";

const DiffView = onDemand(() => import("@/app/_components/executions/diff/diff-view"), "DiffView", {
  fallback: <Skeleton className="h-24" />,
  onServer: true,
});

interface ApprovalOutcomeViewProps {
  facts: ApprovalFacts;
  /** The arguments as they ran. */
  argumentsText: string;
}

/** The outcome of an approval: who decided, when and why, and how the arguments were edited. */
export function ApprovalOutcomeView({ facts, argumentsText }: ApprovalOutcomeViewProps) {
  const { reason, requestedArgumentsText } = facts;
  const changed = facts.status === "approved" && requestedArgumentsText !== null;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p>
        <Outcome facts={facts} />
        {changed && ", with changed arguments"}.
      </p>
      {reason !== null && reason !== "" && (
        <figure className="min-w-0">
          <figcaption className="text-mute text-xs">Reason</figcaption>
          <blockquote
            dir="auto"
            className="whitespace-pre-wrap border-line2 border-s-2 ps-2.5 [overflow-wrap:anywhere]"
          >
            {reason}
          </blockquote>
        </figure>
      )}
      {changed && (
        <DiffView left={requestedArgumentsText} right={argumentsText} label="Requested and executed arguments" />
      )}
    </div>
  );
}

function Outcome({ facts }: { facts: ApprovalFacts }) {
  const at = facts.decidedAt === null ? null : <RelativeTime at={facts.decidedAt} />;
  switch (facts.status) {
    case "open":
      return <>No decision yet; requested {<RelativeTime at={facts.requestedAt} />}</>;
    case "approved":
    case "rejected":
      return (
        <>
          {facts.status === "approved" ? "Approved" : "Rejected"} by{" "}
          <span className="font-medium">{formatDecider(facts)}</span>
          {formatDecisionClient(facts)} {at}
        </>
      );
    case "expired":
      return (
        <>
          No decision in time: requested <RelativeTime at={facts.requestedAt} />, expired{" "}
          {at ?? <RelativeTime at={facts.expiresAt} />}. The tool did not run
        </>
      );
    case "withdrawn":
      return <>Withdrawn by the caller {at} before a decision. The tool did not run</>;
  }
}
