import { cx } from "@/app/_ui/class-names";
import { StatusPill } from "@/app/_ui/status-badge";
import type { TranscriptStatus } from "@/lib/contract/transcript";
import { type ShownState, STATUS_WORDS } from "./transcript-words";

const TONE: Record<ShownState["shown"] | "idle", string> = {
  idle: "bg-line text-mute",
  running: "bg-accent-bg text-accent",
  waiting: "bg-warn-bg text-warn",
  succeeded: "bg-ok-bg text-ok",
  failed: "bg-bad-bg text-bad",
  cancelled: "bg-line text-mute",
};

interface StatePillProps {
  shown: ShownState["shown"] | "idle";
  label: string;
  className?: string | undefined;
}

export function StatePill({ shown, label, className }: StatePillProps) {
  return (
    <StatusPill status={shown} tone={cx(TONE[shown], className)} pulse={shown === "running"}>
      {label}
    </StatusPill>
  );
}

const SHOWN = { open: "running", closed: "idle" } as const;

export function TranscriptBadge({ status, className }: { status: TranscriptStatus; className?: string }) {
  return <StatePill shown={SHOWN[status]} label={STATUS_WORDS[status]} className={className} />;
}
