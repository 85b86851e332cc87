"use client";

import { describeInstant, formatAbsoluteTime, formatClockTime } from "@/lib/format";
import { useTimeZone } from "./time-zone";

export interface AbsoluteTimeProps {
  /** Epoch milliseconds. */
  at: number;
  className?: string;
}

/** An instant to the millisecond in the viewer's zone. */
export function AbsoluteTime({ at, className }: AbsoluteTimeProps) {
  const zone = useTimeZone();
  return (
    <time dateTime={new Date(at).toISOString()} title={describeInstant(at, zone)} className={className}>
      {formatAbsoluteTime(at, zone)}
    </time>
  );
}

/** The clock of an instant, for lines of a log. */
export function ClockTime({ at, className }: AbsoluteTimeProps) {
  const zone = useTimeZone();
  return (
    <time dateTime={new Date(at).toISOString()} title={describeInstant(at, zone)} className={className}>
      {formatClockTime(at, zone)}
    </time>
  );
}
