"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { type ReactNode, useState } from "react";
import { FilterBar, FilterSelect, FilterToggle } from "@/app/_kit/filter-bar";
import { PauseButton } from "@/app/_kit/pause-button";
import { useTRPC } from "@/app/_trpc/client";
import { Input } from "@/app/_ui/field";
import { ShowMore } from "@/app/_ui/show-more";
import { formatCount, formatPlural } from "@/lib/format";
import { MessageRow } from "./message-row";
import {
  DIRECTIONS,
  filterMessages,
  KINDS,
  type MessageFilters,
  messageFilterParsers,
  pairMessages,
} from "./pair-messages";

const SELECT = "max-w-40 max-sm:max-w-none max-sm:grow max-sm:basis-32 sm:w-auto";
const POLL_MS = 2_000;
/** Rows put on the page at once. */
const STEP = 150;

export interface MessagesTabProps {
  name: string;
  /** There are no new messages without a connection. */
  connected: boolean;
}

/** What went over the wire, newest first. */
export function MessagesTab({ name, connected }: MessagesTabProps) {
  const trpc = useTRPC();
  const [paused, setPaused] = useState(false);
  const { data } = useSuspenseQuery({
    ...trpc.servers.messages.queryOptions({ name }),
    staleTime: 0,
    // Messages are too many for live events: they are polled while the tab is open.
    refetchInterval: connected && !paused ? POLL_MS : false,
  });
  const [filters, setFilters] = useQueryStates(messageFilterParsers);
  const [limit, setLimit] = useState(STEP);
  const matching = filterMessages(pairMessages(data), filters).toReversed();
  const rest = matching.length - limit;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <MessageBar filters={filters} onChange={(part) => void setFilters(part)}>
        <PauseButton size="md" paused={paused} onToggle={() => setPaused(!paused)} resumeLabel="Resume" />
        <p role="status" className="text-mute text-xs">
          {matching.length === data.length
            ? formatPlural(data.length, "message")
            : `${formatCount(matching.length)} of ${formatPlural(data.length, "message")}`}
        </p>
      </MessageBar>
      <div className="min-h-0 flex-1 overflow-y-auto bg-panel">
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

interface MessageBarProps {
  filters: MessageFilters;
  onChange: (part: Partial<MessageFilters>) => void;
  children: ReactNode;
}

function MessageBar({ filters, onChange, children }: MessageBarProps) {
  return (
    <FilterBar className="shrink-0 items-center border-line border-b px-4 py-2">
      <Input
        type="search"
        aria-label="Search messages"
        placeholder="Search method, id, text"
        value={filters.q}
        onChange={(event) => onChange({ q: event.target.value })}
        className="min-w-40 flex-1 sm:max-w-72"
      />
      <FilterSelect
        label="Direction"
        any="Sent and received"
        className={SELECT}
        value={filters.direction}
        options={DIRECTIONS}
        textOf={(direction) => (direction === "sent" ? "Sent" : "Received")}
        onChange={(direction) => onChange({ direction })}
      />
      <FilterSelect
        label="Kind"
        className={SELECT}
        value={filters.kind}
        options={KINDS}
        onChange={(kind) => onChange({ kind })}
      />
      <FilterToggle label="Pings" checked={filters.pings} onChange={(pings) => onChange({ pings })} />
      {children}
    </FilterBar>
  );
}
