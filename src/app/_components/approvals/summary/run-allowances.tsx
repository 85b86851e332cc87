import { useQuery } from "@tanstack/react-query";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { RelativeTime } from "@/app/_ui/relative-time";

/**
 * The tools that need no approval in the rest of this run, the user who allowed that, the time, and a button to revoke
 * it.
 */
export function RunAllowances({ runId }: { runId: string }) {
  const query = trpc.approvals.allowances.queryOptions({ runId });
  const { data, refetch } = useQuery(query);
  useLiveRefresh(refetch, "approvals");
  const revoke = useAction(trpc.approvals.revokeAllowance, { stale: [query.queryKey] });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section aria-label="Always allowed in this run" className="border-line border-b bg-rail px-4 py-1.5 text-xs">
      <ul className="flex flex-col gap-1">
        {data.items.map(({ executionId, toolName, grantedAt, grantedBy }) => (
          <li key={executionId} className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              Always allowed in this run: <span className="font-medium font-mono">{toolName}</span>
            </span>
            <span className="text-mute">
              by {grantedBy.name} <RelativeTime at={grantedAt} />
            </span>
            <Button
              needs="run"
              aria-label={`Revoke ${toolName}`}
              disabled={revoke.isPending}
              onClick={() => revoke.mutate({ executionId })}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      <div role="alert" className="text-bad empty:hidden">
        {revoke.problem}
      </div>
    </section>
  );
}
