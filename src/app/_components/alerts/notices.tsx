import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { QueryState } from "@/app/_kit/query-state";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { Dialog } from "@/app/_ui/dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { AlertItem } from "./alert-item";

/** The newest alerts beside the page. Opening the panel marks them as read. */
export function Notices({ onClose }: { onClose: () => void }) {
  const query = useQuery(trpc.alerts.notices.queryOptions());
  useLiveRefresh(query.refetch, "alerts", { onMount: true });
  const reading = useAction(trpc.alerts.markRead, { stale: [trpc.alerts.unread] });
  /** Keeps new alerts marked until the list is closed. */
  const [readBefore, setReadBefore] = useState<number | null>(null);
  if (query.data !== undefined && readBefore === null) setReadBefore(query.data.readSeq);
  const newest = query.data?.items[0]?.seq ?? 0;
  const markRead = useEffectEvent((seq: number) => reading.mutate({ seq }));
  const isUnread = newest > (query.data?.readSeq ?? 0);
  // Outside system: the server, which keeps what this user has read.
  useEffect(() => {
    if (isUnread) markRead(newest);
  }, [newest, isUnread]);
  return (
    <Dialog side="right" title="Alerts" onClose={onClose}>
      <QueryState query={query} what="alerts" bars={["h-12", "h-12", "h-12"]}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No alerts">
              Alert rules say when something is wrong with tools, servers or approvals.
            </EmptyState>
          ) : (
            <ul aria-label="Alerts" className="divide-y divide-line rounded-lg border border-line">
              {items.map((alert) => (
                <AlertItem key={alert.id} alert={alert} isNew={alert.seq > (readBefore ?? 0)} onOpen={onClose} />
              ))}
            </ul>
          )
        }
      </QueryState>
      <p className="mt-3 text-xs">
        <Link href="/alerts" onClick={onClose} className="text-accent hover:underline">
          Alert rules and history
        </Link>
      </p>
    </Dialog>
  );
}
