"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { Pause, Play } from "lucide-react";
import { useQueryStates } from "nuqs";
import { type ReactNode, useId, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Input, NativeSelect } from "@/app/_ui/field";
import { ShowMore } from "@/app/_ui/show-more";
import { formatCount, formatPlural } from "@/lib/format";
import { MessageRow } from "./message-row";
import { filterMessages, type MessageFilters, messageFilterParsers, pairMessages } from "./pair-messages";

const POLL_MS = 2_000;
/** Rows put on the page at once. */
const STEP = 150;

export interface MessagesTabProps {
  name: string;
  /** Without a connection nothing new is said. */
  connected: boolean;
}

/** What went over the wire, newest first. */
export function MessagesTab({ name, connected }: MessagesTabProps) {
  const trpc = useTRPC();
  const [paused, setPaused] = useState(false);
  const { data } = useSuspenseQuery({
    ...trpc.servers.messages.queryOptions({ name }),
    staleTime: 0,
    // Messages are too many to announce each: they are read again while somebody looks.
    refetchInterval: connected && !paused ? POLL_MS : false,
  });
  const [filters, setFilters] = useQueryStates(messageFilterParsers);
  const [limit, setLimit] = useState(STEP);
  const matching = filterMessages(pairMessages(data), filters).toReversed();
  const rest = matching.length - limit;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <MessageBar filters={filters} onChange={(part) => void setFilters(part)}>
        <Button size="md" aria-pressed={paused} onClick={() => setPaused(!paused)}>
          {paused ? (
            <Play aria-hidden size={13} strokeWidth={1.6} />
          ) : (
            <Pause aria-hidden size={13} strokeWidth={1.6} />
          )}
          {paused ? "Go on" : "Pause"}
        </Button>
        <p role="status" className="text-mute text-xs">
          {matching.length === data.length
            ? formatPlural(data.length, "message")
            : `${formatCount(matching.length)} of ${formatPlural(data.length, "message")}`}
        </p>
      </MessageBar>
      <div className="min-h-0 flex-1 overflow-y-auto bg-panel">
        {matching.length === 0 ? (
          <p className="px-4 py-8 text-center text-mute">
            {data.length === 0 ? "No message has gone over the wire so far." : "No message matches."}
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
  const pingsId = useId();
  return (
    <search className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b px-4 py-2">
      <Input
        type="search"
        aria-label="Search messages"
        placeholder="Search method, id, text"
        value={filters.q}
        onChange={(event) => onChange({ q: event.target.value })}
        className="min-w-40 flex-1 sm:max-w-72"
      />
      <NativeSelect
        aria-label="Direction"
        className="max-w-40 max-sm:max-w-none max-sm:grow max-sm:basis-32 sm:w-auto"
        value={filters.direction ?? ""}
        onChange={({ target }) => onChange({ direction: messageFilterParsers.direction.parse(target.value) })}
      >
        <option value="">Sent and received</option>
        <option value="sent">Sent</option>
        <option value="received">Received</option>
      </NativeSelect>
      <NativeSelect
        aria-label="Kind"
        className="max-w-40 max-sm:max-w-none max-sm:grow max-sm:basis-32 sm:w-auto"
        value={filters.kind ?? ""}
        onChange={({ target }) => onChange({ kind: messageFilterParsers.kind.parse(target.value) })}
      >
        <option value="">Kind: any</option>
        <option value="request">request</option>
        <option value="response">response</option>
        <option value="error">error</option>
        <option value="notification">notification</option>
      </NativeSelect>
      <label htmlFor={pingsId} className="flex h-8 items-center gap-1.5 text-mute">
        <input
          id={pingsId}
          type="checkbox"
          checked={filters.pings}
          onChange={(event) => onChange({ pings: event.target.checked })}
          className="accent-accent"
        />
        Pings
      </label>
      {children}
    </search>
  );
}
