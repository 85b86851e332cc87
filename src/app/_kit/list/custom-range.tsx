import { DateButton, DatePicker } from "@/app/_kit/date/date-picker";

interface CustomRangeProps {
  /** Epoch milliseconds. */
  since: number | null;
  until: number | null;
  onChange: (part: { since: number | null } | { until: number | null }) => void;
}

/** The two ends of a time range, each of which may be left open, in the viewer's time zone. */
export function CustomRange({ since, until, onChange }: CustomRangeProps) {
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <DatePicker
        label="From"
        by="instant"
        value={since}
        max={until}
        clearable
        onPick={(at) => onChange({ since: at })}
        trigger={<DateButton label="From" by="instant" value={since} />}
      />
      <DatePicker
        label="To"
        by="instant"
        edge="end"
        value={until}
        min={since}
        clearable
        onPick={(at) => onChange({ until: at })}
        trigger={<DateButton label="To" by="instant" value={until} />}
      />
    </span>
  );
}
