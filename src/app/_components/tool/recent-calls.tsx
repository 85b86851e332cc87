"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { executionOrigin } from "@/app/_components/executions/execution-origin";
import { useLiveEvents } from "@/app/_components/live/live-provider";
import { useTRPC } from "@/app/_trpc/client";
import { StatusBadge } from "@/app/_ui/status-badge";
import { formatDuration } from "@/lib/format";
import { RECENT_CALLS } from "./recent-calls-query";

/** The newest calls of one tool, from anywhere. */
export function RecentCalls({ toolName }: { toolName: string }) {
  const trpc = useTRPC();
  const calls = useQuery(trpc.executions.list.queryOptions({ filter: { tool: [toolName] }, limit: RECENT_CALLS }));
  const { refetch } = calls;
  useLiveEvents((event) => {
    if (event.type === "execution" && event.execution.toolName === toolName) void refetch();
  });
  const items = calls.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-label="Recent calls" className="border-line border-t">
      <table className="w-full table-fixed text-xs">
        <thead>
          <tr className="text-left text-faint">
            <th className="w-28 px-3.5 py-1.5 font-medium">Recent</th>
            <th className="px-2 py-1.5 font-medium">Arguments</th>
            <th className="hidden w-36 px-2 py-1.5 font-medium sm:table-cell">From</th>
            <th className="w-24 px-3.5 py-1.5 text-right font-medium">Time</th>
          </tr>
        </thead>
        <tbody>
          {items.map((call) => (
            <tr key={call.id} className="border-line border-t">
              <td className="px-3.5 py-1">
                <StatusBadge
                  status={call.status}
                  {...(call.errorKind === "invalid_arguments" ? { label: "invalid" } : {})}
                />
              </td>
              <td className="truncate px-2 py-1 font-mono">
                <Link href={`/executions/${call.id}`} className="text-mute hover:text-text hover:underline">
                  {call.argumentsPreview}
                </Link>
              </td>
              <td className="hidden truncate px-2 py-1 sm:table-cell">{executionOrigin(call)}</td>
              <td className="px-3.5 py-1 text-right font-mono tabular-nums">
                {call.executionTimeMs === null ? "–" : formatDuration(call.executionTimeMs)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
