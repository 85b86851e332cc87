"use client";

import { describeInstant, formatAbsoluteTime } from "@/lib/format";
import { useTimeZone } from "./time-zone";

/** An instant to the millisecond in the viewer's zone, for the one place of a page that has it in full. */
export function ExactTime({ at, className }: { at: number; className?: string }) {
  const zone = useTimeZone();
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={describeInstant(at, zone)}
      className={className}
      suppressHydrationWarning
    >
      {formatAbsoluteTime(at, zone)}
    </time>
  );
}
