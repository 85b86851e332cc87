import { cx } from "@/app/_ui/class-names";
import type { ConnectionStatus } from "@/lib/contract/server";
import { STATUS_WORDS } from "./server-words";

const TONE: Record<ConnectionStatus, string> = {
  connected: "bg-ok-bg text-ok",
  connecting: "bg-accent-bg text-accent",
  disconnected: "bg-warn-bg text-warn",
  sign_in_needed: "bg-warn-bg text-warn",
  failed: "bg-bad-bg text-bad",
  disabled: "bg-line text-mute",
  idle: "bg-line text-mute",
};

/** Dot and word of a connection's state. */
export function ConnectionBadge({ status, className }: { status: ConnectionStatus; className?: string }) {
  return (
    <span
      data-status={status}
      className={cx(
        "inline-flex shrink-0 items-center gap-1.5 whitespace-nowrap rounded-full px-2 text-xs font-medium",
        TONE[status],
        className,
      )}
    >
      <span
        aria-hidden
        className={cx("size-1.5 rounded-full bg-current", status === "connecting" && "animate-pulse")}
      />
      {STATUS_WORDS[status]}
    </span>
  );
}
