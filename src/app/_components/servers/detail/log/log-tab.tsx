"use client";

import { useQueryStates } from "nuqs";
import { memo, type ReactNode, useRef, useState } from "react";
import { FilterBar, FilterSelect } from "@/app/_kit/filter-bar";
import { PauseButton } from "@/app/_kit/pause-button";
import { ClockTime } from "@/app/_ui/absolute-time";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { CopyButton } from "@/app/_ui/copy-button";
import { Input } from "@/app/_ui/field";
import type { ServerLogLine } from "@/lib/contract/server";
import { formatCount, formatPlural } from "@/lib/format";
import {
  filterLines,
  formatLogText,
  LEVELS,
  type LogFilters,
  logFilterParsers,
  STREAM_WORDS,
  STREAMS,
} from "./log-lines";
import { useFollow } from "./use-follow";
import { useServerLog } from "./use-server-log";

/** Newest lines put on the page at once. */
const STEP = 400;
/** Of one line; the rest is in what is copied. */
const MAX_LINE_CHARS = 4_000;

/** Everything a server said beside the protocol, and what its connection did. */
export function LogTab({ name }: { name: string }) {
  const lines = useServerLog(name);
  const [filters, setFilters] = useQueryStates(logFilterParsers);
  // While paused, lines after this one wait.
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const [limit, setLimit] = useState(STEP);
  const current = pausedAt === null ? lines : lines.filter(({ seq }) => seq <= pausedAt);
  const matching = filterLines(current, filters);
  const shown = matching.slice(-limit);
  const area = useRef<HTMLDivElement>(null);
  const onScroll = useFollow(area, shown);
  const earlier = matching.length - shown.length;
  // An area that scrolls must be reached by the keyboard. It is not read out as it grows: that would never end.
  const tabStop = { role: "log", tabIndex: 0, "aria-live": "off", "aria-label": `Log of ${name}` } as const;
  const filtered = filters.q !== "" || filters.stream !== null || filters.level !== null;

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <LogBar filters={filters} onChange={(part) => void setFilters(part)}>
        <PauseButton
          size="md"
          paused={pausedAt !== null}
          onToggle={() => setPausedAt(pausedAt === null ? (lines.at(-1)?.seq ?? 0) : null)}
          resumeLabel={`Resume (${formatCount(lines.length - current.length)} new)`}
        />
        <CopyButton text={formatLogText(matching)} label="Copy these lines" />
        <p role="status" className="text-mute text-xs">
          {filtered
            ? `${formatCount(matching.length)} of ${formatPlural(current.length, "line")}`
            : formatPlural(current.length, "line")}
        </p>
      </LogBar>
      <div
        ref={area}
        onScroll={onScroll}
        {...tabStop}
        className="min-h-0 flex-1 overflow-auto bg-panel py-2 -outline-offset-2 max-md:max-h-[75dvh]"
      >
        {earlier > 0 && (
          <div className="flex justify-center p-2">
            <Button onClick={() => setLimit(limit + STEP)}>Show earlier ({formatCount(earlier)})</Button>
          </div>
        )}
        {shown.length === 0 && (
          <p className="px-4 py-8 text-center text-mute">
            {filtered ? "No matching lines." : "No log output. What the server writes to stderr appears here."}
          </p>
        )}
        <ol className="font-mono text-xs leading-5">
          {shown.map((line) => (
            <LogLineRow key={line.seq} line={line} />
          ))}
        </ol>
      </div>
    </div>
  );
}

interface LogBarProps {
  filters: LogFilters;
  onChange: (part: Partial<LogFilters>) => void;
  children: ReactNode;
}

function LogBar({ filters, onChange, children }: LogBarProps) {
  return (
    <FilterBar className="shrink-0 items-center border-line border-b px-4 py-2">
      <Input
        type="search"
        aria-label="Search the log"
        placeholder="Search the log"
        value={filters.q}
        onChange={(event) => onChange({ q: event.target.value })}
        className="min-w-40 flex-1 sm:max-w-72"
      />
      <FilterSelect
        label="Stream"
        className="max-sm:max-w-none max-w-44 max-sm:grow max-sm:basis-32 sm:w-auto"
        value={filters.stream}
        options={STREAMS}
        textOf={(stream) => (stream === "stdout" ? "stdout (not protocol)" : STREAM_WORDS[stream])}
        onChange={(stream) => onChange({ stream })}
      />
      <FilterSelect
        label="Minimum level"
        any="Level: any"
        className="max-w-40 max-sm:max-w-none max-sm:grow max-sm:basis-32 sm:w-auto"
        value={filters.level}
        options={LEVELS.slice(1)}
        textOf={(level) => (level === "error" ? "error" : `${level} and above`)}
        onChange={(level) => onChange({ level })}
      />
      {children}
    </FilterBar>
  );
}

const LEVEL_COLOUR: Record<ServerLogLine["level"], string> = {
  debug: "text-faint",
  info: "text-text",
  warn: "text-warn",
  error: "text-bad",
};

const LogLineRow = memo(function LogLineRow({ line }: { line: ServerLogLine }) {
  const { text } = line;
  const polluted = line.stream === "stdout";
  return (
    <li
      data-stream={line.stream}
      className={cx(
        "grid grid-cols-[6.5rem_6.5rem_minmax(0,1fr)] gap-x-3 px-4 max-md:grid-cols-[6.5rem_minmax(0,1fr)]",
        polluted && "bg-warn-bg",
      )}
    >
      <ClockTime at={line.at} className="text-faint tabular-nums" />
      <span
        className={cx("truncate", polluted ? "font-semibold text-warn" : "text-mute")}
        title={polluted ? "Written to stdout, where only protocol messages are allowed. Skipped" : undefined}
      >
        {STREAM_WORDS[line.stream]}
      </span>
      <span
        className={cx(
          "min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere] max-md:col-span-2",
          LEVEL_COLOUR[line.level],
        )}
      >
        {line.level !== "info" && <span className="sr-only">{line.level}: </span>}
        {text.length > MAX_LINE_CHARS
          ? `${text.slice(0, MAX_LINE_CHARS)}… ${formatCount(text.length - MAX_LINE_CHARS)} characters more`
          : text}
      </span>
    </li>
  );
});
