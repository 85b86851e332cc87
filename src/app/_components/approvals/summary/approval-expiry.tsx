import { useNow } from "@/app/_kit/use-now";
import { RelativeTime } from "@/app/_ui/relative-time";
import { useTimeZone } from "@/app/_ui/time-zone";
import { describeInstant } from "@/lib/format";
import { formatTimeLeft } from "./approval-words";

const TICK_MS = 1_000;

/**
 * Shows how long the call has waited and how long it may still wait. Screen readers do not announce it: a ticking clock
 * would hide other messages.
 */
export function Expiry({ requestedAt, expiresAt }: { requestedAt: number; expiresAt: number }) {
  return (
    <>
      requested <RelativeTime at={requestedAt} />
      <span aria-hidden> · </span>
      <TimeLeft expiresAt={expiresAt} prefix="expires " />
    </>
  );
}

/** @param prefix the words before the time, where no heading explains it */
export function TimeLeft({ expiresAt, prefix = "" }: { expiresAt: number; prefix?: string }) {
  const now = useNow(TICK_MS);
  const zone = useTimeZone();
  const left = now === null ? null : formatTimeLeft(expiresAt, now);
  return (
    <time
      dateTime={new Date(expiresAt).toISOString()}
      title={describeInstant(expiresAt, zone)}
      className="whitespace-nowrap tabular-nums"
    >
      {prefix}
      {now === null ? "" : left === null ? "now" : `in ${left}`}
    </time>
  );
}
