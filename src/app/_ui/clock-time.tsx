import { describeInstant, formatClockTime } from "@/lib/format";
import { useTimeZone } from "./time-zone";

/** The clock of an instant to the millisecond in the viewer's zone, for lines of a log. */
export function ClockTime({ at, className }: { at: number; className?: string }) {
  const zone = useTimeZone();
  return (
    <time dateTime={new Date(at).toISOString()} title={describeInstant(at, zone)} className={className}>
      {formatClockTime(at, zone)}
    </time>
  );
}
