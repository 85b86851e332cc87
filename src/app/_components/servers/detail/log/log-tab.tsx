import { memo, type RefObject, type UIEvent, useEffect, useRef, useState } from "react";
import { useList } from "@/app/_kit/list/use-list";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { ClockTime } from "@/app/_ui/clock-time";
import { CopyButton } from "@/app/_ui/copy-button";
import type { ServerLogLine } from "@/lib/contract/server";
import { formatCount } from "@/lib/format";
import { filterLines, formatLogText, LOG_FILTERS, STREAM_WORDS } from "./log-lines";
import { RecordBar } from "./record-bar";
import { useServerLog } from "./use-server-log";

/** Newest lines put on the page at once. */
const STEP = 400;
/** The characters shown of one line; copying includes all of it. */
const MAX_LINE_CHARS = 4_000;

/** The server's output beside the protocol, and the events of its connection. */
export function LogTab({ name }: { name: string }) {
  const lines = useServerLog(name);
  const list = useList(LOG_FILTERS);
  // While the log is paused, lines after this one are not shown.
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const [limit, setLimit] = useState(STEP);
  const current = pausedAt === null ? lines : lines.filter(({ seq }) => seq <= pausedAt);
  const matching = filterLines(current, list.params);
  const shown = matching.slice(-limit);
  const area = useRef<HTMLDivElement>(null);
  const onScroll = useFollow(area, shown);
  useListKeys({ list: area, search: list.searchRef });
  const earlier = matching.length - shown.length;
  // An area that scrolls must be reached by the keyboard. It is not read out as it grows: that would never end.
  const tabStop = { role: "log", tabIndex: 0, "aria-live": "off", "aria-label": `Log of ${name}` } as const;

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <RecordBar
        list={list}
        noun="line"
        matching={matching.length}
        total={current.length}
        paused={pausedAt !== null}
        onToggle={() => setPausedAt(pausedAt === null ? (lines.at(-1)?.seq ?? 0) : null)}
        resumeLabel={`Resume (${formatCount(lines.length - current.length)} new)`}
      >
        <CopyButton text={formatLogText(matching)} label="Copy these lines" />
      </RecordBar>
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
            {list.isFiltered ? "No matching lines." : "No log output. What the server writes to stderr appears here."}
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

/** A scroll position this close to the end counts as the end. */
const NEAR_PX = 24;

/** Keeps an area at its end while it grows, unless the reader has scrolled away from there. */
function useFollow(area: RefObject<HTMLElement | null>, grown: unknown): (event: UIEvent<HTMLElement>) => void {
  const atEnd = useRef(true);
  // Outside system: the browser's scroll position.
  useEffect(() => {
    const element = area.current;
    if (element !== null && grown !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [area, grown]);
  return ({ currentTarget }) => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget;
    atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
  };
}
