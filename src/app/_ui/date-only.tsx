import { describeInstant, formatDate } from "@/lib/format";
import { useTimeZone } from "./time-zone";

/** The day of an instant in the viewer's zone, with the instant as its title; for what is days away. */
export function DateOnly({ at }: { at: number }) {
  const zone = useTimeZone();
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={describeInstant(at, zone)}
      className="whitespace-nowrap"
      suppressHydrationWarning
    >
      {formatDate(at, zone)}
    </time>
  );
}
