"use client";

import { useQuery } from "@tanstack/react-query";
import { RunBadge } from "@/app/_components/runs/summary/run-badge";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Dialog } from "@/app/_ui/dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Skeleton } from "@/app/_ui/skeleton";

const SHOWN = 50;

export interface ConversationsDialogProps {
  /** The conversation that is open. */
  runId: string | null;
  onClose: () => void;
}

/** The newest conversations, each one click from being continued. */
export function ConversationsDialog({ runId, onClose }: ConversationsDialogProps) {
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.runs.list.queryOptions({ filter: { source: ["agent"] }, limit: SHOWN }));
  return (
    <Dialog onClose={onClose} side="right" title="Conversations">
      {error !== null && (
        <Alert tone="bad" title="Couldn't load conversations">
          {error.message}
        </Alert>
      )}
      {data === undefined && error === null && <Skeleton className="h-40" />}
      {data?.items.length === 0 && <EmptyState title="No conversations yet" />}
      <ul className="flex flex-col">
        {data?.items.map((run) => (
          <li key={run.id}>
            <Link
              href={`/playground?run=${encodeURIComponent(run.id)}`}
              aria-current={run.id === runId ? "page" : undefined}
              onClick={onClose}
              className="flex min-w-0 flex-col gap-0.5 rounded-md px-2 py-1.5 hover:bg-rail aria-[current=page]:bg-accent-bg"
            >
              <span dir="auto" className="truncate font-medium">
                {run.title === "" ? run.id : run.title}
              </span>
              <span className="flex min-w-0 items-center gap-2 text-mute text-xs">
                <RunBadge run={run} />
                <span className="min-w-0 truncate font-mono">{run.model}</span>
                <RelativeTime at={run.startedAt} className="ml-auto shrink-0" />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <Link href="/runs" className="mt-3 inline-block text-mute text-xs underline">
        All runs
      </Link>
    </Dialog>
  );
}
