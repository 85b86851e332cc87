import { ApprovalBadge } from "@/app/_components/approvals/summary/approval-badge";
import { TimeLeft } from "@/app/_components/approvals/summary/approval-expiry";
import { formatApprovalOrigin, formatDecider } from "@/app/_components/approvals/summary/approval-words";
import { CHECKBOX } from "@/app/_ui/checkbox";
import { cx } from "@/app/_ui/class-names";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ApprovalItem } from "@/lib/contract/approval";

export interface ApprovalRowProps {
  item: ApprovalItem;
  chosen: boolean;
  onChoose: (executionId: string) => void;
  /** Absent where rows cannot be selected. */
  onSelect?: ((executionId: string) => void) | undefined;
  selected?: boolean;
}

const PREVIEW_CHARS = 200;

/** One line of the inbox. */
export function ApprovalRow({ item, chosen, onChoose, onSelect, selected = false }: ApprovalRowProps) {
  return (
    <li className="relative">
      {onSelect && (
        <span className="absolute top-2 left-3 z-1">
          <input
            type="checkbox"
            aria-label={`Select ${item.toolName} ${item.executionId}`}
            checked={selected}
            onChange={() => onSelect(item.executionId)}
            className={CHECKBOX}
          />
        </span>
      )}
      <button
        type="button"
        data-row=""
        data-status={item.status}
        aria-current={chosen ? "true" : undefined}
        onClick={() => onChoose(item.executionId)}
        className={cx(
          "-outline-offset-2 flex w-full min-w-0 flex-col gap-0.5 border-line border-b px-4 py-2 text-left hover:bg-rail aria-[current=true]:bg-accent-bg aria-[current=true]:shadow-[inset_2px_0_0_var(--color-accent)]",
          onSelect && "pl-11",
        )}
      >
        <span className="flex w-full min-w-0 items-center gap-2">
          <span className="min-w-0 truncate font-medium font-mono text-xs">{item.toolName}</span>
          {item.status !== "open" && <ApprovalBadge status={item.status} />}
          {item.status === "approved" && item.requestedArgumentsText !== null && (
            <span className="shrink-0 text-mute text-xs">edited</span>
          )}
          <span className="ml-auto shrink-0 text-mute text-xs">
            {item.status === "open" ? (
              <TimeLeft expiresAt={item.expiresAt} />
            ) : (
              <RelativeTime at={decidedAt(item)} clock />
            )}
          </span>
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
      </button>
    </li>
  );
}

function decidedAt({ decidedAt: at, requestedAt }: ApprovalItem): number {
  return at ?? requestedAt;
}
