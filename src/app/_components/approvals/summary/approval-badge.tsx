import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { ApprovalStatus } from "@/lib/contract/approval";
import { APPROVAL_LABELS } from "./approval-words";

const TONE: Record<ApprovalStatus, BadgeTone> = {
  open: "warn",
  approved: "ok",
  rejected: "bad",
  expired: "neutral",
  withdrawn: "neutral",
};

export function ApprovalBadge({ status }: { status: ApprovalStatus }) {
  return (
    <Badge tone={TONE[status]} data-status={status}>
      {APPROVAL_LABELS[status]}
    </Badge>
  );
}
