import { useQuery } from "@tanstack/react-query";
import { STATUS_WORDS } from "@/app/_components/servers/summary/server-words";
import { trpc } from "@/app/_trpc/client";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ConnectionStatus } from "@/lib/contract/server";
import { formatDuration, formatPlural } from "@/lib/format";

const READ_MS = 60_000;

const describeStatus = (status: string): string =>
  Object.hasOwn(STATUS_WORDS, status) ? STATUS_WORDS[status as ConnectionStatus] : status;

/** When the server was away in the last 30 days; nothing where it never was. */
export function Outages({ name }: { name: string }) {
  const { data: outages = [] } = useQuery(trpc.alerts.outages.queryOptions({ name }, { refetchInterval: READ_MS }));
  if (outages.length === 0) return null;
  const totalMs = outages.reduce((sum, { startedAt, endedAt }) => sum + ((endedAt ?? Date.now()) - startedAt), 0);
  return (
    <details className="border-line border-b px-4 py-2 text-xs" open={outages[0]?.endedAt === null}>
      <summary className="cursor-pointer">
        {formatPlural(outages.length, "outage")} in the last 30 days
        <span className="text-mute"> · {formatDuration(totalMs)} in all</span>
      </summary>
      <ul aria-label="Outages" className="mt-1 max-h-40 divide-y divide-line overflow-auto">
        {outages.map(({ status, startedAt, endedAt }) => (
          <li key={startedAt} className="flex flex-wrap gap-x-3 py-1">
            <RelativeTime at={startedAt} />
            <span>{endedAt === null ? "still away" : formatDuration(endedAt - startedAt)}</span>
            <span className="text-mute">{describeStatus(status)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
