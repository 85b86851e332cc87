"use client";

import { useQuery } from "@tanstack/react-query";
import { QueryState } from "@/app/_kit/query-state";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { RelativeTime } from "@/app/_ui/relative-time";
import { formatPlural } from "@/lib/format";
import { describeEvent, STATUS_TONES } from "./webhook-words";

/** The newest deliveries of a webhook, with what was sent and what came back. */
export function DeliveryList({ webhookId }: { webhookId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.webhooks.deliveries.queryOptions({ id: webhookId }));
  useLiveRefresh(query.refetch, (event) => event.type === "webhooks");
  const retrying = useAction(trpc.webhooks.retry.mutationOptions(), {
    stale: [trpc.webhooks.deliveries.queryKey({ id: webhookId }), trpc.webhooks.list.queryKey()],
    done: () => "Delivery started again",
    failed: () => "Couldn't retry",
  });
  return (
    <QueryState query={query} what="deliveries" bars={["h-8", "h-8"]}>
      {(deliveries) => (
        <>
          {retrying.problem !== null && <Alert live tone="bad" title={retrying.problem} />}
          {deliveries.length === 0 && <p className="text-mute text-xs">No deliveries yet.</p>}
          <ul aria-label="Deliveries" className="divide-y divide-line rounded-md border border-line empty:hidden">
            {deliveries.map(({ id, event, status, attempts, responseStatus, error, createdAt, nextAt, body }) => (
              <li key={id} className="flex flex-wrap items-start gap-x-3 gap-y-1 px-2.5 py-1.5 text-xs">
                <div className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">
                  <Badge tone={STATUS_TONES[status]}>{status}</Badge> {describeEvent(event)}{" "}
                  <RelativeTime at={createdAt} />
                  <span className="text-mute">
                    {" "}
                    · {formatPlural(attempts, "attempt")}
                    {responseStatus !== null && ` · HTTP ${responseStatus}`}
                    {nextAt !== null && attempts > 0 && " · retries automatically"}
                  </span>
                  {error !== null && <div className="text-bad">{error}</div>}
                  <details>
                    <summary className="cursor-pointer text-mute">Request body</summary>
                    <code className="block whitespace-pre-wrap font-mono">{body}</code>
                  </details>
                </div>
                <Button needs="administer" disabled={retrying.isPending} onClick={() => retrying.mutate({ id })}>
                  {status === "delivered" ? "Send again" : "Retry now"}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </QueryState>
  );
}
