import { StatusBadge } from "@/app/_ui/status-badge";
import type { TranscriptStatus } from "@/lib/contract/transcript";

export function TranscriptBadge({ status }: { status: TranscriptStatus }) {
  const open = status === "open";
  return <StatusBadge status={open ? "running" : "idle"} label={open ? "listening" : "closed"} />;
}
