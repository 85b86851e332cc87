import { ApprovalBadge } from "@/app/_components/approvals/summary/approval-badge";
import { TimeLeft } from "@/app/_components/approvals/summary/approval-expiry";
import {
  formatApprovalOrigin,
  formatDecider,
  formatDecisionClient,
  toClientName,
} from "@/app/_components/approvals/summary/approval-words";
import type { Column } from "@/app/_kit/data-table";
import { selectColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import type { ApprovalItem } from "@/lib/contract/approval";
import type { ApprovalTab } from "./approval-params";

const PREVIEW_CHARS = 200;

interface ApprovalColumns {
  tab: ApprovalTab;
  /** The id of the chosen row; null where none is open. */
  shown: string | null;
  onChoose: (executionId: string) => void;
  selected: readonly string[];
  /** Absent where rows cannot be selected. */
  onSelect: ((executionId: string) => void) | undefined;
}

export function buildColumns({ tab, shown, onChoose, selected, onSelect }: ApprovalColumns): Column<ApprovalItem>[] {
  const call = textColumn<ApprovalItem>(
    "Call",
    (item) => (
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
    { cellClass: "w-full max-w-0" },
  );
  const select = selectColumn<ApprovalItem>("Select", {
    label: ({ toolName, executionId }) => `Select ${toolName} ${executionId}`,
    isSelected: ({ executionId }) => selected.includes(executionId),
    onSelect: ({ executionId }) => onSelect?.(executionId),
  });
  const time: Column<ApprovalItem> = {
    ...timeColumn<ApprovalItem>("Decided", ({ decidedAt, requestedAt }) => decidedAt ?? requestedAt, {
      newestFirst: tab === "decided",
      className: "pr-4 text-right",
    }),
    ...(tab === "open" && {
      head: "Expires",
      render: ({ expiresAt }: ApprovalItem) => <TimeLeft expiresAt={expiresAt} />,
    }),
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
        <bdi>{item.actor.name}</bdi>{" "}
        {item.status === "open" ? formatWhereAsked(item) : `from ${formatApprovalOrigin(item)}`}
        {item.detached && item.runId === null && item.status === "open" && " · caller disconnected"}
        {(item.status === "approved" || item.status === "rejected") && (
          <>
            {" "}
            · by {formatDecider(item)}
            {formatDecisionClient(item)}
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

/** A client is both source and caller: the row has space for its name once. */
function formatWhereAsked(item: ApprovalItem): string {
  if (item.askedIn === null) return `from ${formatApprovalOrigin(item)}`;
  return `· asked in ${toClientName(item.askedIn)} and here`;
}
