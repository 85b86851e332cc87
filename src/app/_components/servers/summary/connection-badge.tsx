import { cx } from "@/app/_ui/class-names";
import { StatusPill } from "@/app/_ui/status-badge";
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
    <StatusPill status={status} tone={cx(TONE[status], className)} pulse={status === "connecting"}>
      {STATUS_WORDS[status]}
    </StatusPill>
  );
}
