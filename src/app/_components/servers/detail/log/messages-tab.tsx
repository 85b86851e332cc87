"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useList } from "@/app/_kit/list/use-list";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { useTRPC } from "@/app/_trpc/client";
import { ShowMore } from "@/app/_ui/show-more";
import { MessageRow } from "./message-row";
import { filterMessages, MESSAGE_FILTERS, pairMessages } from "./pair-messages";
import { RecordBar } from "./record-bar";

const POLL_MS = 2_000;
/** Rows put on the page at once. */
const STEP = 150;

export interface MessagesTabProps {
  name: string;
  /** There are no new messages without a connection. */
  connected: boolean;
}

/** Lists the protocol messages, newest first. */
export function MessagesTab({ name, connected }: MessagesTabProps) {
  const trpc = useTRPC();
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
