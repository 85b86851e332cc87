import { ApprovalBadge } from "@/app/_components/approvals/summary/approval-badge";
import { TimeLeft } from "@/app/_components/approvals/summary/approval-expiry";
import { formatApprovalOrigin, formatDecider } from "@/app/_components/approvals/summary/approval-words";
import type { Column } from "@/app/_kit/data-table";
import { Checkbox } from "@/app/_ui/checkbox";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ApprovalItem } from "@/lib/contract/approval";
import type { ApprovalTab } from "./approval-params";

const PREVIEW_CHARS = 200;

interface ApprovalColumns {
  tab: ApprovalTab;
  /** The chosen row. */
  shown: string | null;
  onChoose: (executionId: string) => void;
  selected: readonly string[];
  /** Absent where rows cannot be selected. */
  onSelect: ((executionId: string) => void) | undefined;
}

export function buildColumns({ tab, shown, onChoose, selected, onSelect }: ApprovalColumns): Column<ApprovalItem>[] {
  const call: Column<ApprovalItem> = {
    head: "Call",
    className: onSelect ? "" : "pl-4",
    cellClass: "w-full max-w-0",
    render: (item) => (
      <button
        type="button"
        data-row=""
        data-status={item.status}
        aria-current={item.executionId === shown ? "true" : undefined}
        onClick={() => onChoose(item.executionId)}
        className="flex w-full min-w-0 flex-col gap-0.5 rounded-xs text-left"
      >
        <CallSummary item={item} />
      </button>
    ),
  };
  const select: Column<ApprovalItem> = {
    head: "Select",
    headHidden: true,
    className: "pl-4",
    render: ({ toolName, executionId }) => (
      <Checkbox
        aria-label={`Select ${toolName} ${executionId}`}
        checked={selected.includes(executionId)}
        onChange={() => onSelect?.(executionId)}
      />
    ),
  };
  const time: Column<ApprovalItem> = {
    head: tab === "open" ? "Expires" : "Decided",
    newestFirst: tab === "decided",
    className: "pr-4 text-right",
    cellClass: "whitespace-nowrap text-mute text-xs leading-5",
    render: ({ expiresAt, decidedAt, requestedAt }) =>
      tab === "open" ? <TimeLeft expiresAt={expiresAt} /> : <RelativeTime at={decidedAt ?? requestedAt} />,
  };
  return onSelect ? [select, call, time] : [call, time];
}

function CallSummary({ item }: { item: ApprovalItem }) {
  return (
    <>
      <span className="flex w-full min-w-0 items-center gap-2">
        <span className="min-w-0 truncate font-medium font-mono text-xs">{item.toolName}</span>
        {item.status !== "open" && <ApprovalBadge status={item.status} />}
        {item.status === "approved" && item.requestedArgumentsText !== null && (
          <span className="shrink-0 text-mute text-xs">edited</span>
        )}
      </span>
      <span dir="ltr" className="w-full truncate font-mono text-mute text-xs">
        {item.argumentsText.slice(0, PREVIEW_CHARS)}
      </span>
      <span className="w-full truncate text-mute text-xs">
        <bdi>{item.actor.name}</bdi> from {formatApprovalOrigin(item)}
        {item.detached && item.runId === null && item.status === "open" && " · caller disconnected"}
        {(item.status === "approved" || item.status === "rejected") && (
          <>
            {" "}
            · by {formatDecider(item)}
            {item.reason && (
              <>
                : <bdi>{item.reason.slice(0, PREVIEW_CHARS)}</bdi>
              </>
            )}
          </>
        )}
      </span>
    </>
  );
}
