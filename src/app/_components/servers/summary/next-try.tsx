import { useNow } from "@/app/_kit/use-now";
import { formatDuration } from "@/lib/format";

/** Counts down to the next attempt to connect. */
export function NextTry({ at }: { at: number | null }) {
  const now = useNow(1_000);
  if (at === null || now === null) return <span>retries automatically</span>;
  const seconds = Math.ceil((at - now) / 1_000);
  return (
    <span className="tabular-nums">
      {seconds > 0 ? `next try in ${formatDuration(seconds * 1_000)}` : "trying now"}
    </span>
  );
}
