"use client";

import { useQuery } from "@tanstack/react-query";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import type { KeptApproval } from "@/lib/contract/approval";
import { describeApprovers, findApproverRule } from "@/lib/contract/approver";
import { formatPlural } from "@/lib/format";

/** Approval settings of names that no tool has now: they apply to the next tool of the name until they are removed. */
export function KeptApprovals() {
  const trpc = useTRPC();
  const { data = [], refetch } = useQuery(trpc.tools.keptApprovals.queryOptions());
  useLiveRefresh(refetch, (event) => event.type === "tools");
  const lift = useAction(trpc.tools.liftApproval.mutationOptions(), { stale: [trpc.tools.keptApprovals.queryKey()] });
  if (data.length === 0) return null;
  return (
    <details className="border-line border-b px-4 py-2 text-sm">
      <summary className="cursor-pointer text-mute">
        {formatPlural(data.length, "approval setting")} without a tool
      </summary>
      <p className="mt-1 max-w-3xl text-mute text-xs">
        An approval setting belongs to a tool name and outlives the tool. It applies again to the next tool with that
        name, for example when its server is enabled or added again.
      </p>
      <ul aria-label="Approval settings without a tool" className="mt-1 max-h-60 max-w-3xl overflow-y-auto">
        {data.map((kept) => (
          <li
            key={kept.name}
            data-row={kept.name}
            className="flex flex-wrap items-center gap-x-3 border-line border-t py-1"
          >
            <span className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{kept.name}</span>
            <span className="min-w-0 flex-1 text-mute text-xs">{describeKept(kept)}</span>
            <Button
              needs={findApproverRule(kept.mode) === null ? "edit" : "administer"}
              disabled={lift.isPending}
              aria-label={`Remove the approval setting of ${kept.name}`}
              onClick={() => lift.mutate({ name: kept.name })}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {lift.error !== null && `Couldn't remove the approval setting: ${lift.error.message}`}
      </div>
    </details>
  );
}

function describeKept({ mode }: KeptApproval): string {
  const rule = findApproverRule(mode);
  if (rule !== null) return `Approved by ${describeApprovers(rule, null)}`;
  return mode === "never" ? "Never requires approval" : "Always requires approval";
}
