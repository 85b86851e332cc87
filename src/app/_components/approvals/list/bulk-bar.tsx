import { useId, useState } from "react";
import { RejectForm } from "@/app/_components/approvals/summary/reject-form";
import { focusSoon } from "@/app/_kit/arguments-editor/focus-field";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import type { ApprovalOutcome } from "@/lib/contract/approval";
import { formatCount, formatPlural } from "@/lib/format";

interface BulkBarProps {
  /** The executions that are selected. */
  selected: readonly string[];
  /** @param left the approvals that stay open */
  onDecided: (left: readonly string[]) => void;
}

/** One decision for all selected calls. What needs a confirmation of its own stays open and selected. */
export function BulkBar({ selected, onDecided }: BulkBarProps) {
  const [rejecting, setRejecting] = useState(false);
  const id = useId();
  const decide = useAction(trpc.approvals.decideMany, {
    // Refreshed after a failure too: the calls before the failed one are decided.
    stale: [trpc.approvals],
    failed: "Couldn't decide all of them",
    onDone: ({ outcomes }, { executionIds }) => {
      setRejecting(false);
      onDecided(executionIds.filter((_, at) => outcomes[at]?.status === "open"));
    },
  });
  const send = (decision: { approved: boolean; reason?: string }) =>
    decide.mutate({ executionIds: [...selected], decision });
  const count = formatCount(selected.length);
  const idle = selected.length === 0 || decide.isPending;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      {rejecting && selected.length > 0 ? (
        <RejectForm
          label="Reason for all"
          submitLabel={`Reject ${count}`}
          pending={decide.isPending}
          onReject={send}
          onBack={() => {
            setRejecting(false);
            focusSoon(id);
          }}
        />
      ) : (
        selected.length > 0 && (
          <>
            <Button needs="run" disabled={idle} onClick={() => send({ approved: true })}>
              {decide.isPending ? "Approving…" : `Approve ${count}`}
            </Button>
            <Button id={id} needs="run" variant="danger" disabled={idle} onClick={() => setRejecting(true)}>
              Reject {count}…
            </Button>
          </>
        )
      )}
      <p role="status" className="w-full text-mute text-xs empty:hidden">
        {decide.data && describeOutcomes(decide.data.outcomes)}
      </p>
      <p role="alert" className="w-full text-bad text-xs empty:hidden">
        {decide.problem}
      </p>
    </div>
  );
}

function describeOutcomes(outcomes: readonly ApprovalOutcome[]): string {
  const decided = outcomes.filter((outcome) => outcome.decided);
  const unconfirmed = outcomes.filter(({ needsConfirmation }) => needsConfirmation === true).length;
  const denied = outcomes.filter((outcome) => outcome.denied !== undefined).length;
  const late = outcomes.length - decided.length - unconfirmed - denied;
  return [
    decided.length > 0 && `${formatPlural(decided.length, "call")} ${decided[0]?.status}.`,
    unconfirmed > 0 && `${formatPlural(unconfirmed, "call")} left open: caller disconnected. Open it to confirm.`,
    denied > 0 && `${formatPlural(denied, "call")} left open: another user has to approve.`,
    late > 0 && `${formatPlural(late, "call")} already decided.`,
  ]
    .filter(Boolean)
    .join(" ");
}
