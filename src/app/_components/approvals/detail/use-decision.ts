import { useRef, useState } from "react";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import type { ApprovalDecision, ApprovalStatus } from "@/lib/contract/approval";
import type { Fault } from "@/lib/contract/envelope";

interface Refused {
  /** The arguments that did not fit. */
  argumentsText: string;
  faults: Fault[];
}

export interface Decision {
  decide: (decision: ApprovalDecision) => void;
  pending: boolean;
  /** Asking did not work; null otherwise. */
  error: string | null;
  /** The own edit that the server refused; null otherwise. */
  refused: Refused | null;
  /** An approval of a destructive call without a recipient, waiting for confirmation; null otherwise. */
  unconfirmed: ApprovalDecision | null;
  cancelConfirmation: () => void;
  /** The decision made in this tab. */
  own: ApprovalStatus | null;
  /** Whether this tab also sent a decision, after another one had been stored. */
  late: boolean;
}

/**
 * Decides once, however often the button is pressed; it is over when the new state has been read.
 * @param onOver called when any user has decided the approval, so that its buttons are removed
 */
export function useDecision(executionId: string, toolName: string, onOver: () => void): Decision {
  const busy = useRef(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [unconfirmed, setUnconfirmed] = useState<ApprovalDecision | null>(null);
  const [own, setOwn] = useState<ApprovalStatus | null>(null);
  const [late, setLate] = useState(false);

  const action = useAction(trpc.approvals.decide, {
    stale: [trpc.approvals, trpc.executions.get.queryKey({ id: executionId })],
    report: (problem) => {
      if (problem !== null) busy.current = false;
    },
    done: ({ decided, status }) =>
      decided ? { title: `${toolName}: ${status}`, tone: status === "approved" ? "ok" : "neutral" } : null,
    onDone: ({ decided, status, faults, needsConfirmation }, { decision }) => {
      busy.current = false;
      setUnconfirmed(needsConfirmation === true ? decision : null);
      if (needsConfirmation === true) return;
      if (!decided && faults.length > 0) {
        setRefused({ argumentsText: decision.argumentsText ?? "", faults });
        return;
      }
      onOver();
      if (decided) setOwn(status);
      else setLate(true);
    },
  });
  return {
    decide: (decision) => {
      if (busy.current) return;
      busy.current = true;
      setRefused(null);
      action.mutate({ executionId, decision });
    },
    pending: action.isPending,
    error: action.problem,
    refused,
    unconfirmed,
    cancelConfirmation: () => setUnconfirmed(null),
    own,
    late,
  };
}
