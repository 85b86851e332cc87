"use client";

import { Input } from "@/app/_ui/field";
import { useTimeZone } from "@/app/_ui/time-zone";

export interface CustomRangeProps {
  /** Epoch milliseconds. */
  since: number | null;
  until: number | null;
  onChange: (part: { since: number | null } | { until: number | null }) => void;
}

/** The two ends of a time range, each of which may be left open, in the browser's time zone. */
export function CustomRange({ since, until, onChange }: CustomRangeProps) {
  const zone = useTimeZone();
  return (
    <span className="flex flex-wrap items-center gap-1.5" title={`Time zone: ${zone}`}>
      <Input
        type="datetime-local"
        aria-label="From"
        className="w-auto!"
        value={toLocalText(since)}
        max={toLocalText(until)}
        onChange={({ target }) => onChange({ since: toInstant(target.value) })}
      />
      <span aria-hidden className="text-mute">
        –
      </span>
      <Input
        type="datetime-local"
        aria-label="To"
        className="w-auto!"
        value={toLocalText(until)}
        min={toLocalText(since)}
        onChange={({ target }) => onChange({ until: toInstant(target.value) })}
      />
    </span>
  );
}

const MINUTE_MS = 60_000;

/** `2026-11-23T14:05` in local time, as the field wants it. */
function toLocalText(at: number | null): string {
  if (at === null) return "";
  const local = at - new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(local).toISOString().slice(0, 16);
}

function toInstant(text: string): number | null {
  const at = new Date(text).getTime();
  return Number.isNaN(at) ? null : at;
}
