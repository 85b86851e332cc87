import { useSuspenseQuery } from "@tanstack/react-query";
import { ArrowDownLeft, ArrowUpRight } from "lucide-react";
import { useId, useRef, useState } from "react";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { useList } from "@/app/_kit/list/use-list";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { trpc } from "@/app/_trpc/client";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { ClockTime } from "@/app/_ui/clock-time";
import { CopyButton } from "@/app/_ui/copy-button";
import { ShowMore } from "@/app/_ui/show-more";
import type { ProtocolMessage } from "@/lib/contract/server";
import { formatBytes, formatDuration } from "@/lib/format";
import { utf8Bytes } from "@/lib/utf8-bytes";
import { filterMessages, MESSAGE_FILTERS, type PairedMessage, pairMessages } from "./pair-messages";
import { RecordBar } from "./record-bar";

const TONE: Record<ProtocolMessage["kind"], BadgeTone> = {
  request: "accent",
  response: "ok",
  error: "bad",
  notification: "neutral",
};

const POLL_MS = 2_000;
/** Rows put on the page at once. */
const STEP = 150;

interface MessagesTabProps {
  name: string;
  /** The server is connected; without a connection there are no new messages. */
  connected: boolean;
}

/** Lists the protocol messages, newest first. */
export function MessagesTab({ name, connected }: MessagesTabProps) {
  const [paused, setPaused] = useState(false);
  const { data } = useSuspenseQuery({
    ...trpc.servers.messages.queryOptions({ name }),
    staleTime: 0,
    // Messages are too many for live events: they are polled while the tab is open.
    refetchInterval: connected && !paused ? POLL_MS : false,
  });
  const list = useList(MESSAGE_FILTERS);
  const area = useRef<HTMLDivElement>(null);
  useListKeys({ list: area, search: list.searchRef });
  const [limit, setLimit] = useState(STEP);
  const matching = filterMessages(pairMessages(data), list.params).toReversed();
  const rest = matching.length - limit;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <RecordBar
        list={list}
        noun="message"
        matching={matching.length}
        total={data.length}
        paused={paused}
        onToggle={() => setPaused(!paused)}
        resumeLabel="Resume"
      />
      <div ref={area} className="min-h-0 flex-1 overflow-y-auto bg-panel">
        {matching.length === 0 ? (
          <p className="px-4 py-8 text-center text-mute">
            {data.length === 0 ? "No messages yet." : "No matching messages."}
          </p>
        ) : (
          <ul aria-label={`Messages of ${name}`}>
            {matching.slice(0, limit).map((paired) => (
              <MessageRow key={paired.message.seq} paired={paired} />
            ))}
          </ul>
        )}
        <ShowMore rest={rest} onMore={() => setLimit(limit + STEP)} />
      </div>
    </div>
  );
}

/** One message; shows its JSON when it is opened. */
export function MessageRow({ paired }: { paired: PairedMessage }) {
  const [open, setOpen] = useState(false);
  const bodyId = useId();
  const { message, durationMs, answered } = paired;
  const storedBytes = countStoredBytes(message);
  const sent = message.direction === "sent";
  const Arrow = sent ? ArrowUpRight : ArrowDownLeft;
  return (
    <li className="border-line not-first:border-t">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={() => setOpen(!open)}
        className="-outline-offset-2 flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-1.5 text-left hover:bg-rail"
      >
        <ClockTime at={message.at} className="w-22 shrink-0 font-mono text-faint text-xs tabular-nums" />
        <span className="flex w-20 shrink-0 items-center gap-1 text-mute text-xs">
          <Arrow size={13} className={sent ? "text-accent" : "text-ok"} />
          {message.direction}
        </span>
        <span className="w-22 shrink-0">
          <Badge tone={TONE[message.kind]}>{message.kind}</Badge>
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs max-sm:basis-full">
          {message.method ?? <span className="text-mute">(unknown method)</span>}
          {message.id !== null && <span className="text-faint"> #{message.id.slice(0, 60)}</span>}
        </span>
        <span className="shrink-0 font-mono text-mute text-xs tabular-nums">
          {durationMs !== null && formatDuration(durationMs)}
          {message.kind === "request" && !answered && <span title="No response recorded">no response yet</span>}
        </span>
        <span className="w-16 shrink-0 text-right font-mono text-faint text-xs tabular-nums">
          {formatBytes(storedBytes)}
        </span>
      </button>
      {open && (
        <div id={bodyId} className="relative border-line border-t bg-bg px-4 py-2.5">
          {storedBytes < message.bytes && (
            <p className="pb-1.5 text-mute text-xs">
              Only the beginning is stored: {formatBytes(storedBytes)} of {formatBytes(message.bytes)}.
            </p>
          )}
          <CopyButton text={message.text} label="Copy message" className="absolute top-2 right-4 z-10 bg-bg" />
          <JsonTree text={message.text} label={`${message.kind} ${message.method ?? ""}`} />
        </div>
      )}
    </li>
  );
}

/** Returns the stored bytes: all of a whole message, the beginning of a long one. */
function countStoredBytes({ text, bytes }: ProtocolMessage): number {
  return text.length < bytes ? Math.min(bytes, utf8Bytes(text)) : bytes;
}
