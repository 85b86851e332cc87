import { useNow } from "@/app/_kit/use-now";
import { formatDuration } from "@/lib/format";

/** Counts up the time since an attempt to connect began. */
export function ConnectingTime({ since }: { since: number | null }) {
  const now = useNow(1_000);
  if (since === null || now === null) return null;
  const seconds = Math.max(0, Math.round((now - since) / 1_000));
  return <span className="tabular-nums">{seconds === 0 ? "0 s" : formatDuration(seconds * 1_000)}</span>;
}
