"use client";

import { useQuery } from "@tanstack/react-query";
import { TimeLeft } from "@/app/_components/approvals/summary/approval-expiry";
import { formatApprovalOrigin } from "@/app/_components/approvals/summary/approval-words";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { PENDING_INPUT } from "./overview-queries";

/** The calls that wait longest for approval. Renders nothing while none does. */
export function PendingApprovals() {
  const trpc = useTRPC();
  const { data, refetch } = useQuery(trpc.approvals.list.queryOptions(PENDING_INPUT));
  useLiveRefresh(refetch, (event) => event.type === "approvals");
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Card
      title="Pending approvals"
      action={
        <Link href="/approvals" className="rounded-xs text-mute text-xs hover:text-text">
          {data?.nextCursor === null ? "Open in Approvals" : "All pending approvals"}
        </Link>
      }
    >
      <ul className="divide-y divide-line">
        {items.map((item) => (
          <li key={item.executionId}>
            <Link
              href={`/approvals?id=${encodeURIComponent(item.executionId)}`}
              className="-outline-offset-2 flex flex-wrap items-center gap-x-2.5 gap-y-0.5 px-3.5 py-1.5 hover:bg-rail"
            >
              <span className="min-w-0 shrink-0 truncate font-mono text-xs">{item.toolName}</span>
              <span className="min-w-0 flex-1 truncate font-mono text-mute text-xs max-sm:basis-full">
                {item.argumentsText.slice(0, 200)}
              </span>
              <span className="shrink-0 text-mute text-xs">
                <bdi>{item.actor.name}</bdi> from {formatApprovalOrigin(item)}
              </span>
              <span className="shrink-0 text-mute text-xs max-sm:ml-auto">
                <TimeLeft expiresAt={item.expiresAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
